package ctl

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/ctl/worktree"
	"autopilot/events/wire"
	"autopilot/projections/slug"
)

// treeOptions are what was typed about a work tree of its own.
type treeOptions struct {
	wanted       bool
	branch, base string
	typed        func(flag string) bool
}

// treeFlags are those of a command that makes one.
func treeFlags(cmd *cobra.Command, o *treeOptions, help string) {
	f := cmd.Flags()
	f.BoolVarP(&o.wanted, "worktree", "w", false, help)
	f.StringVar(&o.branch, "branch", "", "with --worktree: the `NAME` of the branch; it may exist already")
	f.StringVar(&o.base, "base", "", "with --worktree: start of the new branch, `head` or origin")
	_ = cmd.RegisterFlagCompletionFunc("base", cobra.FixedCompletions([]cobra.Completion{string(wire.WorktreeHead), string(wire.WorktreeOrigin)}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("branch", cobra.NoFileCompletions)
}

// check refuses what excludes each other. A branch or a base asks for a work tree.
func (o *treeOptions) check(typed func(flag string) bool) error {
	o.typed = typed
	for _, flag := range []string{"branch", "base"} {
		switch {
		case !typed(flag):
		case typed("worktree") && !o.wanted:
			return render.Exclusive("--worktree=false", "--"+flag)
		default:
			o.wanted = true
		}
	}
	if typed("base") && o.base != string(wire.WorktreeHead) && o.base != string(wire.WorktreeOrigin) {
		return render.BadBase(o.base)
	}
	if typed("branch") && o.branch == "" {
		return render.NoWorktree(&worktree.NameError{Why: "it is empty"}, "", render.WithoutWorktree)
	}
	return nil
}

// settingsOf fetches the settings of work trees from the daemon.
type settingsOf func(context.Context, wire.WorktreeRequest, *wire.WorktreeSettings) error

// overOwn is settingsOf over a connection of its own.
func (a *app) overOwn(ctx context.Context, q wire.WorktreeRequest, s *wire.WorktreeSettings) error {
	return ask(ctx, a, wire.WorktreeAsk, q, s)
}

// treeSettings are the settings of work trees that are made from a directory.
func (a *app) treeSettings(ctx context.Context, fetch settingsOf, q wire.WorktreeRequest) (s wire.WorktreeSettings, err error) {
	err = a.trusting(ctx, q.Directory, func() error { return fetch(ctx, q, &s) })
	return s, err
}

// planTree says which work tree would be made from a directory. It changes nothing.
// hint is what to do where there can be none.
func (a *app) planTree(ctx context.Context, o treeOptions, s wire.WorktreeSettings, q worktree.Ask, hint string) (worktree.Plan, error) {
	q.Branch, q.Base, q.Strict = o.branch, s.Base, o.base != ""
	if o.base != "" {
		q.Base = wire.WorktreeBase(o.base)
	}
	if q.Name == "" && q.Branch == "" {
		return worktree.Plan{}, render.NoSessionTree()
	}
	q.Root, q.Seed = s.Root, s.Seed
	if below, ok := strings.CutPrefix(q.Root, "~/"); ok {
		home := a.getenv("HOME")
		if home == "" {
			return worktree.Plan{}, render.NoWorktree(errors.New("worktree_root is below the home directory, and HOME is not set"), q.Dir, hint)
		}
		q.Root = filepath.Join(home, below)
	}
	p, err := worktree.Prepare(ctx, a.Environ, q)
	if err != nil {
		return p, render.NoWorktree(err, q.Dir, hint)
	}
	if !a.json {
		a.note(a.style(a.Err).Worktree(p))
	}
	return p, nil
}

// makeTree makes what was planned. What it answers has no next commands yet.
func (a *app) makeTree(ctx context.Context, p worktree.Plan, hint string) (wire.WorktreeView, error) {
	copied, left, err := worktree.Make(ctx, a.Environ, p)
	if err != nil {
		return wire.WorktreeView{}, render.NoWorktree(err, p.From, hint)
	}
	if !a.json {
		a.note(render.WorktreeLeft(left))
	}
	v := wire.WorktreeView{
		Directory: p.Dir, Branch: p.Branch, From: p.From, Base: p.Base, Commit: p.Commit, There: p.Kind == worktree.OldTree,
		Unpushed: p.Unpushed, Missing: p.Missing, Uncommitted: p.Uncommitted, Submodules: p.Submodules,
		Copied: append([]string{}, copied...), Left: []wire.WorktreeLeft{}, Next: []wire.NextCommand{},
	}
	for _, l := range slices.Concat(p.Left, left) {
		v.Left = append(v.Left, wire.WorktreeLeft{Path: l.Path, Why: l.Why})
	}
	return v, nil
}

// placeRun gives a run a work tree of its own if that was asked for: nil if
// not. A dry run only plans it.
func (a *app) placeRun(ctx context.Context, fetch settingsOf, o *runOptions, req *wire.StartRequest) (*worktree.Plan, error) {
	if o.tree.typed("worktree") && !o.tree.wanted {
		return nil, nil
	}
	s, err := a.treeSettings(ctx, fetch, wire.WorktreeRequest{Directory: req.Spec.Workspace, NoConfig: o.noConfig})
	if err != nil || !o.tree.wanted && !s.Wanted {
		return nil, err
	}
	p, err := a.planTree(ctx, o.tree, s, worktree.Ask{Dir: req.Spec.Workspace, Name: slug.Of(o.task, slug.Branch), Again: o.again}, render.WithoutWorktree)
	if err != nil || o.dryRun {
		return &p, err
	}
	if _, err := a.makeTree(ctx, p, render.WithoutWorktree); err != nil {
		return nil, err
	}
	if p.Dir != p.From {
		req.Spec.Workspace, req.Spec.Branch, req.Spec.From = p.Dir, p.Branch, p.From
	}
	return &p, nil
}

// dropTree takes a work tree away that was made for what never began.
func (a *app) dropTree(ctx context.Context, p worktree.Plan) {
	if err := worktree.Drop(ctx, a.Environ, p); err != nil {
		a.note(render.WorktreeStays(p.Dir, err))
	}
}
