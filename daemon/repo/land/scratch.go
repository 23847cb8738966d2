package land

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/tree"
)

// Scratch is a repository of the daemon's own, with a work tree, that borrows the objects
// of a repository of the user.
type Scratch struct {
	Top  string // of the work tree
	from commit.Git
	own  commit.Git
}

// Make makes a Scratch beside the repository of a work tree. An empty directory may be
// there.
func Make(ctx context.Context, top string, ws tree.Workspace) (*Scratch, error) {
	s, common, err := open(top, ws)
	if err != nil {
		return nil, err
	}
	format, err := s.from.Run(ctx, nil, "rev-parse", "--show-object-format")
	if err != nil {
		return nil, err
	}
	idLen := 40
	if strings.TrimSpace(string(format)) == "sha256" {
		idLen = 64
	}
	return s, commit.BorrowTree(ctx, top, filepath.Join(common, "objects"), idLen)
}

// Open finds a Scratch that Make has made.
func Open(top string, ws tree.Workspace) (*Scratch, error) {
	s, _, err := open(top, ws)
	if err == nil {
		_, err = os.Stat(s.own.Dir)
	}
	return s, err
}

func open(top string, ws tree.Workspace) (*Scratch, string, error) {
	common, err := ws.Common()
	if err != nil {
		return nil, "", err
	}
	own := commit.Git{Dir: filepath.Join(top, ".git"), Env: []string{"GIT_WORK_TREE=" + top}}
	return &Scratch{Top: top, from: commit.Git{Dir: common}, own: own}, common, nil
}

// Tip is the commit of a local branch of the user's repository; empty if there is none.
func (s *Scratch) Tip(ctx context.Context, branch string) (string, error) {
	return s.ref(ctx, commit.BranchRoot+branch)
}

// Resolve finds the commit of a branch, or of what else git knows as one.
func (s *Scratch) Resolve(ctx context.Context, name string) (string, error) {
	if id, err := s.Tip(ctx, name); err != nil || id != "" {
		return id, err
	}
	id, err := s.from.ID(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if exits(err, 1, 128) {
		return "", fmt.Errorf("%w: %.200q", ErrNoTarget, name)
	}
	return id, err
}

// CheckBranch refuses what is no name of a branch.
func (s *Scratch) CheckBranch(ctx context.Context, name string) error {
	_, err := s.from.Run(ctx, nil, "check-ref-format", commit.BranchRoot+name)
	if exits(err, 1) || strings.HasPrefix(name, "-") || name == "HEAD" {
		return fmt.Errorf("%.200q is no name of a branch", name)
	}
	return err
}

func (s *Scratch) ref(ctx context.Context, ref string) (string, error) {
	id, err := s.from.ID(ctx, nil, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if exits(err, 1) {
		return "", nil
	}
	return id, err
}

// Lay makes the work tree the files of a commit, and HEAD that commit.
func (s *Scratch) Lay(ctx context.Context, id string) error {
	if _, err := s.own.Run(ctx, nil, "update-ref", "--no-deref", "HEAD", id); err != nil {
		return err
	}
	_, err := s.own.Run(ctx, nil, "reset", "--quiet", "--hard", id)
	return err
}

// Command is the shell command that lays a commit from within the work tree, and removes
// what is no part of it.
func Command(id string) string {
	const git = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.autocrlf=false -c advice.detachedHead=false "
	return "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_ATTR_NOSYSTEM=1 GIT_NO_LAZY_FETCH=1\n" +
		"unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS\n" +
		git + "reset --quiet --hard " + id + " && " + git + "clean -ffdxq"
}

// Whole says whether the work tree is exactly the files of a commit, and HEAD that commit.
// Files that git does not know are not looked at.
func (s *Scratch) Whole(ctx context.Context, id string) (bool, error) {
	head, err := s.own.ID(ctx, nil, "rev-parse", "HEAD")
	if err != nil || head != id {
		return false, err
	}
	_, _ = s.own.Run(ctx, nil, "update-index", "-q", "--really-refresh") // what differs is found below
	for _, args := range [][]string{{"diff-index", "--cached", "--quiet", id, "--"}, {"diff-files", "--quiet"}} {
		if _, err := s.own.Run(ctx, nil, args...); exits(err, 1) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}
