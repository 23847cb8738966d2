package ctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/projections/marker"
)

// branchRoot is what the branches of runs begin with.
const branchRoot = "autopilot"

// userGit runs the user's own git, as the user would by hand. Hooks are left
// out: an agent of an earlier run may have written one.
type userGit struct {
	dir     string
	environ []string
}

func (g userGit) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir, cmd.Env = g.dir, marker.WithoutRepository(g.environ)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if said := strings.TrimSpace(errs.String()); err != nil && said != "" {
		err = errors.New(said)
	}
	return strings.TrimSpace(out.String()), err
}

func (g userGit) count(ctx context.Context, args ...string) int {
	out, err := g.run(ctx, args...)
	n, _ := strconv.Atoi(out)
	if err != nil {
		return 0
	}
	return n
}

// hasBranch says whether there is a branch of that name, or, unless exact, one
// below it: both are in the way of a new one.
func (g userGit) hasBranch(ctx context.Context, name string, exact bool) bool {
	ref := "refs/heads/" + name
	if exact {
		_, err := g.run(ctx, "rev-parse", "--verify", "--quiet", ref)
		return err == nil
	}
	found, err := g.run(ctx, "for-each-ref", "--count=1", "--format=x", ref)
	return err != nil || found != ""
}

// planWorktree says where a run of that task in that workspace would work, and
// what it would begin from. It changes nothing.
func (a *app) planWorktree(ctx context.Context, workspace, task string) (render.Worktree, error) {
	g := userGit{workspace, a.Environ}
	top, err := g.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return render.Worktree{}, render.NoWorktree(workspace, err)
	}
	g.dir = top
	commit, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return render.Worktree{}, render.NoCommit(top)
	}
	w := render.Worktree{From: top, Commit: commit}
	w.Base, _ = g.run(ctx, "symbolic-ref", "--short", "--quiet", "HEAD") // none is a detached HEAD
	if remotes, _ := g.run(ctx, "remote"); remotes != "" {
		w.Unpushed = g.count(ctx, "rev-list", "--count", "HEAD", "--not", "--remotes")
	}
	status, err := g.run(ctx, "status", "--porcelain")
	if err != nil {
		return w, render.NoWorktree(workspace, err)
	}
	if status != "" {
		w.Uncommitted = strings.Count(status, "\n") + 1
	}
	w.Branch, w.Dir, err = freeWorktree(ctx, g, slug(task))
	return w, err
}

// maxWorktrees bounds the search for a name that is free.
const maxWorktrees = 1000

// freeWorktree finds a name that neither a branch nor a directory has.
func freeWorktree(ctx context.Context, g userGit, name string) (branch, dir string, err error) {
	prefix := branchRoot + "/"
	if g.hasBranch(ctx, branchRoot, true) {
		prefix = branchRoot + "-" // git has no branch below another one
	}
	for n := 1; n <= maxWorktrees; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		branch, dir = prefix+try, filepath.Join(filepath.Dir(g.dir), filepath.Base(g.dir)+"-"+try)
		_, derr := os.Lstat(dir)
		if !g.hasBranch(ctx, branch, false) && errors.Is(derr, os.ErrNotExist) {
			return branch, dir, nil
		}
	}
	return "", "", render.NoWorktree(g.dir, fmt.Errorf("%d work trees named %s-%s are there already", maxWorktrees, filepath.Base(g.dir), name))
}

// maxSlug bounds the part of a name that comes from a task, in bytes.
const maxSlug = 32

// slug makes the part of a branch name out of the first words of a task.
func slug(task string) string {
	words := strings.FieldsFunc(strings.ToLower(task), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	name := ""
	for _, w := range words {
		if name == "" {
			name = w[:min(len(w), maxSlug)]
			continue
		}
		if len(name)+1+len(w) > maxSlug {
			break
		}
		name += "-" + w
	}
	if name == "" {
		return "run"
	}
	return name
}

// placeRun gives a run a work tree of its own if that was asked for: nil if
// not. A dry run only plans it.
func (a *app) placeRun(ctx context.Context, d Daemon, o *runOptions, typed bool, req *wire.StartRequest) (*render.Worktree, error) {
	if wants, err := a.wantsWorktree(ctx, d, o, typed, *req); err != nil || !wants {
		return nil, err
	}
	w, err := a.planWorktree(ctx, req.Spec.Workspace, o.task)
	if err != nil {
		return nil, err
	}
	if !a.json {
		a.note(a.style(a.Err).Worktree(w))
	}
	if o.dryRun {
		return &w, nil
	}
	if err := a.addWorktree(ctx, w); err != nil {
		return nil, render.NoWorktree(w.From, err)
	}
	req.Spec.Workspace, req.Spec.Branch, req.Spec.From = w.Dir, w.Branch, w.From
	return &w, nil
}

// addWorktree makes branch and work tree. The branch comes first, so that it is
// known to be ours where the work tree fails, and is not left behind.
func (a *app) addWorktree(ctx context.Context, w render.Worktree) error {
	g := userGit{w.From, a.Environ}
	if _, err := g.run(ctx, "branch", "--no-track", w.Branch, w.Commit); err != nil {
		return err
	}
	_, err := g.run(ctx, "worktree", "add", "--quiet", w.Dir, w.Branch)
	if err == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	_, _ = g.run(ctx, "worktree", "remove", "--force", w.Dir) // mostly git did; not if it was interrupted
	_, berr := g.run(ctx, "branch", "--quiet", "-D", w.Branch)
	return errors.Join(err, berr)
}

// dropWorktree takes a work tree away whose run never began.
func (a *app) dropWorktree(ctx context.Context, w render.Worktree) {
	g := userGit{w.From, a.Environ}
	ctx = context.WithoutCancel(ctx)
	_, terr := g.run(ctx, "worktree", "remove", "--force", w.Dir)
	_, berr := g.run(ctx, "branch", "--quiet", "-D", w.Branch)
	if err := errors.Join(terr, berr); err != nil {
		a.note(render.WorktreeStays(w, err))
	}
}

// wantsWorktree says whether a run shall have a work tree of its own: by the
// flag, else by the settings.
func (a *app) wantsWorktree(ctx context.Context, d Daemon, o *runOptions, typed bool, req wire.StartRequest) (bool, error) {
	if typed || o.noConfig {
		return o.worktree, nil
	}
	var v wire.ConfigView
	if err := d.Call(ctx, wire.ConfigShow, wire.ConfigRequest{Workspace: req.Spec.Workspace, Settings: req.Settings}, &v); err != nil {
		return false, err
	}
	for _, s := range v.Values {
		if s.Key == "worktree" {
			return s.Value == "true", nil
		}
	}
	return false, nil
}
