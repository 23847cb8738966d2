package tree

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Head is where HEAD of the work tree is, by files alone: a commit, empty before the
// first, and the full name of a branch, empty off one.
func (w Workspace) Head() (commit, ref string, err error) {
	gd, err := gitDirOf(w.Path)
	if err == nil {
		commit, ref, err = gd.head()
	}
	if err != nil {
		return "", "", fmt.Errorf("read HEAD of %s: %w", w.Path, err)
	}
	return commit, ref, nil
}

// GitDir is the folder of the repository that only this work tree has: its HEAD and
// its index are there.
func (w Workspace) GitDir() (string, error) {
	gd, err := gitDirOf(w.Path)
	if err != nil {
		return "", fmt.Errorf("find the repository of %s: %w", w.Path, err)
	}
	return gd.dir, nil
}

// LeadsOn says that the history of the workspace leads from one commit to another.
// What it cannot know, as of a clone that is cut off, is an error.
func (r *Repo) LeadsOn(ctx context.Context, from, to string) (bool, error) {
	if !idOK(from) || !idOK(to) || len(from) != r.idLen || len(to) != r.idLen {
		return false, errors.New("compare commits: the format of commits has changed")
	}
	gd, err := gitDirOf(r.ws.Path)
	if err != nil {
		return false, r.goneOr(err)
	}
	_, err = r.run(ctx, call{args: []string{"merge-base", "--is-ancestor", from, to}, objects: gd.objects()})
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	if err != nil {
		return false, theirs(ctx, err)
	}
	return true, nil
}

// ChangedAt is when a path of the work tree was changed in any way: of one that is
// not there, when something was changed in the nearest folder that is.
func (r *Repo) ChangedAt(path string) (time.Time, error) {
	at := filepath.Join(r.ws.Path, filepath.FromSlash(path))
	for gone := false; ; gone = true {
		var st unix.Stat_t
		err := unix.Lstat(at, &st)
		switch {
		case err == nil && gone:
			return time.Unix(st.Mtim.Unix()), nil
		case err == nil:
			return time.Unix(st.Ctim.Unix()), nil
		case !errors.Is(err, unix.ENOENT) && !errors.Is(err, errNotDir), at == r.ws.Path:
			return time.Time{}, fmt.Errorf("look when %s was changed: %w", path, err)
		}
		at = filepath.Dir(at)
	}
}
