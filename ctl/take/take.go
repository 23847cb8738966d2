// Package take brings finished work into a work tree of the user, by the user's own git
// and gh: hooks, signing and settings of the user apply.
//
// It promises: a commit has the named files and no others, and what else is changed or
// staged stays so; nothing is forced; a branch only goes forward; each program ends in
// bounded time, but for git commit, whose hooks and signing may ask a person.
package take

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"autopilot/projections/marker"
)

// ErrNothing says that all of the work is committed.
var ErrNothing = errors.New("all of it is committed already")

// Bounds of programs that talk to a host.
const (
	pushWithin = 2 * time.Minute
	ghWithin   = 30 * time.Second
	grace      = 5 * time.Second
	maxSaid    = 600
)

// Git is the user's git in a work tree.
type Git struct {
	Dir     string
	Environ []string
}

func (g Git) run(ctx context.Context, stdin string, argv ...string) (string, error) {
	program, err := g.look(argv[0])
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Dir, cmd.Env = g.Dir, append(marker.WithoutRepository(g.Environ), "GIT_LITERAL_PATHSPECS=1")
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, grace
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	switch said := strings.TrimSpace(errs.String()); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("%s %s took too long and was ended", argv[0], argv[1])
	case err != nil && said != "":
		err = errors.New(said[:min(len(said), maxSaid)])
	}
	return out.String(), err
}

// look finds a program on the PATH of the environment.
func (g Git) look(name string) (string, error) {
	for _, entry := range slices.Backward(g.Environ) {
		list, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return path, nil
			}
		}
		break
	}
	return "", fmt.Errorf("%s is not installed", name)
}

func (g Git) git(ctx context.Context, args ...string) (string, error) {
	out, err := g.run(ctx, "", append([]string{"git"}, args...)...)
	return strings.TrimSpace(out), err
}

// Commit commits the files that it is given, those that are gone among them, and returns
// the commit. It is ErrNothing where they are as in HEAD.
func (g Git) Commit(ctx context.Context, paths []string, message string) (string, error) {
	add, all, err := g.pending(ctx, paths)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", ErrNothing
	}
	if len(add) > 0 {
		if _, err := g.run(ctx, strings.Join(add, "\x00"), "git", "add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return "", err
		}
	}
	if _, err := g.run(ctx, strings.Join(all, "\x00"), "git", "commit", "-q", "-m", message, "--only", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
		return "", err
	}
	return g.git(ctx, "rev-parse", "HEAD")
}

// pending are those of some files that HEAD has otherwise, and those of them that the index
// has to learn first.
func (g Git) pending(ctx context.Context, paths []string) (add, all []string, err error) {
	out, err := g.run(ctx, "", "git", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		if len(line) < 4 || !slices.Contains(paths, line[3:]) {
			continue
		}
		all = append(all, line[3:])
		if line[:2] != "D " { // that is gone from the index too
			add = append(add, line[3:])
		}
	}
	return add, all, nil
}

// Differs lists those of some files that are other than in HEAD.
func (g Git) Differs(ctx context.Context, paths []string) ([]string, error) {
	_, all, err := g.pending(ctx, paths)
	return all, err
}

// Forward brings a branch that is checked out forward to a ref, and drops the ref.
func (g Git) Forward(ctx context.Context, branch, ref string) error {
	dir, err := g.of(ctx, branch)
	if err != nil {
		return err
	}
	in := Git{dir, g.Environ}
	if _, err := in.git(ctx, "merge", "--quiet", "--ff-only", ref); err != nil {
		return err
	}
	_, err = in.git(ctx, "update-ref", "-d", ref)
	return err
}

// of is the work tree that has a branch checked out.
func (g Git) of(ctx context.Context, branch string) (string, error) {
	out, err := g.git(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return "", err
	}
	dir := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if path, ok := strings.CutPrefix(line, "worktree "); ok {
			dir = path
		}
		if line == "branch refs/heads/"+branch {
			if _, err := os.Stat(dir); err == nil {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("branch %s is not checked out any more", branch)
}

// PullRequest pushes a branch and opens a draft of it, or finds the one that is open. It
// returns its address.
func (g Git) PullRequest(ctx context.Context, branch, title, body string) (string, error) {
	remote, err := g.remote(ctx)
	if err != nil {
		return "", err
	}
	push, cancel := context.WithTimeout(ctx, pushWithin)
	defer cancel()
	if _, err := g.git(push, "push", "--quiet", remote, "refs/heads/"+branch+":refs/heads/"+branch); err != nil {
		return "", err
	}
	if link, err := g.gh(ctx, "", "pr", "view", branch, "--json", "url", "--jq", ".url"); err == nil && strings.HasPrefix(link, "https://") {
		return link, nil
	}
	out, err := g.gh(ctx, body, "pr", "create", "--draft", "--head", branch, "--title", title, "--body-file", "-")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if link := strings.TrimSpace(line); strings.HasPrefix(link, "https://") && strings.Contains(link, "/pull/") {
			return link, nil
		}
	}
	return "", fmt.Errorf("gh pr create names no pull request: %.200q", out)
}

func (g Git) gh(ctx context.Context, stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ghWithin)
	defer cancel()
	asks := Git{g.Dir, append(slices.Clone(g.Environ), "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1")}
	out, err := asks.run(ctx, stdin, append([]string{"gh"}, args...)...)
	return strings.TrimSpace(out), err
}

// remote is origin, else the only one.
func (g Git) remote(ctx context.Context) (string, error) {
	out, err := g.git(ctx, "remote")
	if err != nil {
		return "", err
	}
	list := strings.Fields(out)
	switch {
	case slices.Contains(list, "origin"):
		return "origin", nil
	case len(list) == 1:
		return list[0], nil
	case len(list) == 0:
		return "", errors.New("the repository has no remote to push to")
	}
	return "", fmt.Errorf("the repository has several remotes, and none is origin: %s", strings.Join(list, ", "))
}
