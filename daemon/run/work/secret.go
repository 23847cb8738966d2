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

// Texts are stored without secrets: put takes out those of every run whose plan
// is in memory, and keys that are known by their shape. So a text is clean
// whoever stores it, also one about two runs. What is no text for people stays as
// it is: commands, globs, paths of a work tree and of files that gates made.

// secrets are the variables of a run that hold secrets, as NAME=value.
func (s Secret) secrets() []string {
	env := slices.Concat(s.AgentEnv, s.AgentCall, s.Gates.Env)
	for _, name := range slices.Sorted(maps.Keys(s.Calls)) {
		env = append(env, s.Calls[name]...)
	}
	return redact.Secrets(env, s.Redact...)
}

// hidden is what no text may hold.
func (w *records) hidden() *redact.Set {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hide == nil {
		var all []string
		for _, p := range w.plans {
			all = append(all, p.Secrets...)
		}
		slices.Sort(all) // of two names of a value the same one counts each time
		w.hide = redact.Compile(slices.Compact(all))
	}
	return w.hide
}

// hiddenOf is what no text of a run may hold, also of one whose plan is not in
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
		return w.hidden(), nil // it is over
	}
	var s Secret
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return redact.Compile(s.secrets()), err
}

// Note stores what a person says to a run.
func (w *records) Note(ctx context.Context, s run.State, text string) (_ events.Ref, err error) {
	defer func() { err = noRoom(err) }()
	set, err := w.hiddenOf(s.ID)
	if err != nil {
		return "", err
	}
	return w.put(ctx, set.Text(text))
}

// scrub takes the secrets out of what an agent of a run has left in its box. It
// is done once the result was read, and again when the run stops.
func (w *records) scrub(run, effect string) {
	set, err := w.hiddenOf(run)
	if err == nil {
		err = w.cfg.Effects.Open(effect).Scrub(set)
	}
	if err != nil {
		w.cfg.Log.Error("take secrets out of what an agent has left", "run", run, "effect", effect, "error", err)
	}
}

// cleanTask takes the secrets out of the task. A long one was stored before by
// whoever asked for the run.
func (w *records) cleanTask(ctx context.Context, p *Plan) error {
	clean := redact.Text(p.Secrets, p.Task)
	if clean == p.Task {
		return nil
	}
	p.Task = clean
	if p.Spec.TaskRef == "" {
		return nil
	}
	return w.cfg.Blobs.Delete(ctx, p.Spec.TaskRef)
}

// Secrets are those of every run that is not over, as NAME=value, for texts that
// leave the state directory. One that cannot be read is an error.
func Secrets(state string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(state, "runs", "*.json"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is over now
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
	slices.Sort(out) // of two names of a value the same one counts each time
	return slices.Compact(out), nil
}
