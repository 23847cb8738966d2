package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"autopilot/events"
)

// Files lists the paths of a tree, in git's order: byte by byte.
func (r *Repo) Files(ctx context.Context, t events.Tree) ([]string, error) {
	list, err := r.listed(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("list tree: %w", err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.path)
	}
	return out, nil
}

// listing is one path of a tree.
type listing struct{ path, mode, id string }

// mostListed is how many paths a tree may have so that its listing is remembered among
// many.
const mostListed = 20_000

// listed lists a tree, in git's order.
func (r *Repo) listed(ctx context.Context, t events.Tree) ([]listing, error) {
	if err := treeOK(t); err != nil {
		return nil, err
	}
	if list, ok := r.keptList(t); ok {
		return list, nil
	}
	if list, ok := r.walked(t, mostMerged); ok {
		r.keepList(t, list)
		return list, nil
	}
	out, err := r.run(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", string(t)}})
	if err != nil {
		return nil, err
	}
	list := make([]listing, 0, bytes.Count(out, []byte{0}))
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		meta, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 {
			return nil, fmt.Errorf("unexpected line %.80q", line)
		}
		list = append(list, listing{path: path, mode: fields[0], id: fields[2]})
	}
	r.keepList(t, list)
	return list, nil
}

// keepList remembers a listing. It keeps only two listings of large trees.
func (r *Repo) keepList(t events.Tree, list []listing) {
	if len(list) <= mostListed {
		r.lists.put(t, list)
		return
	}
	r.long.put(t, list)
}

// keptList is a listing that is remembered.
func (r *Repo) keptList(t events.Tree) ([]listing, bool) {
	if list, ok := r.lists.get(t); ok {
		return list, ok
	}
	return r.long.get(t)
}

// know remembers the listing of a tree that was recorded. What is as in the one before
// shares its memory.
func (r *Repo) know(t events.Tree, list []known) {
	if _, ok := r.keptList(t); ok {
		return
	}
	var was []listing
	if len(list) > mostListed {
		was = r.long.latest()
	} else {
		was = r.lists.latest()
	}
	out := make([]listing, len(list))
	for i, e := range list {
		for len(was) > 0 && was[0].path < e.path {
			was = was[1:]
		}
		if l := (listing{e.path, e.mode, e.id}); len(was) > 0 && was[0] == l {
			out[i] = was[0]
		} else {
			out[i] = listing{strings.Clone(l.path), l.mode, strings.Clone(l.id)}
		}
	}
	r.keepList(t, out)
}

// Entry is a file of a tree, or another repository in it.
type Entry struct {
	Path string
	ID   string // of its content
	Kind EntryKind
}

// EntryKind says what an entry is.
type EntryKind int

// Kinds of entries. The content of one that is Outside is not recorded: another
// repository, or a file that is too large.
const (
	Regular EntryKind = iota
	Link
	Outside
)

func kindOfMode(mode string) EntryKind {
	switch mode {
	case "120000":
		return Link
	case modeLink:
		return Outside
	default:
		return Regular
	}
}

// Entries lists a tree with the ids of what is in it, in git's order.
func (r *Repo) Entries(ctx context.Context, t events.Tree) ([]Entry, error) {
	listed, err := r.listed(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("list tree: %w", err)
	}
	list := make([]Entry, 0, len(listed))
	for _, e := range listed {
		list = append(list, Entry{Path: e.path, ID: e.id, Kind: kindOfMode(e.mode)})
	}
	return list, nil
}

// Texts reads the content of entries, in their order and with one process; of a
// link, where it points. ErrNotRecorded if one is Outside, ErrNotFound if it is not of
// this repository.
func (r *Repo) Texts(ctx context.Context, list []Entry) ([][]byte, error) {
	paths := make([]Change, len(list))
	for i, e := range list {
		if e.Kind == Outside {
			return nil, fmt.Errorf("read %q: %w", e.Path, ErrNotRecorded)
		}
		paths[i] = Change{Path: e.Path, NewID: e.ID}
	}
	texts := make([][]byte, 0, len(list))
	err := r.eachContent(ctx, paths, func(_ Change, text io.Reader) error {
		b, err := io.ReadAll(text)
		texts = append(texts, b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read files: %w", err)
	}
	return texts, nil
}

// Stat writes the files that differ from a to b and how many lines do, for
// people.
func (r *Repo) Stat(ctx context.Context, a, b events.Tree, paths []string, w io.Writer) error {
	if err := errors.Join(treeOK(a), treeOK(b)); err != nil {
		return fmt.Errorf("compare trees: %w", err)
	}
	args := []string{
		"diff-tree", "-r", "--stat", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", string(a), string(b), "--",
	}
	if _, err := r.run(ctx, call{args: append(args, paths...), stdout: w}); err != nil {
		return fmt.Errorf("compare trees: %w", err)
	}
	return nil
}

// IgnorePath is the ignore rule for exactly that path.
func IgnorePath(path string) string { return "/" + escapeRule(path) }
