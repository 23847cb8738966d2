package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"autopilot/events"
)

// Bounds of the ignored files of a work tree that are kept when it goes: what a
// person or an agent wrote is small, and what a build made is not.
const (
	keptFile   = DefaultLargeBytes // of one file
	keptFiles  = 500               // in one ignored folder
	keptFolder = 16 << 20          // bytes in one
	keptAll    = 256 << 20         // bytes of all together
)

// PickIgnored chooses among the ignored files and folders of a work tree, as a
// Survey lists them: kept are files that are to be recorded, lost are those that
// are too large, and folders of very many files.
func PickIgnored(ctx context.Context, top string, ignored []string) (kept, lost []string, err error) {
	var total int64
	for _, path := range ignored {
		var files []string
		var bytes int64
		err := filepath.WalkDir(filepath.Join(top, path), func(name string, e fs.DirEntry, err error) error {
			if err = errors.Join(err, ctx.Err()); err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(top, name)
			if files = append(files, rel); info.Mode().IsRegular() {
				bytes += info.Size()
			}
			if len(files) > keptFiles || bytes > keptFile || total+bytes > keptAll {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("look at what is ignored in %s: %w", top, err)
		}
		folder := strings.HasSuffix(path, "/")
		if len(files) > keptFiles || bytes > keptFile || folder && bytes > keptFolder || total+bytes > keptAll {
			lost = append(lost, path)
			continue
		}
		total += bytes
		kept = append(kept, files...)
	}
	return kept, lost, nil
}

// Salvaged is what was recorded of a work tree before it goes.
type Salvaged struct {
	Head events.Tree // of its commit
	Tree events.Tree // all of it, with the ignored files that were to be kept
	Same bool        // beside those it has the bytes of its commit, and nothing else
	Kept bool        // it is kept by name
}

// salvageIndex is the index of Salvage, which trusts no other.
const salvageIndex = "salvage"

// Salvage records a work tree whole under a name, so that it can go: as its commit
// is, at NAME/head, and as its files are, at NAME/tree. Every file is read for
// that, whatever the index says of it. What differs from the commit is not kept by
// name, as that tree is to stay; with changed it is, if all of it could be recorded.
func (r *Repo) Salvage(ctx context.Context, home, name string, ignored []string, text string, changed bool) (v Salvaged, err error) {
	rules, err := r.FreezeIgnore(ctx, home)
	if err != nil {
		return v, err
	}
	for _, path := range ignored {
		rules = append(rules, trackedPrefix+strconv.QuoteToASCII(path)+"\n"...)
	}
	defer func() { err = errors.Join(err, r.Forget(salvageIndex)) }()
	snap, err := r.Record(ctx, salvageIndex, rules, Without{Made: ignored})
	if err != nil {
		return v, err
	}
	head, err := r.Head(ctx, snap.Work)
	if err != nil {
		return v, err
	}
	v = Salvaged{Head: head.Tree, Tree: snap.Tree}
	whole := len(snap.Large)+len(snap.Nested)+len(snap.Skipped) == 0
	v.Same = !head.Dirty && head.Commit != "" && whole
	switch {
	case changed && whole && !v.Same:
		v.Kept = true
		_, err = r.Keep(ctx, name, "tree", v.Tree, "", text)
		return v, err
	case !v.Same:
		return v, nil
	}
	v.Kept = true
	first, err := r.Keep(ctx, name, "head", v.Head, "", text)
	if err == nil {
		_, err = r.Keep(ctx, name, "tree", v.Tree, first, text)
	}
	return v, err
}

// Unkeep takes the names of what was kept under a name away.
func (c Config) Unkeep(workspace, name string) error {
	if !nameOK(workspace) || !nameOK(name) {
		return fmt.Errorf("take kept trees away: bad name %.80q of %.80q", name, workspace)
	}
	return os.RemoveAll((&Repo{dir: filepath.Join(c.Root, workspace+".git")}).runRefs(name))
}

// HasKept says whether a tree is kept under a name in the repository of a
// workspace that need not exist any more.
func (c Config) HasKept(workspace, name, k string) bool {
	ref, err := refName(name, k)
	if err != nil || !nameOK(workspace) {
		return false
	}
	_, err = os.Lstat(filepath.Join(c.Root, workspace+".git", ref))
	return err == nil
}

// KeptRef is the repository and the full name of a tree that is kept.
func (c Config) KeptRef(workspace, name, k string) (dir, ref string) {
	return filepath.Join(c.Root, workspace+".git"), "refs/autopilot/" + name + "/" + k
}
