package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"autopilot/events"
)

// A repository in the work tree stands in a tree by the commit of its HEAD, as a
// submodule does, while its files are those of that commit. Else a text stands for it
// that names HEAD and the tree of its files. These are recorded as those of the work tree
// are, so that they can be compared, brought back and checked out. Its HEAD, index and
// branches are compared only.

const nestedHead = "autopilot nested repository\n"

// nestedID is what stands for a repository whose HEAD is a commit. Where its files
// cannot be recorded, it is the commit alone.
func (rec *recording) nestedID(ctx context.Context, path, abs string, gd gitDir, head string) (string, error) {
	sum := sha256.Sum256([]byte(path))
	name := rec.name + nestedMark + hex.EncodeToString(sum[:8])
	if !nameOK(name) {
		return head, nil // repositories in repositories in repositories
	}
	sub := rec.r.nestedRepo(abs)
	rules, err := sub.nestedRulesOf(ctx, filepath.Join(rec.r.dir, "indexes", name+".rules"))
	if err != nil {
		return head, ctx.Err()
	}
	snap, err := sub.Record(ctx, name, rules, Without{})
	if err != nil {
		return head, ctx.Err()
	}
	if commit, err := rec.r.treeOf(ctx, gd, head); err == nil && commit == snap.Tree {
		return head, rec.r.keepNested(head, snap.Tree)
	}
	return rec.store(fmt.Sprintf("%shead %s\ntree %s\n", nestedHead, head, snap.Tree))
}

// nestedMark stands in the names of indexes of repositories in the work tree.
const nestedMark = "-n"

// nestedRepo records a repository in the work tree, into the objects of this one.
func (r *Repo) nestedRepo(path string) *Repo {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.nested == nil {
		r.nested = map[string]*Repo{}
	}
	if r.nested[path] == nil {
		r.nested[path] = &Repo{ws: workspaceAt(path), dir: r.dir, git: r.git, idLen: r.idLen, large: r.large, durable: r.durable, states: map[string]*state{}}
	}
	return r.nested[path]
}

// nestedRulesOf are the ignore rules of a nested repository when it was recorded first.
func (r *Repo) nestedRulesOf(ctx context.Context, file string) ([]byte, error) {
	rules, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return rules, err
	}
	if rules, err = r.FreezeIgnore(ctx, filepath.Join(r.dir, "home")); err != nil {
		return nil, err
	}
	return rules, r.writeFile(file, rules)
}

// treeOf is the tree of a commit of another repository.
func (r *Repo) treeOf(ctx context.Context, gd gitDir, commit string) (events.Tree, error) {
	out, err := r.run(ctx, call{args: []string{"rev-parse", "--verify", "--quiet", commit + "^{tree}"}, objects: gd.objects()})
	return events.Tree(strings.TrimSpace(string(out))), err
}

func (r *Repo) nestedFile(id string) string { return filepath.Join(r.dir, "nested", id) }

// keepNested remembers the tree of a commit that stands for a repository.
func (r *Repo) keepNested(commit string, t events.Tree) error {
	if err := os.MkdirAll(filepath.Join(r.dir, "nested"), 0o700); err != nil {
		return err
	}
	return r.writeFile(r.nestedFile(commit), []byte(t))
}

// nestedTree is the tree of the files of a repository by what stands for it; empty for
// all else that is recorded by its id.
func (r *Repo) nestedTree(ctx context.Context, id string) events.Tree {
	if text, err := os.ReadFile(r.nestedFile(id)); err == nil && idOK(string(text)) {
		return events.Tree(text)
	}
	text, err := r.run(ctx, call{args: []string{"cat-file", "blob", id}})
	if err != nil || !strings.HasPrefix(string(text), nestedHead) {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if t, ok := strings.CutPrefix(strings.TrimSpace(line), "tree "); ok && idOK(t) {
			return events.Tree(t)
		}
	}
	return ""
}

// emptyTree is known to every git.
func (r *Repo) emptyTree() events.Tree {
	if r.idLen == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// unfold puts the changes of files in the place of those of repositories. Where whole
// says so, also of repositories that are on one side only.
func (r *Repo) unfold(ctx context.Context, changes []Change, whole bool) ([]Change, error) {
	var out []Change
	for _, c := range changes {
		var was, is events.Tree
		if c.OldMode == modeLink {
			was = r.nestedTree(ctx, c.OldID)
		}
		if c.NewMode == modeLink {
			is = r.nestedTree(ctx, c.NewID)
		}
		if was == "" && is == "" || !whole && (was == "" || is == "") {
			out = append(out, c)
			continue
		}
		inner, err := r.Changes(ctx, orTree(was, r.emptyTree()), orTree(is, r.emptyTree()))
		if err != nil {
			return nil, err
		}
		if inner, err = r.unfold(ctx, inner, whole); err != nil {
			return nil, err
		}
		for _, i := range inner {
			i.Path = c.Path + "/" + i.Path
			out = append(out, i)
		}
		switch plain := c; { // a file was, or is, where the repository is, or was
		case c.OldMode != modeLink && c.Status != Added:
			plain.Status = Deleted
			out = append(out, plain)
		case c.NewMode != modeLink && c.Status != Deleted:
			plain.Status = Added
			out = append(out, plain)
		}
	}
	return out, nil
}

func orTree(t, other events.Tree) events.Tree {
	if t == "" {
		return other
	}
	return t
}

// addNested adds the files of a repository to those of a tree, or names what has none.
func (r *Repo) addNested(ctx context.Context, list []Change, absent []string, name, id string) ([]Change, []string, error) {
	inner := r.nestedTree(ctx, id)
	if inner == "" {
		return list, append(absent, name), nil
	}
	files, more, err := r.contents(ctx, inner)
	for _, c := range files {
		c.Path = name + "/" + c.Path
		list = append(list, c)
	}
	for _, path := range more {
		absent = append(absent, name+"/"+path)
	}
	return list, absent, err
}
