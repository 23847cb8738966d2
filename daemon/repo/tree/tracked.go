package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tracked says where the user's repository has something at a path of the work tree, or
// below it: in its index, or in a commit that HEAD leads to. It is empty where nothing
// was found; a history that cannot be read tells of none.
func (r *Repo) Tracked(ctx context.Context, path string) (where string, err error) {
	gd, err := gitDirOf(r.ws.Path)
	if err = r.goneOr(err); err != nil {
		return "", err
	}
	if found, err := r.indexed(ctx, gd, path); err != nil || len(found) > 0 {
		return "the index", err
	}
	head, _, err := gd.head()
	if err != nil || head == "" {
		return "", err
	}
	out, err := r.run(ctx, call{args: []string{"rev-list", "--max-count=1", head, "--", path}, objects: gd.objects(), tree: true})
	if err != nil {
		return "", ctx.Err()
	}
	if id := strings.TrimSpace(string(out)); id != "" {
		return "commit " + short(id), nil
	}
	return "", nil
}

// Indexed are those of the paths that the user's index has.
func (r *Repo) Indexed(ctx context.Context, paths []string) ([]string, error) {
	gd, err := gitDirOf(r.ws.Path)
	if err = r.goneOr(err); err != nil || len(paths) == 0 {
		return nil, err
	}
	all, err := r.indexed(ctx, gd)
	return slices.DeleteFunc(all, func(name string) bool { return !slices.Contains(paths, name) }), err
}

// indexed lists what a copy of the user's index has at paths, or all of it.
func (r *Repo) indexed(ctx context.Context, gd gitDir, paths ...string) ([]string, error) {
	text, err := readRegular(filepath.Join(gd.dir, "index"), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(r.dir, "tracked-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	index := filepath.Join(work, "index")
	if err := os.WriteFile(index, text, 0o600); err != nil {
		return nil, err
	}
	defer r.borrowSharedIndex(gd)()
	out, err := r.run(ctx, call{args: append([]string{"ls-files", "-z", "-c", "--"}, paths...), index: index, tree: true})
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), nil
}
