package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	if found, err := r.indexed(ctx, gd, path); err != nil || found {
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

// indexed looks into a copy of the user's index.
func (r *Repo) indexed(ctx context.Context, gd gitDir, path string) (bool, error) {
	text, err := readRegular(filepath.Join(gd.dir, "index"), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp(r.dir, "tracked-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	index := filepath.Join(work, "index")
	if err := os.WriteFile(index, text, 0o600); err != nil {
		return false, err
	}
	defer r.borrowSharedIndex(gd)()
	out, err := r.run(ctx, call{args: []string{"ls-files", "-z", "-c", "--", path}, index: index, tree: true})
	return len(out) > 0, err
}
