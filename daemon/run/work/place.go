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

// A gate leaves nothing for another one. Each run of a gate begins with a HOME with the
// user's configuration alone, and with an empty folder for temporary files. Caches of the
// work tree are as the gates of the baseline left them, before any agent worked, see
// package cache:
//
//	<state>/home/<work tree>
//	<state>/cache/<work tree>
//	<temporary files>/ap-<8 hex digits>
//
// The places are the same each time, as programs print paths. The next daemon after a
// kill finds them by their names. It leaves them alone while an effect that began in them
// is at work.

const (
	homesName  = "home"
	cachesName = "cache"
	// setAside is in the name of a folder that waits for removal.
	setAside = "-left-"
)

// pinRequest names the places of gates. The id is the work tree's, or of gates outside of
// runs.
func (w *places) pinRequest(id string, r gate.PinRequest) gate.PinRequest {
	caches := filepath.Join(w.cfg.State, cachesName)
	sum := sha256.Sum256([]byte(w.cfg.State + "\x00" + id))
	r.Home = filepath.Join(w.cfg.State, homesName, id)
	r.Cache, r.Base = filepath.Join(caches, id), cache.BaseOf(caches)
	r.Temp = "ap-" + hex.EncodeToString(sum[:4])
	return r
}

// begun says that an effect already exists: its place is or was in use.
func (w *places) begun(id string) bool {
	_, err := w.cfg.Effects.Open(id).Outcome()
	return err == nil || errors.Is(err, effect.ErrUnfinished)
}

// freshPlace empties the place of a single gate.
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

// clear removes a folder. It sets aside what it cannot remove, such as root's files from
// a container. The daemon tries again at its next start.
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
		return nil //nolint:nilerr // another place reports an unreadable plan, and the next run clears the place
	}
	return w.dropPlace(p.Gates)
}

// dropPlace removes the temporary files of gates whose run is over or halted.
func (w *places) dropPlace(p gate.Pinned) error {
	if p.Temp == "" {
		return nil
	}
	return w.clear(p.Temp)
}

// caches is the cache store of a run's work tree.
func (w *places) caches(p *Plan) *cache.Store {
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

// beginRound resets the caches to their sealed state, unless the first effect of the
// round began before.
func (g *judgement) beginRound(ctx context.Context, first string) error {
	store := g.w.caches(g.p)
	switch {
	case g.w.begun(first):
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

// freshCaches resets the caches to their sealed state, for gates outside of the work
// tree.
func (g *judgement) freshCaches() error {
	if g.untouched() {
		return nil
	}
	return g.w.caches(g.p).Reset()
}

// sealCaches trusts the caches as the gates of the baseline left them.
func (g *judgement) sealCaches() error {
	if !g.untouched() {
		return nil
	}
	return g.w.caches(g.p).Seal()
}

// usesGo says that gates will compile Go, judging by files and commands.
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

// beginGate gives a gate a fresh place. The runs of a series share one: a test may fail
// at times because of its own leftovers.
func (g *judgement) beginGate(with gate.Pinned, effect string) error {
	if g.w.begun(effect) || strings.Contains(effect, furtherRun) {
		return nil
	}
	if !g.untouched() {
		if err := g.w.caches(g.p).ResetBytecode(); err != nil {
			return err
		}
	}
	if with.Settled {
		return nil
	}
	return g.w.freshPlace(with)
}

// sweepPlaces removes folders set aside, and long unused caches.
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
