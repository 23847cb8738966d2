package tree

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"

	"autopilot/events"
)

// CheckedOut says what Checkout wrote.
type CheckedOut struct {
	Files  int
	Absent []string // large files, and what cannot be read: their content is not recorded
}

// Checkout writes a recorded tree into a directory that does not exist, or is
// empty: files as they were on disk, programs among them and links as such. It
// never writes outside of that directory. After an error, what is there is a part.
func (r *Repo) Checkout(ctx context.Context, t events.Tree, dir string) (CheckedOut, error) {
	list, absent, err := r.contents(ctx, t)
	if err != nil {
		return CheckedOut{}, fmt.Errorf("check out %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return CheckedOut{}, fmt.Errorf("check out: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return CheckedOut{}, fmt.Errorf("check out: %w", err)
	}
	defer root.Close()
	c := &checkingOut{root: root, dirs: map[string]bool{".": true}}
	if err := r.eachContent(ctx, list, c.write); err != nil {
		return CheckedOut{}, fmt.Errorf("check out %s: %w", dir, err)
	}
	return CheckedOut{Files: len(list), Absent: absent}, nil
}

// contents lists a tree: what has content as additions, and the rest.
func (r *Repo) contents(ctx context.Context, t events.Tree) (list []Change, absent []string, err error) {
	listed, err := r.listed(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range listed {
		if e.mode == modeLink {
			if list, absent, err = r.addNested(ctx, list, absent, e.path, e.id); err != nil {
				return nil, nil, err
			}
			continue
		}
		list = append(list, Change{Path: e.path, Status: Added, NewMode: e.mode, NewID: e.id})
	}
	return list, absent, nil
}

// checkingOut is one Checkout.
type checkingOut struct {
	root *os.Root
	dirs map[string]bool // that are there
}

func (c *checkingOut) write(to Change, text io.Reader) error {
	if err := c.makeDir(path.Dir(to.Path)); err != nil {
		return err
	}
	return create(c.root, to.Path, to.NewMode, nil, text)
}

func (c *checkingOut) makeDir(dir string) error {
	if c.dirs[dir] {
		return nil
	}
	if err := c.makeDir(path.Dir(dir)); err != nil {
		return err
	}
	if err := c.root.Mkdir(dir, 0o777); err != nil {
		return err
	}
	c.dirs[dir] = true
	return nil
}
