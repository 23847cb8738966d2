package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/store/durable"
)

// Caller is in whose environment a queue is worked off. It may have secrets: it is a file of
// mode 0600, and no event.
type Caller struct {
	Env      []string          `json:"env"`
	Settings map[string]string `json:"settings,omitzero"`
	NoConfig bool              `json:"no_config,omitzero"`
	Chat     bool              `json:"chat,omitzero"` // it may ask for no more than a chat
}

func (k *Keeper) callerFile(id string) string { return filepath.Join(k.cfg.Dir, id+".json") }

// KeepCaller keeps the caller of a queue, in place of the one before.
func (k *Keeper) KeepCaller(id string, c Caller) error {
	b, err := json.Marshal(c)
	if err == nil {
		err = os.MkdirAll(k.cfg.Dir, 0o700)
	}
	if err == nil {
		err = durable.Replace(k.callerFile(id), b)
	}
	if err != nil {
		return fmt.Errorf("keep the environment of a queue: %w", err)
	}
	return nil
}

// dropCaller removes the caller of a queue that begins and lands nothing: whoever opens it
// again brings another.
func (k *Keeper) dropCaller(id string) {
	if err := os.Remove(k.callerFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.cfg.Log.Warn("remove the environment of a queue", "queue", id, "error", err)
	}
}

// Caller is the caller that a queue was opened by; a queue without one has an empty
// environment.
func (k *Keeper) Caller(id string) (c Caller, err error) {
	b, err := os.ReadFile(k.callerFile(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err == nil:
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read the environment of a queue: %w", err)
	}
	return c, nil
}
