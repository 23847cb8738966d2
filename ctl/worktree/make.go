package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Make makes what was planned, and copies what it needs. Where it fails nothing
// of it stays. What it answers are the files that it has copied, and those that
// it has not.
func Make(ctx context.Context, environ []string, p Plan) (copied []string, left []Left, err error) {
	if p.Kind == OldTree {
		return nil, nil, nil
	}
	if err := openPlace(p); err != nil {
		return nil, nil, err
	}
	g := git{p.From, environ}
	if p.Kind == Fresh { // the branch comes first: it is known to be ours where the work tree fails
		if _, err := g.run(ctx, "branch", "--no-track", p.Branch, p.Commit); err != nil {
			return nil, nil, err
		}
	}
	_, err = g.run(ctx, "worktree", "add", "--quiet", p.Dir, p.Branch)
	added := err == nil
	if added {
		err = p.landed(ctx, g)
	}
	switch {
	case err == nil:
	case added || p.Kind == Fresh:
		return nil, nil, errors.Join(err, Drop(ctx, environ, p))
	default: // a branch that was there, and which another may have checked out meanwhile
		return nil, nil, err
	}
	copied, left = p.fill(ctx, g.in(p.Dir))
	return copied, left, nil
}

// openPlace makes the directories above a work tree, through no link that leads
// out of the root.
func openPlace(p Plan) error {
	if err := os.MkdirAll(p.Root, 0o755); err != nil { //nolint:gosec // as the directories of the user's own work trees
		return &RootError{p.Root, err}
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return &RootError{p.Root, err}
	}
	defer func() { _ = root.Close() }()
	above, err := filepath.Rel(p.Root, filepath.Dir(p.Dir))
	if err == nil {
		err = root.MkdirAll(above, 0o755)
	}
	if err != nil {
		return &RootError{p.Root, err}
	}
	return p.inPlace()
}

// inPlace says that the directory is still where it was planned to be: no link
// has been put above it.
func (p Plan) inPlace() error {
	real, err := realPath(p.Dir)
	if err != nil {
		return &RootError{p.Dir, err}
	}
	if real != p.Dir {
		return &EscapeError{p.Dir, real, p.Root}
	}
	return nil
}

// landed looks where the work tree was made, as a link may have been put above it
// just before. Git stores the real path.
//
// Source: session-orchestrator, S34.
func (p Plan) landed(ctx context.Context, g git) error {
	dir, err := g.of(ctx, p.Branch)
	if err != nil {
		return err
	}
	if dir != p.Dir {
		return &EscapeError{p.Dir, dir, p.Root}
	}
	return p.inPlace()
}

// Drop takes away what Make has made of a plan: the work tree, wherever git has
// it, and the branch if that is new. It is found by its branch, as a directory of
// that name may be another's.
func Drop(ctx context.Context, environ []string, p Plan) error {
	if p.Kind == OldTree {
		return nil
	}
	g, ctx := git{p.From, environ}, context.WithoutCancel(ctx)
	dir, err := g.of(ctx, p.Branch)
	if err == nil && dir != "" {
		_, err = g.run(ctx, "worktree", "remove", "--force", dir)
	}
	if p.Kind == OldBranch {
		return err
	}
	_, berr := g.run(ctx, "branch", "--quiet", "-D", p.Branch)
	return errors.Join(err, berr)
}
