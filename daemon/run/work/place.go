package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/run/cache"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/run"
)

// Nothing that a gate leaves is there for another one. Each run of a gate begins
// with a HOME that holds the user's configuration and nothing else, and an empty
// folder for temporary files. Caches of the work tree are as the gates of the
// baseline left them, when no agent had worked yet, see package cache:
//
//	<state>/home/<work tree>
//	<state>/cache/<work tree>
//	<temporary files>/ap-<8 hex digits>
//
// The places are the same each time, as programs print paths. A daemon that was
// killed finds them by their names, and leaves them alone while an effect that
// began in them is at work.

const (
	homesName  = "home"
	cachesName = "cache"
	// setAside is in the name of what waits to be removed.
	setAside = "-left-"
)

// pinRequest names the places of gates: id is the work tree's, or of gates that
// belong to no run.
func (w *places) pinRequest(id string, r gate.PinRequest) gate.PinRequest {
	caches := filepath.Join(w.cfg.State, cachesName)
	sum := sha256.Sum256([]byte(w.cfg.State + "\x00" + id))
	r.Home = filepath.Join(w.cfg.State, homesName, id)
	r.Cache, r.Base = filepath.Join(caches, id), cache.BaseOf(caches)
	r.Temp = "ap-" + hex.EncodeToString(sum[:4])
	return r
}

// begun says that an effect is there already: then its place is in use, or was.
func (w *places) begun(id string) bool {
	_, err := w.cfg.Effects.Open(id).Outcome()
	return err == nil || errors.Is(err, effect.ErrUnfinished)
}

// freshPlace empties what a gate has for itself alone.
func (w *places) freshPlace(p gate.Pinned) error {
	if err := w.clear(p.Home); err != nil {
		return err
	}
	if err := p.LayHome(); err != nil {
		return err
	}
	return w.freshTemp(p.Temp)
}

func (w *places) freshTemp(dir string) error {
	if dir == "" {
		return nil
	}
	if err := w.clear(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make the folder for temporary files of the gates: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder for temporary files of the gates: %w", err)
	}
	return nil
}

// clear removes a folder. What cannot be removed, as what a container wrote as
// root, is set aside, and tried again when a daemon starts.
func (w *places) clear(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	aside := dir + setAside + w.newID()
	if err := os.Rename(dir, aside); err != nil {
		if err := w.remove(dir); err != nil {
			return fmt.Errorf("clear %s for the gates: %w", dir, err)
		}
		return nil
	}
	if err := w.remove(aside); err != nil {
		w.cfg.Log.Warn("remove what gates left", "path", aside, "error", err)
	}
	return nil
}

func (w *Worker) dropPlaceOf(ctx context.Context, s run.State) error {
	p, err := w.plan(ctx, s)
	if err != nil {
		return nil //nolint:nilerr // who cannot read the plan is told so elsewhere, and the next run clears the place
	}
	return w.dropPlace(p.Gates)
}

// dropPlace removes the temporary files of gates whose run does not go on.
func (w *places) dropPlace(p gate.Pinned) error {
	if p.Temp == "" {
		return nil
	}
	return w.clear(p.Temp)
}

// store is the caches of a run's work tree.
func (w *places) caches(p *Plan) *cache.Store {
	if p.Gates.Cache == "" {
		return nil // begun by a version that had one for all
	}
	if p.store == nil {
		p.store = w.newStore(p.Gates)
	}
	return p.store
}

func (w *places) newStore(p gate.Pinned) *cache.Store {
	return &cache.Store{
		Dir: p.Cache, Base: realPath(p.Base), Moving: []string{p.Workspace, w.cfg.State}, Remove: w.remove,
	}
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// untouched says that no agent has worked in the run yet.
func (g *judgement) untouched() bool { return g.s.Last.Session.Effect == "" }

// beginRound makes the caches what they were sealed as, unless the first effect of
// the round began before.
func (g *judgement) beginRound(ctx context.Context, first string) error {
	store := g.w.caches(g.p)
	switch {
	case store == nil || g.w.begun(first):
		return nil
	case g.p.opened && !g.untouched():
		return store.Reset()
	case g.p.opened:
		return nil
	}
	goes, err := g.p.usesGo(ctx, g.s.Last.Tree)
	if err == nil {
		err = store.Open(goes)
	}
	g.p.opened = err == nil
	return err
}

// freshCaches makes the caches what they were sealed as, for gates elsewhere than in
// the work tree.
func (g *judgement) freshCaches() error {
	store := g.w.caches(g.p)
	if store == nil || g.untouched() {
		return nil
	}
	return store.Reset()
}

// sealCaches trusts what the gates of the baseline have left in the caches.
func (g *judgement) sealCaches() error {
	store := g.w.caches(g.p)
	if store == nil || !g.untouched() {
		return nil
	}
	return store.Seal()
}

// usesGo says that gates will compile Go, as far as files and commands tell.
func (p *Plan) usesGo(ctx context.Context, t events.Tree) (bool, error) {
	for _, tool := range p.Gates.Tools {
		if tool.Word == "go" {
			return true, nil
		}
	}
	files, err := p.Repo.Files(ctx, t)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		if name := path.Base(f); name == "go.mod" || name == "go.work" {
			return true, nil
		}
	}
	return false, nil
}

// beginGate gives a gate a place that is as at the first time. The runs of a series
// share one: what a test leaves for its next run may be why it fails at times.
func (g *judgement) beginGate(with gate.Pinned, effect string) error {
	if g.w.begun(effect) || strings.Contains(effect, furtherRun) {
		return nil
	}
	if store := g.w.caches(g.p); store != nil && !g.untouched() {
		if err := store.ResetBytecode(); err != nil {
			return err
		}
	}
	if with.Settled {
		return nil
	}
	return g.w.freshPlace(with)
}

// sweepPlaces removes what was set aside, and caches that nobody has used for long.
func (w *places) sweepPlaces() error {
	var errs []error
	for _, pattern := range []string{filepath.Join(homesName, "*"+setAside+"*"), filepath.Join(cachesName, tryPrefix+"*")} {
		left, err := filepath.Glob(filepath.Join(w.cfg.State, pattern))
		errs = append(errs, err)
		for _, path := range left {
			errs = append(errs, w.remove(path))
		}
	}
	lists, err := filepath.Glob(filepath.Join(w.cfg.State, outsideName, "*"))
	errs = append(errs, err)
	for _, path := range lists {
		if info, err := os.Lstat(path); err == nil && w.cfg.Now().Sub(info.ModTime()) > outsideKept {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(append(errs, cache.Sweep(filepath.Join(w.cfg.State, cachesName), w.cfg.Now(), w.remove))...)
}
