package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// keepFor is for how long a work tree is young, and kept after a run or session,
// unless the caller says otherwise.
//
// Source: session-orchestrator, seeds 2.7.
const keepFor = 7 * 24 * time.Hour

// atOnce is how many work trees are looked at at a time.
const atOnce = 4

// scene is the work trees of a repository, and who is in them, at a moment.
type scene struct {
	k *Keeper
	asked
	repository
	uses  map[string][]use
	blind error // why it is not known which processes are where
	heads map[string][]snapshot.Head
	now   time.Time
}

// asked is who wants to know of them, and what for.
type asked struct {
	q    auth.Request
	here string // work tree that was asked from
	keep time.Duration
	all  bool // those that no run made may go, too
	// discards: a person wants it gone with its changes and commits, which are recorded.
	discards bool
}

// repository is whose they are.
type repository struct {
	common string
	scope  string // of claims on branches
	survey *tree.Survey
	list   []tree.Linked
}

// List shows the work trees of a repository, and what is in them that is
// nowhere else.
func (k *Keeper) List(ctx context.Context, q auth.Request, body wire.WorktreesRequest) (wire.WorktreesView, error) {
	t, err := k.see(ctx, q, body.Workspace, keepFor)
	if err != nil {
		return wire.WorktreesView{}, err
	}
	defer t.close()
	return t.view(ctx)
}

// see begins to look at the work trees of the repository of a directory.
func (k *Keeper) see(ctx context.Context, q auth.Request, dir string, keep time.Duration) (*scene, error) {
	ws, err := tree.Find(ctx, dir)
	common := ""
	if err == nil {
		common, err = ws.Common()
	}
	if err != nil {
		return nil, wire.Errorf(wire.NotFound, "%s is not in a git work tree, so there are none to list", dir).
			WithHint("cd to one; apctl ls --all   lists the runs of all directories")
	}
	t := &scene{
		k: k, asked: asked{q: q, here: ws.Path, keep: keep}, repository: repository{common: common},
		heads: map[string][]snapshot.Head{}, now: time.Now(),
	}
	if t.scope, err = k.cfg.Repos.Of(ctx, ws); err != nil {
		return nil, err
	}
	if t.list, err = ws.Linked(); err != nil {
		return nil, err
	}
	for _, h := range k.cfg.Runs.Heads() {
		t.heads[h.Project] = append(t.heads[h.Project], h)
	}
	var dirs []string
	for _, l := range t.list {
		dirs = append(dirs, l.Path)
	}
	t.uses, t.blind = usesOf(dirs)
	t.survey, err = k.cfg.Work.Trees().Survey(ctx, ws, k.cfg.Home)
	if errors.Is(err, tree.ErrNoGit) {
		return nil, wire.Errorf(wire.Failed, "git is not on the PATH of the daemon, so no work tree can be looked at").
			WithHint("install git 2.36 or newer, then where it is on PATH: apctl daemon restart")
	}
	return t, err
}

func (t *scene) close() {
	if err := t.survey.Close(); err != nil {
		t.k.cfg.Log.Warn("look at work trees", "error", err)
	}
}

// view looks at all of them.
func (t *scene) view(ctx context.Context) (wire.WorktreesView, error) {
	v := wire.WorktreesView{Repository: t.common, Worktrees: make([]wire.TreeView, len(t.list)), Merged: []wire.MergedBranch{}, KeepS: int64(t.keep / time.Second)}
	var wg sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for i, l := range t.list {
		wg.Go(func() {
			free <- struct{}{}
			v.Worktrees[i] = t.one(ctx, l, nil)
			<-free
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return v, err
	}
	v.Worktrees = slices.DeleteFunc(v.Worktrees, func(w wire.TreeView) bool { return w.Gone })
	v.Worktrees = append(v.Worktrees, t.strays()...)
	v.Removed = t.removed()
	return v, t.viewMerged(ctx, &v)
}

// viewMerged adds the branches of runs that another one has whole, but for those
// that are checked out in a work tree that stays.
func (t *scene) viewMerged(ctx context.Context, v *wire.WorktreesView) error {
	if len(t.list) == 0 {
		return nil
	}
	var out []string
	for _, w := range v.Worktrees {
		if w.Branch != "" && !w.Removed && !w.Goes {
			out = append(out, w.Branch)
		}
	}
	merged, err := t.survey.Merged(ctx, t.list[0], wire.WorktreeRoot, out)
	v.Merged = []wire.MergedBranch{}
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		v.Merged = append(v.Merged, wire.MergedBranch{Name: name, In: merged[name]})
	}
	return err
}

// one judges a work tree. all is everything in it, if that was looked at.
func (t *scene) one(ctx context.Context, l tree.Linked, all *tree.Contents) wire.TreeView {
	v := wire.TreeView{
		Dir: l.Path, ID: l.ID, Main: l.Main, Missing: l.Missing, Here: l.Path == t.here, Branch: l.OnBranch(), Commit: l.Commit,
	}
	w := rule.WorkTree{Used: t.usedLast(l, all)}
	t.viewRuns(&v, &w)
	t.viewClaims(ctx, l, &v, &w)
	w.Held = append(w.Held, t.locks(l)...)
	w.Held = append(w.Held, t.contains(l)...)
	w.Held = append(w.Held, t.users(l, &w)...)
	loose, err := t.look(ctx, l)
	if (l.Problem != nil || err != nil) && l.Again().Gone {
		return goneView(l)
	}
	switch {
	case l.Problem != nil:
		w.Held = append(w.Held, wire.TreeHeld{Why: wire.HoldUnreadable, What: l.Problem.Error()})
	case err != nil:
		w.Held = append(w.Held, failedHold(l, err, wire.HoldUnreadable))
	default:
		w.Held = append(w.Held, t.loose(l, loose)...)
	}
	if all != nil {
		w.Held = append(w.Held, wholeHolds(*all)...)
		v.Files, v.Bytes = all.Files, all.Bytes
	}
	viewLoose(&v, loose)
	v.Stashes = l.Stashes()
	if !v.Ours && !t.all && !l.Main {
		w.Held = append(w.Held, wire.TreeHeld{Why: wire.HoldNotOurs})
	}
	v.Class, v.Held = rule.JudgeTree(w, t.now, t.keep)
	v.Goes = len(v.Held) == 0
	if !w.Used.IsZero() {
		used := w.Used.UTC()
		v.Used = &used
	}
	return v
}

// usedLast is the last sign of use of a work tree.
func (t *scene) usedLast(l tree.Linked, all *tree.Contents) time.Time {
	last := l.Used
	later := func(u time.Time) {
		if u.After(last) {
			last = u
		}
	}
	if info, err := os.Lstat(l.Path); err == nil && !l.Missing {
		later(info.ModTime())
	}
	for _, h := range t.heads[l.ID] {
		later(time.UnixMilli(h.Latest))
	}
	if all != nil {
		later(all.Newest)
	}
	return last
}

// viewRuns adds the runs of a work tree: the latest is shown, one that is not over
// holds it, and the others are its records.
func (t *scene) viewRuns(v *wire.TreeView, w *rule.WorkTree) {
	list := slices.Clone(t.heads[v.ID])
	slices.SortFunc(list, func(a, b snapshot.Head) int { return cmp.Compare(b.ID, a.ID) })
	v.Ours = strings.HasPrefix(v.Branch, wire.WorktreeRoot+"/") || strings.HasPrefix(v.Branch, wire.WorktreeRoot+"-")
	for i, h := range list {
		v.Ours = v.Ours || h.From != ""
		if h.Status != run.Over {
			w.Held = append(w.Held, wire.TreeHeld{Why: wire.HoldRun, What: h.Handle})
		} else {
			w.Noted = append(w.Noted, rule.TreeNote{Who: "run " + h.Handle, At: time.UnixMilli(h.Latest)})
		}
		if i == 0 {
			v.Run, v.RunID, v.State = h.Handle, h.ID, "over"
			if s, ok := t.k.cfg.Runs.State(h.ID); ok {
				v.State = t.k.cfg.Words.State(s, t.now)
			}
		}
	}
	v.Ours = v.Ours && !v.Main
}

func viewLoose(v *wire.TreeView, l tree.Loose) {
	v.Changed, v.Staged, v.Untracked, v.Ignored = few(l.Changed), few(l.Staged), few(l.Untracked), few(l.Ignored)
	v.Alone, v.Unpushed = l.Alone, l.Unpushed
}

// mostShown bounds the names of one kind that are shown.
const mostShown = 20

func few(paths []string) []string { return tree.Printable(paths[:min(len(paths), mostShown)]) }

// strays are the directories that runs of this state directory worked in, made from
// a work tree of this repository, and that git does not list.
func (t *scene) strays() (out []wire.TreeView) {
	known := map[string]bool{}
	for _, l := range t.list {
		known[l.ID] = true
	}
	for id, heads := range t.heads {
		from := slices.IndexFunc(heads, func(h snapshot.Head) bool { return known[h.From] })
		if known[id] || from < 0 {
			continue
		}
		s, ok := t.k.cfg.Runs.State(heads[from].ID)
		dir := t.k.cfg.Words.Text(s.Facts.Workspace)
		if _, err := os.Lstat(dir); !ok || dir == "" || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		v := wire.TreeView{Dir: dir, ID: id, Here: dir == t.here}
		w := rule.WorkTree{Held: []wire.TreeHeld{{Why: wire.HoldUnknown}}}
		t.viewRuns(&v, &w)
		v.Class, v.Held = rule.JudgeTree(w, t.now, t.keep)
		v.Ours = true
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b wire.TreeView) int { return cmp.Compare(a.Dir, b.Dir) })
	return out
}

// removed are the work trees of the repository that were removed and can be brought
// back, the latest first.
func (t *scene) removed() []wire.RemovedTree {
	out := []wire.RemovedTree{}
	sum := tree.IDOf(t.common)
	for _, p := range slices.Backward(t.k.cfg.Hosts.State().Trees) {
		if p.Repository != sum || p.Tree != "" && !t.k.cfg.Work.Trees().HasKept(p.Project, p.Salvage, "tree") {
			continue
		}
		dir, branch := t.k.cfg.Words.Text(p.Directory), t.k.cfg.Words.Text(p.Branch)
		if _, err := os.Lstat(dir); dir == "" || !errors.Is(err, fs.ErrNotExist) {
			continue // it is back, or another is there
		}
		out = append(out, wire.RemovedTree{
			Dir: dir, At: p.At, By: p.By, Branch: branch, Commit: p.Commit, Salvage: p.Salvage,
			Back: t.back(dir, branch, p.WorktreePruned),
		})
	}
	return out
}

// back are the commands that bring a removed work tree back, with its ignored files.
func (t *scene) back(dir, branch string, p events.WorktreePruned) []string {
	git := "git --git-dir=" + phrase.Quote(t.common) + " worktree add "
	if branch != "" {
		git += phrase.Quote(dir) + " " + phrase.Quote(branch)
	} else {
		git += "--detach " + phrase.Quote(dir) + " " + p.Commit
	}
	if p.Tree == "" {
		return []string{git}
	}
	from, ref := t.k.cfg.Work.Trees().KeptRef(p.Project, p.Salvage, "tree")
	return []string{git, fmt.Sprintf("git --git-dir=%s archive %s | tar -x -C %s", phrase.Quote(from), ref, phrase.Quote(dir))}
}

// contains are directories that no work tree is removed with.
func (t *scene) contains(l tree.Linked) (out []wire.TreeHeld) {
	if l.Main || l.Path == "" {
		return nil
	}
	for _, path := range []string{t.common, t.k.cfg.State, t.k.cfg.Home} {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && (real == l.Path || strings.HasPrefix(real, l.Path+"/")) {
			out = append(out, wire.TreeHeld{Why: wire.HoldContains, What: path})
		}
	}
	return out
}
