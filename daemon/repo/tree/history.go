package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/events"
)

// Commit is a commit of the workspace, copied into the daemon's repository.
type Commit struct {
	ID      string
	Tree    events.Tree
	Subject string
}

// HistoryError says why nothing can be told from the history of a workspace.
// Whoever works there may be told it as it is.
type HistoryError struct{ What string }

func (e *HistoryError) Error() string { return e.What }

// mostCommits bounds the history that is looked at.
const mostCommits = 1000

// Line lists the commits from HEAD of the workspace down to base, newest first,
// with base as the last. Of a merge its first parent counts and nothing else:
// what came in by another parent is a change of the merge. Dates mean nothing.
//
// All of it is read from copies whose content was hashed again, by a git that
// knows no configuration, graft, replacement, shallow boundary or commit graph
// of the workspace. Where there are any, people and their tools see another
// history than this one: that, and a history without base, is a HistoryError.
func (r *Repo) Line(ctx context.Context, base string) ([]Commit, error) {
	gd, head, err := r.history()
	if err != nil {
		return nil, err
	}
	if head == "" {
		return nil, &HistoryError{"HEAD names no commit any more"}
	}
	if !idOK(base) || len(base) != r.idLen || len(head) != r.idLen {
		return nil, &HistoryError{"the format of its commits has changed"}
	}
	ids, err := r.firstParents(ctx, gd, head, base)
	if err != nil {
		return nil, err
	}
	if err := r.copyTrees(ctx, gd, ids); err != nil {
		return nil, err
	}
	return r.line(ctx, ids)
}

// Judgeable says whether Line could tell anything now: nil, or a HistoryError.
func (r *Repo) Judgeable(ctx context.Context) error {
	_, head, err := r.history()
	if err != nil {
		return err
	}
	if head == "" {
		return &HistoryError{"there is no commit yet"}
	}
	line, err := r.Line(ctx, head)
	if err != nil {
		return err
	}
	_, err = r.files(ctx, line[0])
	return err
}

// history is where commits are read from, and where HEAD is.
func (r *Repo) history() (gitDir, string, error) {
	gd, err := gitDirOf(r.ws.Path)
	if err = r.goneOr(err); errors.Is(err, ErrGone) {
		return gd, "", fmt.Errorf("read the history of a workspace: %w", err)
	}
	if err != nil {
		return gd, "", &HistoryError{"its repository cannot be read any more"}
	}
	if err := gd.plain(); err != nil {
		return gd, "", err
	}
	head, _, err := gd.head()
	if err != nil {
		return gd, "", &HistoryError{"HEAD cannot be read: " + err.Error()}
	}
	return gd, head, nil
}

// plain refuses what makes one history look like another.
func (gd gitDir) plain() error {
	for _, f := range []struct{ name, what string }{
		{"shallow", "it is a shallow clone, so its history is cut off"},
		{"info/grafts", "it has grafts (info/grafts), which give commits other parents"},
		{"refs/replace", "it has replace refs, which put other objects in the place of its own"},
		{"objects/info/alternates", "it borrows objects from another repository (objects/info/alternates)"},
	} {
		if filled(filepath.Join(gd.common, f.name)) {
			return &HistoryError{f.what}
		}
	}
	packed, err := readRegular(filepath.Join(gd.common, "packed-refs"), 256<<20)
	if err == nil && strings.Contains(string(packed), " refs/replace/") {
		return &HistoryError{"it has replace refs, which put other objects in the place of its own"}
	}
	return nil
}

// filled says whether something is at the path, but for an empty file or folder.
func filled(path string) bool {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		entries, err := os.ReadDir(path)
		return err != nil || len(entries) > 0
	}
	return !info.Mode().IsRegular() || info.Size() > 0
}

// firstParents lists commits down to base, as the workspace has them.
func (r *Repo) firstParents(ctx context.Context, gd gitDir, head, base string) ([]string, error) {
	if ids, ok := r.beside(gd.objects()).firstParents(head, base); ok {
		return ids, nil
	}
	out, err := r.run(ctx, call{
		args:    []string{"rev-list", "--first-parent", fmt.Sprintf("--max-count=%d", mostCommits+1), head, "--"},
		objects: gd.objects(),
	})
	if err != nil {
		return nil, theirs(ctx, err)
	}
	ids := strings.Fields(string(out))
	switch i := slices.Index(ids, base); {
	case i >= 0:
		return ids[:i+1], nil
	case len(ids) > mostCommits:
		return nil, &HistoryError{fmt.Sprintf("the run did not begin at one of its latest %d commits", mostCommits)}
	}
	return nil, &HistoryError{fmt.Sprintf(
		"commit %s, at which the run began, is none of those before HEAD any more (of a merge, only the first parent counts)", short(base))}
}

// line reads commits that were copied, and proves that each is the first parent of
// the one before it.
func (r *Repo) line(ctx context.Context, ids []string) ([]Commit, error) {
	out, err := r.run(ctx, call{
		args:  []string{"log", "--no-walk=unsorted", "--stdin", "-z", "--no-color", "--encoding=UTF-8", "--format=%H %T %P%x09%<(200,trunc)%s"},
		stdin: listed(ids),
	})
	if err != nil {
		return nil, theirs(ctx, err)
	}
	var line []Commit
	for i, text := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		meta, subject, _ := strings.Cut(text, "\t")
		fields := strings.Fields(meta)
		last := i == len(ids)-1
		if i >= len(ids) || len(fields) < 2 || fields[0] != ids[i] || !last && (len(fields) < 3 || fields[2] != ids[i+1]) {
			return nil, &HistoryError{"its commits are not what their ids say"}
		}
		line = append(line, Commit{ID: fields[0], Tree: events.Tree(fields[1]), Subject: strings.TrimSpace(subject)})
	}
	if len(line) != len(ids) {
		return nil, &HistoryError{"its commits are not what their ids say"}
	}
	return line, nil
}

func short(id string) string { return id[:min(12, len(id))] }

func listed(ids []string) *strings.Reader { return strings.NewReader(strings.Join(ids, "\n") + "\n") }
