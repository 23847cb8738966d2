package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/durable"
	"autopilot/events"
)

// removal is the removal of a work tree that is under way. It is in a file of
// its own from before the directory is moved until the host's log says that it is
// gone. A daemon that finds one puts the directory back, or, if all was proven by
// then, removes the rest and says so.
type removal struct {
	Dir    string                `json:"dir"`
	Aside  string                `json:"aside,omitzero"` // its name while it is removed
	Folder string                `json:"folder"`         // of it in the repository
	Sure   bool                  `json:"sure,omitzero"`  // it is to be removed, and not to be put back
	By     string                `json:"by"`
	Cause  string                `json:"cause,omitzero"`
	Fact   events.WorktreePruned `json:"fact"`
}

func (k *Keeper) removals() string { return filepath.Join(k.cfg.State, "worktrees") }

func (k *Keeper) file(r removal) string {
	return filepath.Join(k.removals(), r.Fact.Salvage+".json")
}

// announce writes down what is about to be done.
func (k *Keeper) announce(r removal) error {
	b, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(k.removals(), 0o700)
	}
	if err == nil {
		err = durable.Replace(k.file(r), b)
	}
	if err != nil {
		return fmt.Errorf("write down which work tree is removed: %w", err)
	}
	return nil
}

func (k *Keeper) forget(r removal) error {
	if err := os.Remove(k.file(r)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the removal of a work tree: %w", err)
	}
	return nil
}

// undo puts the directory back, if it was moved.
func (k *Keeper) undo(r removal) error {
	if r.Aside != "" {
		if err := tree.MoveBack(r.Dir, r.Aside); err != nil {
			return err
		}
	}
	if err := k.cfg.Work.Trees().Unkeep(r.Fact.Project, r.Fact.Salvage); err != nil {
		return err
	}
	return k.forget(r)
}

// finish removes the directory that was moved aside, what the repository knows
// of it, and says so, once.
func (k *Keeper) finish(ctx context.Context, r removal) error {
	if r.Aside != "" {
		if err := tree.RemoveBelow(filepath.Dir(r.Aside), filepath.Base(r.Aside)); err != nil {
			return fmt.Errorf("remove %s: %w", r.Aside, err)
		}
	}
	if err := tree.Unlink(r.Folder); err != nil {
		return err
	}
	if !k.said(r.Fact.Salvage) {
		if _, err := k.cfg.Hosts.Append(ctx, r.Fact, r.By, r.Cause); err != nil {
			return err
		}
	}
	return k.forget(r)
}

func (k *Keeper) said(salvage string) bool {
	for _, p := range k.cfg.Hosts.State().Trees {
		if p.Salvage == salvage {
			return true
		}
	}
	return false
}

// Finish ends what an earlier daemon had begun.
func (k *Keeper) Finish(ctx context.Context) {
	k.pruning.Lock()
	defer k.pruning.Unlock()
	k.finishLocked(ctx)
}

func (k *Keeper) finishLocked(ctx context.Context) {
	files, _ := filepath.Glob(filepath.Join(k.removals(), "*.json")) // the pattern is valid
	for _, file := range files {
		var r removal
		b, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		switch {
		case err != nil:
		case r.Sure:
			err = k.finish(ctx, r)
		default:
			err = k.undo(r)
		}
		if err != nil && ctx.Err() == nil {
			k.cfg.Log.Error("finish the removal of a work tree", "file", file, "error", err)
		}
	}
}
