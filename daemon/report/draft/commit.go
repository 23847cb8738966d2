package draft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/projections/rule"
)

// Set is what is shown.
type Set struct {
	Run, Gate string // what asks
	Number    int    // of the question
	Issue     string // that the run is about: OWNER/NAME#24
	Branch    string // that was made for the run; empty is none
	Start     string // the commit that the run began at
	Title     string
	Body      string // markdown

	// Final says that it is the work of a run that has passed, and all that was changed,
	// instead of what a gate asks about. Files of it that git converts on the way into a
	// commit are left to who commits them.
	Final bool
	Hide  func(string) string // takes secrets out of what is final
	// Judged is the commit that HEAD was at when the final work was judged, empty where
	// that is not known: what somebody has committed since has passed nothing.
	Judged string
	// Others are the final files that others changed too, as a person let them be.
	Others []string

	Repo  *tree.Repo
	Tree  events.Tree // that the files are of
	Of    []string    // globs of the set; of what is final the paths themselves
	Files []tree.Entry
}

const branchRoot = "refs/heads/"

// file is a file as a commit has it.
type file struct{ mode, id string }

// commit puts the set, as it was recorded, on the branch of the run, and nothing
// else of the work tree. It is the commit of the branch where that has the set
// already.
func (s Set) commit(ctx context.Context) (string, error) {
	head, err := s.head(ctx)
	if err != nil {
		return "", err
	}
	dir, err := s.Repo.Workspace().GitDir()
	if err != nil {
		return "", err
	}
	g := git{dir: dir, env: []string{"GIT_WORK_TREE=" + s.Repo.Workspace().Path}}
	changes, err := s.changes(ctx, g, head)
	if err != nil || len(changes) == 0 {
		return head, err
	}
	tmp, err := s.Repo.Scratch()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	own := g.with("GIT_INDEX_FILE=" + filepath.Join(tmp, "index"))
	if _, err := own.run(ctx, nil, "read-tree", head); err != nil {
		return "", err
	}
	if _, err := own.run(ctx, changes, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	id, err := own.id(ctx, nil, "write-tree")
	if err != nil {
		return "", err
	}
	commit, err := g.id(ctx, []byte(s.message()), "commit-tree", id, "-p", head)
	if err != nil {
		return "", err
	}
	// First the index: where somebody holds it nothing has happened yet.
	if _, err := g.run(ctx, changes, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	_, err = g.run(ctx, nil, "update-ref", "-m", "autopilot: files of a run", branchRoot+s.Branch, commit, head)
	return commit, err
}

// message is that of the commit.
func (s Set) message() string {
	if s.Final {
		text := "What was not committed yet\n\nRun " + s.Run + " of autopilot has passed with it.\n"
		if len(s.Others) > 0 {
			text += "\nOther sessions changed these files too:\n"
		}
		for _, path := range s.Others {
			text += "  " + strconv.Quote(path) + "\n"
		}
		return text
	}
	return "Files for approval at gate " + s.Gate + "\n\nRun " + s.Run + " of autopilot asks about them.\n"
}

// head is the commit of the run's branch, which has to be checked out, and to lead
// on from where the run began.
func (s Set) head(ctx context.Context) (string, error) {
	if s.Branch == "" {
		return "", errors.New("the run has no work tree of its own (apctl run --worktree makes one)")
	}
	if slices.Contains([]string{"main", "master"}, s.Branch) {
		return "", fmt.Errorf("%s is not a branch of a run", s.Branch)
	}
	head, ref, err := s.Repo.Workspace().Head()
	switch {
	case err != nil:
		return "", err
	case ref != branchRoot+s.Branch:
		return "", fmt.Errorf("its branch %s is not checked out any more", s.Branch)
	}
	leads, err := s.Repo.LeadsOn(ctx, s.Start, head)
	if err == nil && !leads {
		err = fmt.Errorf("branch %s does not lead on from where the run began", s.Branch)
	}
	if err == nil {
		err = s.asJudged(ctx, head)
	}
	return head, err
}

// asJudged is nil if the final work goes on top of what was judged, or is there
// already, as it was committed before and could not be pushed.
func (s Set) asJudged(ctx context.Context, head string) error {
	if !s.Final || s.Judged == "" || head == s.Judged {
		return nil
	}
	dir, err := s.Repo.Workspace().GitDir()
	if err != nil {
		return err
	}
	about, err := git{dir: dir}.run(ctx, nil, "log", "-1", "--format=%P%n%B", head)
	if err != nil {
		return err
	}
	if parent, message, _ := strings.Cut(string(about), "\n"); parent == s.Judged && strings.TrimSpace(message) == strings.TrimSpace(s.message()) {
		return nil
	}
	return fmt.Errorf("somebody has committed to branch %s since its work was judged", s.Branch)
}

// changes are the lines for git update-index that make a commit's files those of the
// set. What is new in them is written into the repository.
func (s Set) changes(ctx context.Context, g git, head string) ([]byte, error) {
	there, err := s.there(ctx, g, head)
	if err != nil {
		return nil, err
	}
	converted, err := s.converted(ctx, g)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, e := range s.Files {
		was := there[e.Path]
		delete(there, e.Path)
		if converted[e.Path].always {
			continue
		}
		text, mode, err := s.Repo.File(ctx, s.Tree, e.Path)
		if err != nil {
			return nil, err
		}
		if converted[e.Path].lineEnds && bytes.Contains(text, []byte("\r\n")) {
			continue
		}
		now := file{mode: modeOf(mode)}
		if now.id, err = g.id(ctx, text, "hash-object", "-w", "--no-filters", "--stdin"); err != nil {
			return nil, err
		}
		if now != was {
			if s.Final && s.Hide(string(text)) != string(text) {
				return nil, fmt.Errorf("%s has a secret in it, and is not committed or pushed", e.Path)
			}
			fmt.Fprintf(&b, "%s %s 0\t%s\x00", now.mode, now.id, e.Path)
		}
	}
	for path, f := range there { // removed since
		fmt.Fprintf(&b, "0 %s 0\t%s\x00", strings.Repeat("0", len(f.id)), path)
	}
	return b.Bytes(), nil
}

// converting are the attributes by which a file is another one in a commit than on the
// disk. The work of agents is committed with them by their own git.
var converting = []string{"filter", "ident", "working-tree-encoding", "text", "eol"}

// conversion says when a commit has another form of a file: always, or where its lines
// end as those of Windows.
type conversion struct{ always, lineEnds bool }

// converted are the files of final work of which a commit has another form.
func (s Set) converted(ctx context.Context, g git) (map[string]conversion, error) {
	out := map[string]conversion{}
	if !s.Final || len(s.Files) == 0 {
		return out, nil
	}
	var paths bytes.Buffer
	for _, e := range s.Files {
		paths.WriteString(e.Path + "\x00")
	}
	said, err := g.run(ctx, paths.Bytes(), append([]string{"check-attr", "-z", "--stdin"}, converting...)...)
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

// has says that a path belongs to the set. What a run has changed is named as it is: as
// a glob README.md would be each file of that name, and [id].ts another one.
func (s Set) has(path string) bool {
	if s.Final {
		return slices.Contains(s.Of, path)
	}
	return slices.ContainsFunc(s.Of, func(glob string) bool { return rule.GlobMatch(glob, path) })
}

// there are the files of a commit that belong to the set.
func (s Set) there(ctx context.Context, g git, head string) (map[string]file, error) {
	out, err := g.run(ctx, nil, "ls-tree", "-r", "-z", head)
	if err != nil {
		return nil, err
	}
	list := map[string]file{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 && s.has(path) {
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
