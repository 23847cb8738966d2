package effect

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
)

// removedPrefix marks directories whose removal has begun.
const removedPrefix = ".removed-"

// Live is an effect whose supervisor lives.
type Live struct {
	Effect string
	Shim   int // pid of the supervisor
}

// supervisor is a process of ours and the effect that it runs.
type supervisor struct {
	effect string
	who    proc.Process
}

// Live lists the live effects by id.
func (r *Runner) Live() []Live {
	r.mu.Lock()
	all := slices.Collect(maps.Values(r.live))
	r.mu.Unlock()
	var list []Live
	for _, s := range all {
		if proc.Lives(s.who) {
			list = append(list, Live{Effect: s.effect, Shim: s.who.PID})
		}
	}
	slices.SortFunc(list, func(a, b Live) int { return cmp.Compare(a.Effect, b.Effect) })
	return list
}

func (r *Runner) setLive(id string, p proc.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[p.PID] = supervisor{effect: id, who: p}
}

func (r *Runner) dropLive(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.live, func(_ int, s supervisor) bool { return s.effect == id })
}

// scan finds what an earlier daemon left: supervisors that live, directories
// whose removal was cut short, specs of effects that are over, and control groups
// that nobody is in.
func (r *Runner) scan() error {
	entries, err := os.ReadDir(r.cfg.Root)
	if err != nil {
		return err
	}
	// Where supervisors make theirs: below the group of the daemon that started
	// them, which need not be ours.
	homes := map[proc.Cgroup]bool{proc.OwnCgroup(): true}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), removedPrefix) {
			// What an effect left as another user stays: no reason not to start.
			_ = RemoveAll(filepath.Join(r.cfg.Root, e.Name()))
			continue
		}
		d := r.Open(e.Name())
		ctl, err := d.latest()
		if err != nil {
			continue
		}
		if shim.HasExit(ctl) {
			// A power cut can bring a spec back. One that stays is no reason not to
			// start either.
			_ = d.dropSpecs()
			continue
		}
		claim, err := shim.ReadClaim(ctl)
		if err != nil || claim.Abandoned || claim.Boot != r.cfg.BootID {
			continue
		}
		homes[claim.Cgroup.Parent()] = true
		if p, err := proc.Read(claim.PID); err == nil && p.Start == claim.Start {
			r.setLive(e.Name(), p)
		}
	}
	for home := range homes {
		home.Sweep()
	}
	return nil
}

// Remove deletes the directory of an effect that has an outcome, else
// ErrUnfinished. A missing one is no error.
func (r *Runner) Remove(id string) error {
	d := r.Open(id)
	if _, err := d.Outcome(); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	// Renamed first: half a directory would look like a lost effect.
	gone := filepath.Join(r.cfg.Root, removedPrefix+id)
	if err := os.Rename(d.Path(), gone); err != nil {
		return fmt.Errorf("remove effect %s: %w", id, err)
	}
	if err := RemoveAll(gone); err != nil {
		return fmt.Errorf("remove effect %s: %w", id, err)
	}
	return nil
}

// RemoveAll deletes a tree in which an effect may have taken our permission
// from directories.
func RemoveAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	// What cannot be opened is made so and visited again; what fails otherwise
	// is reported by the second attempt.
	_ = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && err == nil {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// Survivor is a process of an effect that is over.
type Survivor struct {
	Effect string
	PID    int
}

// Survivors lists processes that carry the marker of an effect of this root
// that has an outcome. There should be none.
func (r *Runner) Survivors() []Survivor {
	over := map[string]bool{}
	marked := proc.Marked(func(id string) bool {
		if known, ok := over[id]; ok {
			return known
		}
		ctl, err := r.Open(id).latest()
		over[id] = err == nil && shim.HasExit(ctl)
		return over[id]
	}, 0)
	var list []Survivor
	for id, ps := range marked {
		for _, p := range ps {
			list = append(list, Survivor{Effect: id, PID: p.PID})
		}
	}
	slices.SortFunc(list, func(a, b Survivor) int {
		return cmp.Or(cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.PID, b.PID))
	})
	return list
}
