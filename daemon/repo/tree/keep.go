package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autopilot/events"
)

// Keep makes a commit of a tree and names it refs/autopilot/<run>/<k>, so that
// it can be found again and is never garbage. The parent is a commit that Keep
// returned before; empty is none. Keeping the same k again replaces it.
func (r *Repo) Keep(ctx context.Context, run, k string, t events.Tree, parent, message string) (commit string, err error) {
	ref, err := refName(run, k)
	if err != nil {
		return "", fmt.Errorf("keep tree: %w", err)
	}
	if err := treeOK(t); err != nil {
		return "", fmt.Errorf("keep %s: %w", ref, err)
	}
	if parent != "" && !idOK(parent) {
		return "", fmt.Errorf("keep %s: bad parent %.80q", ref, parent)
	}
	if commit, err = r.commit(ctx, t, parent, message); err != nil {
		return "", fmt.Errorf("keep %s: %w", ref, err)
	}
	if err := r.setRef(ref, commit); err != nil {
		return "", fmt.Errorf("keep %s: %w", ref, err)
	}
	return commit, nil
}

// setRef names a commit as git update-ref would, without a process for it. Refs
// here are files that nobody else writes and nothing packs.
func (r *Repo) setRef(ref, commit string) error {
	path := filepath.Join(r.dir, ref)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return r.writeFile(path, []byte(commit+"\n"))
}

// Kept returns the commit and the tree that were kept as k of a run, or
// ErrNotFound.
func (r *Repo) Kept(ctx context.Context, run, k string) (commit string, t events.Tree, err error) {
	ref, err := refName(run, k)
	if err != nil {
		return "", "", fmt.Errorf("find kept tree: %w", err)
	}
	out, err := r.run(ctx, call{args: []string{"for-each-ref", "--format=%(objectname) %(tree)", ref}})
	if err != nil {
		return "", "", fmt.Errorf("find %s: %w", ref, err)
	}
	commit, id, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !ok || !idOK(commit) || !idOK(id) {
		return "", "", fmt.Errorf("find %s: %w", ref, ErrNotFound)
	}
	return commit, events.Tree(id), nil
}

func refName(run, k string) (string, error) {
	if !nameOK(run) || !nameOK(k) {
		return "", fmt.Errorf("bad run %.80q or iteration %.80q", run, k)
	}
	return "refs/autopilot/" + run + "/" + k, nil
}

// Head is where the user's repository stands.
type Head struct {
	Commit string      // empty before the first commit
	Ref    string      // full name of the branch, empty if detached
	Tree   events.Tree // of Commit
	Dirty  bool        // the recorded tree has other bytes than Commit
}

// Head reads where the user's repository stands and compares it with a
// recorded tree. Refs are read from files, and objects by our git: none of
// theirs runs. Where filters or line endings convert files, a clean work tree
// counts as dirty, as its bytes are others than those of the commit.
func (r *Repo) Head(ctx context.Context, recorded events.Tree) (Head, error) {
	if err := treeOK(recorded); err != nil {
		return Head{}, fmt.Errorf("read HEAD: %w", err)
	}
	gd, err := gitDirOf(r.ws.Path)
	if err != nil {
		return Head{}, fmt.Errorf("read HEAD of %s: %w", r.ws.Path, r.goneOr(err))
	}
	var h Head
	if h.Commit, h.Ref, err = gd.head(); err != nil {
		return Head{}, fmt.Errorf("read HEAD of %s: %w", r.ws.Path, err)
	}
	if h.Commit == "" {
		h.Dirty = recorded != r.emptyTree()
		return h, nil
	}
	if len(h.Commit) != r.idLen {
		return Head{}, fmt.Errorf("read HEAD of %s: %w", r.ws.Path, errors.New("its object format has changed"))
	}
	id, err := r.oid(ctx, call{
		args:    []string{"rev-parse", "--verify", h.Commit + "^{tree}"},
		objects: filepath.Join(gd.common, "objects"),
	})
	if err != nil {
		return Head{}, fmt.Errorf("read HEAD of %s: %w", r.ws.Path, err)
	}
	h.Tree = events.Tree(id)
	h.Dirty = h.Tree != recorded
	return h, nil
}
