package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/exec/redact"
	"autopilot/events"
	"autopilot/projections/run"
)

// Texts are stored without secrets. put removes those of every run whose plan is in
// memory, and keys with a known shape. So a text is clean whichever run stores it, even a
// text about two runs. Texts that are not for people stay exact: commands, globs, paths
// of a work tree and of files that gates made.

// secrets are the variables of a run that hold secrets, as NAME=value.
func (s Secret) secrets() []string {
	env := slices.Concat(s.AgentEnv, s.AgentCall, s.Gates.Env)
	for _, name := range slices.Sorted(maps.Keys(s.Calls)) {
		env = append(env, s.Calls[name]...)
	}
	return redact.Secrets(env, s.Redact...)
}

// hidden is the set of secrets for all texts.
func (w *records) hidden() *redact.Set {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hide == nil {
		var all []string
		for _, p := range w.plans {
			all = append(all, p.Secrets...)
		}
		slices.Sort(all) // of two names for one value, the same one counts each time
		w.hide = redact.Compile(slices.Compact(all))
	}
	return w.hide
}

// hiddenOf is the set of secrets for a run's texts, also for a run whose plan is not in
// memory.
func (w *records) hiddenOf(id string) (*redact.Set, error) {
	w.mu.Lock()
	p := w.plans[id]
	w.mu.Unlock()
	if p != nil {
		return w.hidden(), nil
	}
	b, err := os.ReadFile(w.secretFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return w.hidden(), nil // the run is over
	}
	var s Secret
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return redact.Compile(s.secrets()), err
}

// Note stores a person's note to a run.
func (w *records) Note(ctx context.Context, s run.State, text string) (_ events.Ref, err error) {
	defer func() { err = noRoom(err) }()
	set, err := w.hiddenOf(s.ID)
	if err != nil {
		return "", err
	}
	return w.put(ctx, set.Text(text))
}

// scrub removes secrets from an agent's box. It runs after the result was read, and again
// when the run stops.
func (w *records) scrub(run, effect string) {
	set, err := w.hiddenOf(run)
	if err == nil {
		err = w.cfg.Effects.Open(effect).Scrub(set)
	}
	if err != nil {
		w.cfg.Log.Error("take secrets out of what an agent has left", "run", run, "effect", effect, "error", err)
	}
}

// cleanTask removes secrets from the task. The caller stored a long task before.
func (w *records) cleanTask(ctx context.Context, p *Plan) error {
	clean := redact.Text(p.Secrets, p.Task)
	if clean == p.Task {
		return nil
	}
	p.Task = clean
	if p.TaskRef == "" {
		return nil
	}
	return w.cfg.Blobs.Delete(ctx, p.TaskRef)
}

// Secrets lists the secrets of every run that is not over, as NAME=value, for texts that
// leave the state directory. An unreadable one is an error.
func Secrets(state string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(state, "runs", "*.json"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the run is over by now
		}
		var s Secret
		if err == nil {
			err = json.Unmarshal(b, &s)
		}
		if err != nil {
			return nil, fmt.Errorf("read the secrets of a run: %w", err)
		}
		out = append(out, s.secrets()...)
	}
	slices.Sort(out) // of two names for one value, the same one counts each time
	return slices.Compact(out), nil
}
