package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"autopilot/events"
)

// Status says what happened to a path between two trees.
type Status string

// All statuses. A rename is a deletion and an addition.
const (
	Added      Status = "added"
	Modified   Status = "modified"
	Deleted    Status = "deleted"
	TypeChange Status = "typechange" // file, link, or something recorded by id only
)

var statuses = map[string]Status{"A": Added, "M": Modified, "D": Deleted, "T": TypeChange}

// Change is one path that differs between two trees. Modes are git's, such as
// 100644; 160000 is a nested repository or a large file. The mode and id of a
// side that has no such path are zeros.
type Change struct {
	Path             string
	Status           Status
	OldMode, NewMode string
	OldID, NewID     string
}

// Changes lists what differs from a to b, sorted by path.
func (r *Repo) Changes(ctx context.Context, a, b events.Tree) ([]Change, error) {
	if err := errors.Join(treeOK(a), treeOK(b)); err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	if a == b {
		return nil, nil
	}
	if list, ok := r.compared.get([2]events.Tree{a, b}); ok {
		return slices.Clone(list), nil
	}
	list, err := r.compare(ctx, a, b)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	if len(list) <= mostListed {
		r.compared.put([2]events.Tree{a, b}, slices.Clone(list))
	}
	return list, nil
}

// mostMerged is how many paths a tree may have so that it is listed as a whole to be
// compared: its listing is asked for later. A larger one that is not listed yet is
// compared by git, which passes over equal folders.
const mostMerged = 1000

func (r *Repo) compare(ctx context.Context, a, b events.Tree) ([]Change, error) {
	was, known := r.keptList(a)
	if !known {
		if was, known = r.walked(a, mostMerged); known {
			r.keepList(a, was)
		}
	}
	if _, both := r.keptList(b); known && (both || len(was) <= mostMerged) {
		is, err := r.listed(ctx, b)
		if err != nil {
			return nil, err
		}
		return r.merge(was, is), nil
	}
	out, err := r.run(ctx, call{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", string(a), string(b)}})
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var list []Change
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(meta) != 5 || statuses[meta[4]] == "" {
			return nil, fmt.Errorf("unexpected line %.80q", fields[i])
		}
		list = append(list, Change{
			Path: fields[i+1], Status: statuses[meta[4]],
			OldMode: meta[0], NewMode: meta[1], OldID: meta[2], NewID: meta[3],
		})
	}
	return list, nil
}

// merge compares two listings, each in git's order.
func (r *Repo) merge(was, is []listing) []Change {
	const absent = "000000"
	none := strings.Repeat("0", r.idLen)
	var list []Change
	for len(was)+len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].path < is[0].path:
			list = append(list, Change{Path: was[0].path, Status: Deleted, OldMode: was[0].mode, NewMode: absent, OldID: was[0].id, NewID: none})
			was = was[1:]
		case len(was) == 0 || is[0].path < was[0].path:
			list = append(list, Change{Path: is[0].path, Status: Added, OldMode: absent, NewMode: is[0].mode, OldID: none, NewID: is[0].id})
			is = is[1:]
		default:
			if o, n := was[0], is[0]; o != n {
				c := Change{Path: n.path, Status: Modified, OldMode: o.mode, NewMode: n.mode, OldID: o.id, NewID: n.id}
				if o.mode[:3] != n.mode[:3] { // the type of the file
					c.Status = TypeChange
				}
				list = append(list, c)
			}
			was, is = was[1:], is[1:]
		}
	}
	return list
}

// Diff writes a unified diff from a to b, of all paths or of those named and
// what is below them; no program of the user formats it, and it has no colour.
// File names with control characters are quoted, content is as it is: who
// shows it on a terminal makes it harmless. Large files and nested
// repositories appear as "Subproject commit" lines.
func (r *Repo) Diff(ctx context.Context, a, b events.Tree, paths []string, w io.Writer) error {
	if err := errors.Join(treeOK(a), treeOK(b)); err != nil {
		return fmt.Errorf("diff trees: %w", err)
	}
	args := []string{
		"diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
		"--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", string(a), string(b), "--",
	}
	if _, err := r.run(ctx, call{args: append(args, paths...), stdout: w}); err != nil {
		return fmt.Errorf("diff trees: %w", err)
	}
	return nil
}

// File returns the content and mode of a path in a tree; of a link, where it
// points. ErrNotFound if the tree has no such file, ErrNotRecorded for a large
// file or a nested repository.
func (r *Repo) File(ctx context.Context, t events.Tree, path string) ([]byte, fs.FileMode, error) {
	if err := treeOK(t); err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", path, err)
	}
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, 0, fmt.Errorf("read %q: %w", path, ErrNotFound)
	}
	e, err := r.find(ctx, t, path)
	if err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", path, err)
	}
	if e.path != path || e.mode == modeFolder {
		return nil, 0, fmt.Errorf("read %q: %w", path, ErrNotFound)
	}
	if e.mode == modeLink {
		return nil, 0, fmt.Errorf("read %q: %w", path, ErrNotRecorded)
	}
	mode, err := fileMode(e.mode)
	if err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", path, err)
	}
	text, ok := r.object("blob", e.id)
	if !ok {
		text, err = r.run(ctx, call{args: []string{"cat-file", "blob", e.id}})
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", path, err)
	}
	return text, mode, nil
}

// find finds a path of a tree; zero if there is none.
func (r *Repo) find(ctx context.Context, t events.Tree, path string) (listing, error) {
	if e, ok := r.entry(t, path); ok {
		return e, nil
	}
	// With a trailing slash git would list what is in a folder.
	out, err := r.run(ctx, call{args: []string{"ls-tree", "-z", string(t), "--", strings.TrimRight(path, "/")}})
	if err != nil {
		return listing{}, err
	}
	meta, found, _ := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\t")
	if fields := strings.Fields(meta); len(fields) == 3 {
		return listing{path: found, mode: fields[0], id: fields[2]}, nil
	}
	return listing{}, nil
}

func fileMode(mode string) (fs.FileMode, error) {
	switch mode {
	case "100644":
		return 0o644, nil
	case "100755":
		return 0o755, nil
	case "120000":
		return fs.ModeSymlink | 0o777, nil
	}
	return 0, fmt.Errorf("unexpected mode %s", strconv.Quote(mode))
}
