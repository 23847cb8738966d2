package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/projections/rule"
)

// Work is what a run has made, as it was recorded.
type Work struct {
	Branch  string // that was made for the run; empty is none
	Start   string // the commit that the run began at
	Message string // of the commit
	Mark    string // line of the message that tells the commit from those of others

	// Final says that it is the work of a run that has passed, and all that was changed,
	// instead of what a gate asks about. Files of it that git converts on the way into a
	// commit are left to the committer.
	Final bool
	Hide  func(string) string // takes secrets out of what is final
	// Judged is the commit that HEAD was at when the final work was judged, empty where
	// that is not known: what somebody has committed since has passed nothing.
	Judged string

	Repo  *tree.Repo
	Tree  events.Tree // that the files are of
	Of    []string    // globs of the set; of what is final the paths themselves
	Files []tree.Entry
}

// Made is a commit with the work.
type Made struct {
	Commit string
	Left   []string // files that git converts, and that no commit has as they were recorded
}

// BranchRoot is in front of the names of branches.
const BranchRoot = "refs/heads/"

// file is a file as a commit has it.
type file struct{ mode, id string }

// OnBranch puts the work on the branch of the run. It is the commit of the branch where
// that has the work already.
func (w Work) OnBranch(ctx context.Context) (Made, error) {
	head, err := w.head(ctx)
	if err != nil {
		return Made{}, err
	}
	m, changes, err := w.object(ctx, head)
	if err != nil || m.Commit == head {
		return m, err
	}
	g, err := w.git()
	if err != nil {
		return Made{}, err
	}
	// First the index: where somebody holds it nothing has happened yet.
	if _, err := g.Run(ctx, changes, "update-index", "-z", "--index-info"); err != nil {
		return Made{}, err
	}
	_, err = g.Run(ctx, nil, "update-ref", "-m", "autopilot: files of a run", BranchRoot+w.Branch, m.Commit, head)
	return m, err
}

// OnTop makes the commit that OnBranch would, and moves nothing.
func (w Work) OnTop(ctx context.Context) (Made, error) {
	head, err := w.head(ctx)
	if err != nil {
		return Made{}, err
	}
	return w.Loose(ctx, head)
}

// Loose makes a commit of the work on top of another one, and moves nothing.
func (w Work) Loose(ctx context.Context, parent string) (Made, error) {
	m, _, err := w.object(ctx, parent)
	return m, err
}

func (w Work) git() (Git, error) {
	dir, err := w.Repo.Workspace().GitDir()
	return Git{Dir: dir, Env: []string{"GIT_WORK_TREE=" + w.Repo.Workspace().Path}}, err
}

// object makes the commit, and the lines that bring an index of its parent to it.
func (w Work) object(ctx context.Context, parent string) (Made, []byte, error) {
	m := Made{Commit: parent}
	g, err := w.git()
	if err != nil {
		return m, nil, err
	}
	changes, left, err := w.changes(ctx, g, parent)
	if m.Left = left; err != nil || len(changes) == 0 {
		return m, changes, err
	}
	tmp, err := w.Repo.Scratch()
	if err != nil {
		return m, nil, err
	}
	defer os.RemoveAll(tmp)
	own := g.With("GIT_INDEX_FILE=" + filepath.Join(tmp, "index"))
	if _, err := own.Run(ctx, nil, "read-tree", parent); err != nil {
		return m, nil, err
	}
	if _, err := own.Run(ctx, changes, "update-index", "-z", "--index-info"); err != nil {
		return m, nil, err
	}
	id, err := own.ID(ctx, nil, "write-tree")
	if err != nil {
		return m, nil, err
	}
	m.Commit, err = g.ID(ctx, []byte(w.Message), "commit-tree", id, "-p", parent)
	return m, changes, err
}

// head is the commit of the run's branch, which has to be checked out, and to lead
// on from where the run began.
func (w Work) head(ctx context.Context) (string, error) {
	if w.Branch == "" {
		return "", errors.New("the run has no work tree of its own (apctl run --worktree makes one)")
	}
	if slices.Contains([]string{"main", "master"}, w.Branch) {
		return "", fmt.Errorf("%s is not a branch of a run", w.Branch)
	}
	head, ref, err := w.Repo.Workspace().Head()
	switch {
	case err != nil:
		return "", err
	case ref != BranchRoot+w.Branch:
		return "", fmt.Errorf("its branch %s is not checked out any more", w.Branch)
	}
	leads, err := w.Repo.LeadsOn(ctx, w.Start, head)
	if err == nil && !leads {
		err = fmt.Errorf("branch %s does not lead on from where the run began", w.Branch)
	}
	if err == nil {
		err = w.asJudged(ctx, head)
	}
	return head, err
}

// asJudged is nil if the final work goes on top of what was judged, or is there
// already, as it was committed before and could not be pushed.
func (w Work) asJudged(ctx context.Context, head string) error {
	if !w.Final || w.Judged == "" || head == w.Judged {
		return nil
	}
	dir, err := w.Repo.Workspace().GitDir()
	if err != nil {
		return err
	}
	about, err := Git{Dir: dir}.Run(ctx, nil, "log", "-1", "--format=%P%n%B", head)
	if err != nil {
		return err
	}
	if parent, message, _ := strings.Cut(string(about), "\n"); parent == w.Judged && w.Mark != "" && strings.Contains(message, w.Mark) {
		return nil
	}
	return fmt.Errorf("somebody has committed to branch %s since its work was judged", w.Branch)
}

// changes are the lines for git update-index that make a commit's files those of the
// work. What is new in them is written into the repository.
func (w Work) changes(ctx context.Context, g Git, head string) (lines []byte, left []string, err error) {
	there, err := w.there(ctx, g, head)
	if err != nil {
		return nil, nil, err
	}
	converted, err := w.converted(ctx, g)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	var doubt []string // files that git converts, of which the commit has some form
	for _, e := range w.Files {
		was := there[e.Path]
		delete(there, e.Path)
		text, mode, err := w.Repo.File(ctx, w.Tree, e.Path)
		if err != nil {
			return nil, nil, err
		}
		if c := converted[e.Path]; c.always || c.lineEnds && bytes.Contains(text, []byte("\r\n")) {
			if was.id == "" {
				left = append(left, e.Path)
			} else {
				doubt = append(doubt, e.Path)
			}
			continue
		}
		now := file{mode: modeOf(mode)}
		if now.id, err = g.ID(ctx, text, "hash-object", "-w", "--no-filters", "--stdin"); err != nil {
			return nil, nil, err
		}
		if now != was {
			if w.Final && w.Hide(string(text)) != string(text) {
				return nil, nil, fmt.Errorf("%s has a secret in it, and is not committed or pushed", e.Path)
			}
			fmt.Fprintf(&b, "%s %s 0\t%s\x00", now.mode, now.id, e.Path)
		}
	}
	for path, f := range there { // removed since
		fmt.Fprintf(&b, "0 %s 0\t%s\x00", strings.Repeat("0", len(f.id)), path)
	}
	if len(doubt) > 0 {
		doubt, err = w.uncommitted(ctx, g, head, doubt)
	}
	return b.Bytes(), append(left, doubt...), err
}

// converting are the attributes by which a file is another one in a commit than on the
// disk. The work of agents is committed with them by their own git.
var converting = []string{"filter", "ident", "working-tree-encoding", "text", "eol"}

// conversion says when a commit has another form of a file: always, or where its lines
// end as those of Windows.
type conversion struct{ always, lineEnds bool }

// converted are the files of final work of which a commit has another form.
func (w Work) converted(ctx context.Context, g Git) (map[string]conversion, error) {
	out := map[string]conversion{}
	if !w.Final || len(w.Files) == 0 {
		return out, nil
	}
	var paths bytes.Buffer
	for _, e := range w.Files {
		paths.WriteString(e.Path + "\x00")
	}
	said, err := g.Run(ctx, paths.Bytes(), append([]string{"check-attr", "-z", "--stdin"}, converting...)...)
	if err != nil {
		return nil, err
	}
	words := strings.Split(string(said), "\x00") // path, attribute, value
	for i := 0; i+2 < len(words); i += 3 {
		path, attribute, value := words[i], words[i+1], words[i+2]
		if value == "unspecified" || value == "unset" {
			continue
		}
		c := out[path]
		if attribute == "text" || attribute == "eol" && value == "lf" {
			c.lineEnds = true
		} else {
			c.always = true
		}
		out[path] = c
	}
	return out, nil
}

// uncommitted are those of some files that the commit does not have as they were recorded.
// Git compares them by the index in a repository without configuration, so that no filter
// runs. What it cannot tell by that counts as not committed.
func (w Work) uncommitted(ctx context.Context, g Git, head string, paths []string) ([]string, error) {
	tmp, err := w.Repo.Scratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	common, err := w.Repo.Workspace().Common()
	if err != nil {
		return nil, err
	}
	index, err := os.ReadFile(filepath.Join(g.Dir, "index"))
	if err != nil {
		return paths, nil //nolint:nilerr // without an index nothing was committed by git
	}
	copied := filepath.Join(tmp, "index")
	if err := os.WriteFile(copied, index, 0o600); err != nil {
		return nil, err
	}
	dir := filepath.Join(tmp, "empty.git")
	if err := Borrow(ctx, dir, filepath.Join(common, "objects"), len(head)); err != nil {
		return nil, err
	}
	top := w.Repo.Workspace().Path
	plain := Git{Dir: dir, Env: []string{"GIT_WORK_TREE=" + top, "GIT_INDEX_FILE=" + copied, "GIT_OPTIONAL_LOCKS=0"}}
	var out strings.Builder
	for _, args := range [][]string{{"diff-index", "--cached", "-z", "--name-only", head, "--"}, {"diff-files", "-z", "--name-only", "--"}} {
		said, err := plain.Run(ctx, nil, append(args, paths...)...)
		if err != nil {
			return nil, err
		}
		out.Write(said)
	}
	moved := strings.Split(out.String(), "\x00")
	return slices.DeleteFunc(paths, func(path string) bool {
		text, _, err := w.Repo.File(ctx, w.Tree, path)
		now, rerr := os.ReadFile(filepath.Join(top, filepath.FromSlash(path)))
		return err == nil && rerr == nil && bytes.Equal(text, now) && !slices.Contains(moved, path)
	}), nil
}

// has says that a path belongs to the work. What a run has changed is named as it is: as
// a glob README.md would be each file of that name, and [id].ts another one.
func (w Work) has(path string) bool {
	if w.Final {
		return slices.Contains(w.Of, path)
	}
	return slices.ContainsFunc(w.Of, func(glob string) bool { return rule.GlobMatch(glob, path) })
}

// there are the files of a commit that belong to the work.
func (w Work) there(ctx context.Context, g Git, head string) (map[string]file, error) {
	out, err := g.Run(ctx, nil, "ls-tree", "-r", "-z", head)
	if err != nil {
		return nil, err
	}
	list := map[string]file{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 && w.has(path) {
			list[path] = file{f[0], f[2]}
		}
	}
	return list, nil
}

func modeOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "120000"
	case m&0o111 != 0:
		return "100755"
	}
	return "100644"
}
