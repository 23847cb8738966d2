package tree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Objects of the workspace get into the daemon's repository by their content:
// git there packs those that are named, and ours unpacks them under the ids that
// their content has. So a file of the workspace's repository that holds
// something else than its name says leads to an object that is missing, and to
// nothing else.

func (gd gitDir) objects() string { return filepath.Join(gd.common, "objects") }

// copyTrees copies commits and all folders of them, without their parents and
// without contents of files.
func (r *Repo) copyTrees(ctx context.Context, gd gitDir, commits []string) error {
	ids, err := r.folders(ctx, commits, gd.objects())
	if err != nil {
		return err
	}
	if err := r.copyObjects(ctx, gd, ids); err != nil {
		return err
	}
	_, err = r.folders(ctx, commits, "") // in ours nothing is missing
	return err
}

func (r *Repo) folders(ctx context.Context, commits []string, objects string) ([]string, error) {
	if ids, ok := r.beside(objects).folders(commits); ok {
		return ids, nil
	}
	out, err := r.run(ctx, call{
		args:  []string{"rev-list", "--objects", "--filter=blob:none", "--no-walk", "--stdin"},
		stdin: listed(commits), objects: objects,
	})
	if err != nil {
		return nil, theirs(ctx, err)
	}
	var ids []string
	for line := range bytes.Lines(out) {
		if id, _, _ := strings.Cut(strings.TrimSpace(string(line)), " "); idOK(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Fill copies the contents of the files of a commit's tree, so that it can be
// checked out. A tree that git itself would not check out whole, or at all, is a
// HistoryError.
func (r *Repo) Fill(ctx context.Context, c Commit) error {
	ids, err := r.files(ctx, c)
	if err != nil {
		return err
	}
	gd, _, err := r.history()
	if err != nil {
		return err
	}
	return r.copyObjects(ctx, gd, ids)
}

// files are the ids of the contents of a commit's files.
func (r *Repo) files(ctx context.Context, c Commit) ([]string, error) {
	list, absent, err := r.contents(ctx, c.Tree)
	if err != nil {
		return nil, fmt.Errorf("list commit %s: %w", c.ID, err)
	}
	if len(absent) > 0 {
		return nil, &HistoryError{fmt.Sprintf("commit %s has other repositories in it, whose files are not part of it: %.200s", short(c.ID), strings.Join(absent, ", "))}
	}
	if bad, ok := plainNames(list); !ok {
		return nil, &HistoryError{fmt.Sprintf("commit %s has a file that cannot be checked out: %.200q", short(c.ID), bad)}
	}
	ids := make([]string, 0, len(list))
	for _, f := range list {
		ids = append(ids, f.NewID)
	}
	return ids, nil
}

// plainNames says whether every file could be there beside the others.
func plainNames(list []Change) (bad string, ok bool) {
	seen := map[string]bool{} // true is a folder
	for _, f := range list {
		for _, name := range strings.Split(f.Path, "/") {
			if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
				return f.Path, false
			}
		}
		if _, twice := seen[f.Path]; twice {
			return f.Path, false
		}
		seen[f.Path] = false
		for d := path.Dir(f.Path); d != "."; d = path.Dir(d) {
			folder, known := seen[d]
			if known && !folder {
				return f.Path, false
			}
			if known {
				break
			}
			seen[d] = true
		}
	}
	return "", true
}

// copyObjects copies those that ours lacks.
func (r *Repo) copyObjects(ctx context.Context, gd gitDir, ids []string) error {
	lacking, err := r.lacking(ctx, ids)
	if err != nil || len(lacking) == 0 {
		return err
	}
	if done, err := r.copyLoose(gd.objects(), lacking); err != nil {
		return fmt.Errorf("copy objects: %w", err)
	} else if done {
		return nil
	}
	pack, err := os.CreateTemp(filepath.Join(r.dir, "indexes"), tempPrefix)
	if err != nil {
		return fmt.Errorf("copy objects: %w", err)
	}
	defer os.Remove(pack.Name())
	defer pack.Close()
	_, err = r.run(ctx, call{
		args:  []string{"pack-objects", "--stdout", "-q", "--window=0"},
		stdin: listed(lacking), stdout: pack, objects: gd.objects(),
	})
	if err != nil {
		return theirs(ctx, err)
	}
	if _, err := pack.Seek(0, 0); err != nil {
		return fmt.Errorf("copy objects: %w", err)
	}
	if _, err := r.run(ctx, call{args: []string{"unpack-objects", "-q"}, stdin: pack}); err != nil {
		return theirs(ctx, err)
	}
	if lacking, err = r.lacking(ctx, lacking); err == nil && len(lacking) > 0 {
		return &HistoryError{fmt.Sprintf("object %s in it is not what its id says", short(lacking[0]))}
	}
	return err
}

// lacking are the ids of which ours has no object.
func (r *Repo) lacking(ctx context.Context, ids []string) ([]string, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), r.readable)
	if len(ids) == 0 || r.looseOnly() {
		return ids, nil
	}
	out, err := r.run(ctx, call{args: []string{"cat-file", "--batch-check=%(objectname)"}, stdin: listed(ids)})
	if err != nil {
		return nil, fmt.Errorf("look for objects: %w", err)
	}
	var list []string
	for line := range bytes.Lines(out) {
		if id, ok := strings.CutSuffix(strings.TrimSpace(string(line)), " missing"); ok && idOK(id) {
			list = append(list, id)
		}
	}
	return list, nil
}

// theirs is an error of a git that read from the workspace's repository: what is
// wrong there is told to whoever works there. A full disk and an end that was
// asked for are ours.
func theirs(ctx context.Context, err error) error {
	if ctx.Err() != nil || strings.Contains(err.Error(), "No space left on device") || strings.Contains(err.Error(), "Disk quota exceeded") {
		return fmt.Errorf("read the history of a workspace: %w", err)
	}
	return &HistoryError{"its history cannot be read whole: " + err.Error()}
}
