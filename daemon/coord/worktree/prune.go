package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"autopilot/daemon/auth"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/wire"
)

// Prune removes work trees that are stale and that nothing holds. Each is
// judged again right before it goes, recorded first, and its branch stays.
func (k *Keeper) Prune(ctx context.Context, q auth.Request, body wire.WorktreePruneRequest) (v wire.WorktreesView, err error) {
	keep := time.Duration(body.KeepS) * time.Second
	if keep < 0 {
		return v, wire.Errorf(wire.Usage, "work trees are kept for a time, not for %s", keep)
	}
	k.pruning.Lock() // two at once would each find what the other has moved
	defer k.pruning.Unlock()
	ctx, done := k.cfg.Lasting(ctx)
	defer done()
	k.finishLocked(ctx)
	t, err := k.see(ctx, q, body.Workspace, keep)
	if err != nil {
		return v, err
	}
	defer t.close()
	t.all = body.All
	if v, err = t.view(ctx); err != nil {
		return v, err
	}
	v.DryRun = body.DryRun
	for i := range v.Worktrees {
		w := &v.Worktrees[i]
		if !w.Goes {
			continue
		}
		l := t.list[slices.IndexFunc(t.list, func(l tree.Linked) bool { return l.ID == w.ID })]
		if body.DryRun {
			*w, _ = t.whole(ctx, l)
			continue
		}
		if body.Agreed != nil && !slices.Contains(body.Agreed, w.Dir) {
			stays(w, wire.TreeHeld{Why: wire.HoldUnshown})
			continue
		}
		*w = t.remove(ctx, l)
	}
	v.Removed = t.removed()
	return v, errors.Join(t.viewMerged(ctx, &v), ctx.Err())
}

func stays(v *wire.TreeView, h wire.TreeHeld) {
	if v.Goes = false; !slices.Contains(v.Held, h) {
		v.Held = append(v.Held, h)
	}
}

// whole judges a work tree by everything that is in it. What is in it is looked at
// first: whatever changes afterwards makes another sum.
func (t *scene) whole(ctx context.Context, l tree.Linked) (v wire.TreeView, sum string) {
	if l.Missing {
		return t.one(ctx, l, nil), ""
	}
	all, err := tree.Walk(ctx, l.Path)
	v = t.one(ctx, l, &all)
	if err == nil {
		v.Kept, v.Lost, err = t.ignored(ctx, l)
	}
	if err != nil && !v.Gone {
		v = notLooked(v, l, err, wire.HoldUnreadable)
	}
	return v, all.Sum
}

// notLooked shows a work tree with which something failed. That somebody else has
// removed it, or is about to, is no failure.
func notLooked(v wire.TreeView, l tree.Linked, err error, why wire.TreeHold) wire.TreeView {
	if l.Again().Gone {
		return goneView(l)
	}
	stays(&v, failedHold(l, err, why))
	return v
}

func failedHold(l tree.Linked, err error, why wire.TreeHold) wire.TreeHeld {
	if errors.Is(err, fs.ErrNotExist) || !stands(l) {
		return wire.TreeHeld{Why: wire.HoldMoved, What: "files of it went"}
	}
	return wire.TreeHeld{Why: why, What: err.Error()}
}

// stands says that the directory of a work tree is where it was.
func stands(l tree.Linked) bool {
	_, err := os.Lstat(l.Path)
	return l.Missing || err == nil
}

// look looks into a work tree, and twice where that fails: another daemon may have
// moved it aside for a moment.
func (t *scene) look(ctx context.Context, l tree.Linked) (tree.Loose, error) {
	loose, err := t.survey.Look(ctx, l)
	if err != nil && ctx.Err() == nil && stands(l) {
		return t.survey.Look(ctx, l)
	}
	return loose, err
}

// goneView shows a work tree that somebody else has removed.
func goneView(l tree.Linked) wire.TreeView {
	return wire.TreeView{Dir: l.Path, ID: l.ID, Branch: l.OnBranch(), Commit: l.Commit, Class: wire.TreeStale, Held: []wire.TreeHeld{}, Gone: true}
}

// ignored are the ignored files that are recorded before a work tree goes, and the
// folders that are not.
func (t *scene) ignored(ctx context.Context, l tree.Linked) (kept, lost []string, err error) {
	loose, err := t.look(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	kept, lost, err = tree.PickIgnored(ctx, l.Path, loose.Ignored)
	return tree.Printable(kept), tree.Printable(lost), err
}

// remove removes one work tree, if it is still one that goes: no run can begin in
// it meanwhile, of this daemon or another.
//
// Source: session-orchestrator, seeds 2.8.4, reaper: archive first, then read and
// verify again just before; S29. Field reports, B.4 63.
func (t *scene) remove(ctx context.Context, l tree.Linked) wire.TreeView {
	cfg := t.k.cfg
	release, err := cfg.Runs.Hold(l.ID, "", "")
	if err != nil {
		return t.heldBy(ctx, l, wire.TreeHeld{Why: wire.HoldMoved, What: err.Error()})
	}
	defer release()
	path := claim.MarkFile(t.common, l.ID)
	_, none := os.Lstat(path)
	mark, err := claim.Hold(path, cfg.Claims.Info("apctl archive prune", time.Minute))
	var other *claim.MarkedError
	if errors.As(err, &other) {
		return t.heldBy(ctx, l, wire.TreeHeld{Why: wire.HoldOther, What: other.Info.Who + " of " + other.Info.State})
	}
	if err != nil {
		return t.heldBy(ctx, l, wire.TreeHeld{Why: wire.HoldUnreadable, What: err.Error()})
	}
	v := t.removeHeld(ctx, l)
	if v.Removed || errors.Is(none, fs.ErrNotExist) {
		err = os.Remove(path) // while it is held: who opens it now sees that it is not there any more
	}
	if err = errors.Join(err, mark.Release()); err != nil {
		cfg.Log.Warn("let go of the mark of a work tree", "error", err)
	}
	return v
}

func (t *scene) heldBy(ctx context.Context, l tree.Linked, h wire.TreeHeld) wire.TreeView {
	v := t.one(ctx, l, nil)
	if !v.Gone {
		stays(&v, h)
	}
	return v
}

// removeHeld does so while nobody else can have it.
func (t *scene) removeHeld(ctx context.Context, l tree.Linked) wire.TreeView {
	now := l.Again()
	if now.Gone {
		return goneView(l)
	}
	l, t.now = now, time.Now()
	t.uses, t.blind = usesOf([]string{l.Path})
	if err := t.survey.Again(l); err != nil {
		return t.heldBy(ctx, l, wire.TreeHeld{Why: wire.HoldUnreadable, What: err.Error()})
	}
	v, sum := t.whole(ctx, l)
	if !v.Goes {
		return v
	}
	id := ulid.Make().String()
	r := removal{Dir: l.Path, Folder: l.GitDir(), By: t.q.Actor, Cause: t.q.ID, Fact: events.WorktreePruned{
		Project: l.ID, Repository: tree.IDOf(t.common), Salvage: id, Commit: l.Commit,
	}}
	err := t.name(ctx, l, &r)
	if err == nil && !l.Missing {
		var saved tree.Salvaged
		saved, err = t.k.cfg.Work.Salvage(ctx, l.Workspace, id, v.Kept, salvageText(l), t.discards)
		r.Fact.Tree = saved.Tree
		if err == nil && !saved.Kept {
			stays(&v, wire.TreeHeld{Why: wire.HoldBytes})
			return v
		}
	}
	if err == nil {
		err = t.takeAway(ctx, l, &r, sum)
	}
	switch {
	case errors.Is(err, tree.ErrStays):
		stays(&v, wire.TreeHeld{Why: wire.HoldMoved, What: strings.TrimSuffix(err.Error(), ": "+tree.ErrStays.Error())})
	case err != nil:
		v = notLooked(v, l, err, wire.HoldFailed)
	default:
		v.Removed, v.Salvage, v.Back = true, id, t.back(v.Dir, v.Branch, r.Fact)
	}
	return v
}

// name stores the texts that the fact names.
func (t *scene) name(ctx context.Context, l tree.Linked, r *removal) (err error) {
	if r.Fact.Directory, err = t.k.cfg.Blobs.Put(ctx, []byte(l.Path)); err == nil && l.OnBranch() != "" {
		r.Fact.Branch, err = t.k.cfg.Blobs.Put(ctx, []byte(l.OnBranch()))
	}
	return err
}

func salvageText(l tree.Linked) string {
	on := l.OnBranch()
	if on == "" {
		on = "no branch"
	}
	return fmt.Sprintf("work tree %s, on %s\n\ncommit %s\n", l.Path, on, l.Commit)
}

// takeAway moves the directory aside, looks whether it is still what was judged,
// and only then removes it. So nobody who comes by its path gets into what goes.
func (t *scene) takeAway(ctx context.Context, l tree.Linked, r *removal, sum string) error {
	if !l.Missing {
		r.Aside = tree.Aside(l.Path, r.Fact.Salvage)
		if err := t.k.announce(*r); err != nil {
			return err
		}
		if err := tree.MoveAside(l.Path, r.Aside); err != nil {
			return errors.Join(err, t.k.undo(*r))
		}
		if err := t.unchanged(ctx, l, *r, sum); err != nil {
			return errors.Join(err, t.k.undo(*r))
		}
	}
	r.Sure = true
	if err := t.k.announce(*r); err != nil {
		return errors.Join(err, t.k.undo(*r))
	}
	return t.k.finish(ctx, *r)
}

// unchanged proves that what stands aside is what was looked at, and that nobody is
// in it.
func (t *scene) unchanged(ctx context.Context, l tree.Linked, r removal, sum string) error {
	now, err := tree.Walk(ctx, r.Aside)
	if err != nil {
		return err
	}
	if now.Sum != sum {
		return fmt.Errorf("files: %w", tree.ErrStays)
	}
	uses, err := usesOf([]string{r.Aside})
	if err != nil {
		return err
	}
	for _, u := range uses[r.Aside] {
		return fmt.Errorf("process %d (%s): %w", u.PID, u.Name, tree.ErrStays)
	}
	if again := l.Again(); again.Commit != l.Commit || again.Ref != l.Ref || again.Locked || len(again.Busy) > 0 || !again.Used.Equal(l.Used) {
		return fmt.Errorf("what git knows of it: %w", tree.ErrStays)
	}
	return nil
}
