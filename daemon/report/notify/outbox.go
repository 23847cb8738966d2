package notify

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/store/durable"
)

// outbox is all that has to survive the daemon, in one file: so the place up to
// which events were looked at and what is due from them move together.
type outbox struct {
	V      int               `json:"v"`
	Cursor string            `json:"cursor,omitzero"` // behind the last event that was looked at
	Told   []string          `json:"told,omitzero"`   // the latest keys, so that none is taken twice
	Rules  map[string]*queue `json:"rules,omitzero"`  // by the id of the rule
}

const (
	outboxName    = "outbox.json"
	outboxVersion = 1
	maxTold       = 128
)

// took remembers a key and says whether it is new.
func (b *outbox) took(key string) bool {
	for _, k := range b.Told {
		if k == key {
			return false
		}
	}
	b.Told = append(b.Told, key)
	if len(b.Told) > maxTold {
		b.Told = b.Told[len(b.Told)-maxTold:]
	}
	return true
}

// readOutbox reads the file. known is false when there is none, or none that
// this version can read: it is put aside, also where it is no file at all, as
// nothing else depends on it and the next one needs the name.
func readOutbox(path string) (b outbox, known bool, err error) {
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newOutbox(), false, nil
	}
	if err == nil {
		err = json.Unmarshal(src, &b)
	}
	if err == nil && b.V != outboxVersion {
		err = fmt.Errorf("version %d is not known", b.V)
	}
	if err != nil {
		return newOutbox(), false, errors.Join(fmt.Errorf("read notifications %s: %w", path, err), os.Rename(path, path+".bad"))
	}
	if b.Rules == nil {
		b.Rules = map[string]*queue{}
	}
	maps.DeleteFunc(b.Rules, func(_ string, q *queue) bool { return q == nil })
	return b, true, nil
}

func newOutbox() outbox { return outbox{V: outboxVersion, Rules: map[string]*queue{}} }

// write replaces the file. It is there, whole and synced, when write returns.
func (b outbox) write(path string) (err error) {
	text, err := json.Marshal(b, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("store notifications: %w", err)
	}
	if err := durable.Replace(path, text); err != nil {
		return fmt.Errorf("store notifications: %w", err)
	}
	return nil
}

// Place is the place behind the last event that was looked at, read from the
// directory of a notifier that nobody has open; empty if it is not known.
func Place(dir string) string {
	var b outbox
	src, err := os.ReadFile(filepath.Join(dir, outboxName))
	if err != nil || json.Unmarshal(src, &b) != nil {
		return "" // Open says why
	}
	return b.Cursor
}
