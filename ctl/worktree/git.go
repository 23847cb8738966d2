package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"autopilot/projections/marker"
)

// killAfter is how long a git that was told to end may take.
const killAfter = 10 * time.Second

// git is the user's own. Hooks are left out: an agent of an earlier run may have
// written one. Words go as arguments and through no shell (S39).
type git struct {
	dir     string
	environ []string
}

func (g git) in(dir string) git { return git{dir, g.environ} }

// run is what git prints, without white space around it. An error is what it says.
func (g git) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir, cmd.Env = g.dir, marker.WithoutRepository(g.environ)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, killAfter // git then takes away what it has half made
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if said := strings.TrimSpace(errs.String()); err != nil && said != "" {
		err = errors.New(said)
	}
	return strings.TrimSpace(out.String()), err
}

// count is a number that git prints, 0 where it has none.
func (g git) count(ctx context.Context, args ...string) int {
	out, err := g.run(ctx, args...)
	n, _ := strconv.Atoi(out)
	if err != nil {
		return 0
	}
	return n
}

// commit is the commit that a name is of, empty for none.
func (g git) commit(ctx context.Context, name string) string {
	out, err := g.run(ctx, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err != nil {
		return ""
	}
	return out
}

func branchRef(branch string) string { return "refs/heads/" + branch }

// besets says whether a branch of that name, or one below it, is in the way of a
// new one.
func (g git) besets(ctx context.Context, branch string) bool {
	found, err := g.run(ctx, "for-each-ref", "--count=1", "--format=x", branchRef(branch))
	return err != nil || found != ""
}

// uncommitted counts the files of a work tree that are in no commit.
func (g git) uncommitted(ctx context.Context) (int, error) {
	out, err := g.run(ctx, "status", "--porcelain")
	if err != nil || out == "" {
		return 0, err
	}
	return strings.Count(out, "\n") + 1, nil
}

// listed is a work tree as git lists it.
type listed struct {
	dir, branch string // the branch is empty where none is checked out
}

// list are the work trees of the repository, the main one first.
func (g git) list(ctx context.Context) ([]listed, error) {
	out, err := g.run(ctx, "worktree", "list", "--porcelain")
	var all []listed
	for line := range strings.Lines(out) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case word == "worktree":
			all = append(all, listed{dir: rest})
		case word == "branch" && len(all) > 0:
			all[len(all)-1].branch = strings.TrimPrefix(rest, "refs/heads/")
		}
	}
	return all, err
}

// of is the directory in which git has a branch checked out, empty for none.
func (g git) of(ctx context.Context, branch string) (string, error) {
	all, err := g.list(ctx)
	for _, t := range all {
		if t.branch == branch {
			return t.dir, err
		}
	}
	return "", err
}

// isTree says that a directory is the top of a work tree of this repository which
// has the branch checked out, whatever git has listed.
func (g git) isTree(ctx context.Context, dir, branch string) bool {
	there := g.in(dir)
	top, terr := there.run(ctx, "rev-parse", "--show-toplevel")
	head, herr := there.run(ctx, "symbolic-ref", "--quiet", "HEAD")
	return terr == nil && herr == nil && top == dir && head == branchRef(branch) && there.common(ctx) == g.common(ctx)
}

// common is the real path of the repository's own directory.
func (g git) common(ctx context.Context) string {
	dir, err := g.run(ctx, "rev-parse", "--git-common-dir")
	if err != nil {
		return ""
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(g.dir, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return real
}

// main is the work tree that names others: that of the repository itself, or where
// there is none of use (a bare repository, a submodule) this one.
func (g git) main(ctx context.Context) string {
	own, err := g.run(ctx, "rev-parse", "--absolute-git-dir")
	if err == nil {
		own, err = filepath.EvalSymlinks(own)
	}
	if err != nil || own == g.common(ctx) {
		return g.dir
	}
	all, err := g.list(ctx)
	if err != nil || len(all) == 0 {
		return g.dir
	}
	if top, err := g.in(all[0].dir).run(ctx, "rev-parse", "--show-toplevel"); err != nil || top != all[0].dir {
		return g.dir
	}
	return all[0].dir
}
