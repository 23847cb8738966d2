package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Layer writes into an empty directory what has to lie over the work tree, as an
// overlay of Linux does it, so that recorded files are seen as in another tree: what
// that has otherwise, and a device 0:0 for each file that it has not. Changes are from
// the work tree to it; those of large files, and of HEAD of nested repositories, are left out.
// Directories get the modes that they have in the work tree.
func (r *Repo) Layer(ctx context.Context, changes []Change, dir string) error {
	changes, err := r.unfold(ctx, changes, true)
	if err != nil {
		return fmt.Errorf("write a layer: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write a layer: %w", err)
	}
	defer root.Close()
	l := &layering{checkingOut: checkingOut{root: root, dirs: map[string]bool{}}, below: r.ws.Path, files: map[string]bool{}}
	if err := l.makeDir("."); err != nil {
		return fmt.Errorf("write a layer: %w", err)
	}
	var texts []Change
	for _, c := range changes {
		if c.OldMode == modeLink || c.NewMode == modeLink {
			continue
		}
		if c.Status != Deleted {
			texts, l.files[c.Path] = append(texts, c), true
		}
	}
	if err := r.eachContent(ctx, texts, l.write); err != nil {
		return fmt.Errorf("write a layer: %w", err)
	}
	for _, c := range changes {
		if c.Status != Deleted || c.OldMode == modeLink {
			continue
		}
		if err := l.takeAway(c.Path); err != nil {
			return fmt.Errorf("write a layer: take away %q: %w", c.Path, err)
		}
	}
	return nil
}

// layering is one Layer.
type layering struct {
	checkingOut
	below string          // the work tree
	files map[string]bool // that the layer has
}

func (l *layering) write(to Change, text io.Reader) error {
	if err := l.makeDir(path.Dir(to.Path)); err != nil {
		return err
	}
	return create(l.root, to.Path, to.NewMode, nil, text)
}

// makeDir makes a directory with the mode of the one that it lies over.
func (l *layering) makeDir(dir string) error {
	if l.dirs[dir] {
		return nil
	}
	if dir != "." {
		if err := l.makeDir(path.Dir(dir)); err != nil {
			return err
		}
		if err := l.root.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o755)
	if info, err := os.Lstat(filepath.Join(l.below, dir)); err == nil && info.IsDir() {
		mode = info.Mode().Perm() | 0o700 // it may be shut, and has to be filled
	}
	l.dirs[dir] = true
	return l.root.Chmod(dir, mode)
}

// takeAway hides a file, unless the layer has a file where one of its folders was, or
// a folder in its place.
func (l *layering) takeAway(name string) error {
	if l.dirs[name] {
		return nil
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if l.files[dir] {
			return nil
		}
	}
	if err := l.makeDir(path.Dir(name)); err != nil {
		return err
	}
	parent, err := l.root.Open(path.Dir(name))
	if err != nil {
		return err
	}
	defer parent.Close()
	err = whiteOut(parent, path.Base(name))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
