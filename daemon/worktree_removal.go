package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/durable"
	"autopilot/daemon/tree"
	"autopilot/events"
)

// treeRemoval is the removal of a work tree that is under way. It is in a file of
// its own from before the directory is moved until the host's log says that it is
// gone. A daemon that finds one puts the directory back, or, if all was proven by
// then, removes the rest and says so.
type treeRemoval struct {
	Dir    string                `json:"dir"`
	Aside  string                `json:"aside,omitzero"` // its name while it is removed
	Folder string                `json:"folder"`         // of it in the repository
	Sure   bool                  `json:"sure,omitzero"`  // it is to be removed, and not to be put back
	By     string                `json:"by"`
	Cause  string                `json:"cause,omitzero"`
	Fact   events.WorktreePruned `json:"fact"`
}

func (d *Daemon) treeRemovals() string { return filepath.Join(d.cfg.Places.State, "worktrees") }

func (d *Daemon) treeRemovalFile(r treeRemoval) string {
	return filepath.Join(d.treeRemovals(), r.Fact.Salvage+".json")
}

// announceTree writes down what is about to be done.
func (d *Daemon) announceTree(r treeRemoval) error {
	b, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(d.treeRemovals(), 0o700)
	}
	if err == nil {
		err = durable.Replace(d.treeRemovalFile(r), b)
	}
	if err != nil {
		return fmt.Errorf("write down which work tree is removed: %w", err)
	}
	return nil
}

func (d *Daemon) forgetTree(r treeRemoval) error {
	if err := os.Remove(d.treeRemovalFile(r)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the removal of a work tree: %w", err)
	}
	return nil
}

// undoTree puts the directory back, if it was moved.
func (d *Daemon) undoTree(r treeRemoval) error {
	if r.Aside != "" {
		if err := tree.MoveBack(r.Dir, r.Aside); err != nil {
			return err
		}
	}
	if err := d.worker.Trees().Unkeep(r.Fact.Project, r.Fact.Salvage); err != nil {
		return err
	}
	return d.forgetTree(r)
}

// finishTree removes the directory that was moved aside, what the repository knows
// of it, and says so, once.
func (d *Daemon) finishTree(ctx context.Context, r treeRemoval) error {
	if r.Aside != "" {
		if err := tree.RemoveBelow(filepath.Dir(r.Aside), filepath.Base(r.Aside)); err != nil {
			return fmt.Errorf("remove %s: %w", r.Aside, err)
		}
	}
	if err := tree.Unlink(r.Folder); err != nil {
		return err
	}
	if !d.saidPruned(r.Fact.Salvage) {
		if _, err := d.hosts.Append(ctx, r.Fact, r.By, r.Cause); err != nil {
			return err
		}
	}
	return d.forgetTree(r)
}

func (d *Daemon) saidPruned(salvage string) bool {
	for _, p := range d.hosts.State().Trees {
		if p.Salvage == salvage {
			return true
		}
	}
	return false
}

// finishTrees ends what an earlier daemon had begun.
func (d *Daemon) finishTrees(ctx context.Context) {
	d.pruning.Lock()
	defer d.pruning.Unlock()
	d.finishTreesLocked(ctx)
}

func (d *Daemon) finishTreesLocked(ctx context.Context) {
	files, _ := filepath.Glob(filepath.Join(d.treeRemovals(), "*.json")) // the pattern is valid
	for _, file := range files {
		var r treeRemoval
		b, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		switch {
		case err != nil:
		case r.Sure:
			err = d.finishTree(ctx, r)
		default:
			err = d.undoTree(r)
		}
		if err != nil && ctx.Err() == nil {
			d.cfg.Log.Error("finish the removal of a work tree", "file", file, "error", err)
		}
	}
}
