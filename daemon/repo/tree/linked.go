package tree

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Linked is a work tree as its repository knows it.
type Linked struct {
	Workspace
	Main    bool
	Missing bool      // its directory is not there
	Locked  bool      // by git worktree lock
	Reason  string    // that was given for it
	Busy    []string  // lock files of git in its folder: one is at work, or has died
	Halfway string    // what git was asked for and has not ended: rebase, merge ...
	Modules bool      // submodules of it have repositories in its folder
	Commit  string    // of HEAD, empty before the first
	Ref     string    // full name of the branch, empty if detached
	Used    time.Time // when git last wrote about it, zero if that is not known
	Problem error     // why not all of that is known
	Gone    bool      // the repository knows it no more: it was removed while it was looked at

	gd gitDir
}

// OnBranch is the branch that is checked out; empty is none.
func (l Linked) OnBranch() string {
	name, _ := strings.CutPrefix(l.Ref, "refs/heads/")
	return name
}

// Stashes is how many stashes were made on its branch. They belong to the
// repository, and do not go with a work tree.
func (l Linked) Stashes() (n int) {
	text, err := readRegular(filepath.Join(l.gd.common, "logs", "refs", "stash"), 16<<20)
	if err != nil || l.OnBranch() == "" {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		_, what, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(what, "WIP on "+l.OnBranch()+":") || strings.HasPrefix(what, "On "+l.OnBranch()+":") {
			n++
		}
	}
	return n
}

// GitDir is the folder of the repository that only this work tree has.
func (l Linked) GitDir() string { return l.gd.dir }

// Linked lists the work trees of the repository as git worktree list does, the
// main one first, by looking at files only. Those that are missing are in it.
func (w Workspace) Linked() ([]Linked, error) {
	common, err := w.Common()
	if err != nil {
		return nil, err
	}
	var out []Linked
	if top := w.mainOf(common); top != "" {
		out = append(out, looked(Linked{Workspace: workspaceAt(top), Main: true, gd: gitDir{common, common}}))
	}
	folder := filepath.Join(common, "worktrees")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("list the work trees of %s: %w", common, err)
	}
	for _, e := range entries {
		if !e.IsDir() || len(out) == mostTrees {
			continue
		}
		if l := linkedIn(filepath.Join(folder, e.Name()), common); !l.Gone {
			out = append(out, l)
		}
	}
	return out, nil
}

// mainOf is the main work tree of a repository; empty if it has none.
func (w Workspace) mainOf(common string) string {
	gd, err := gitDirOf(w.Path)
	if real, rerr := filepath.EvalSymlinks(gd.dir); err == nil && rerr == nil && real == common {
		return w.Path
	}
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return ""
}

func workspaceAt(top string) Workspace { return Workspace{ID: IDOf(top), Path: top} }

// linkedIn reads one folder of worktrees/.
func linkedIn(dir, common string) Linked {
	l := linkedBy(dir, common)
	if l.Problem != nil {
		_, err := os.Lstat(dir)
		l.Gone = errors.Is(err, fs.ErrNotExist)
	}
	return l
}

// linkedBy reads a folder that may go meanwhile. One that does not say where the work
// tree is stands for it.
func linkedBy(dir, common string) Linked {
	l := Linked{Workspace: workspaceAt(dir), gd: gitDir{dir, common}}
	text, err := readRegular(filepath.Join(dir, "gitdir"), 64<<10)
	path := strings.TrimRight(string(text), "\r\n")
	if err != nil || path == "" {
		l.Problem = fmt.Errorf("%s does not say where the work tree is", dir)
		return l
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	top := filepath.Dir(path)
	// A real path is what runs and claims are known by.
	switch real, err := filepath.EvalSymlinks(top); {
	case err == nil:
		top = real
	case errors.Is(err, fs.ErrNotExist):
		l.Missing = true
	default:
		l.Problem = err
	}
	l.Workspace = workspaceAt(top)
	if !l.Missing && l.Problem == nil {
		l.Missing, l.Problem = pointsBack(top, dir)
	}
	return looked(l)
}

// pointsBack says whether a directory is the work tree that a folder of the
// repository names: another one may stand in its place.
func pointsBack(top, dir string) (missing bool, err error) {
	if _, err := os.Lstat(filepath.Join(top, ".git")); errors.Is(err, fs.ErrNotExist) {
		entries, rerr := os.ReadDir(top)
		if rerr == nil && len(entries) == 0 {
			return true, nil // an empty directory is no work tree
		}
		return false, fmt.Errorf("%s has no .git", top)
	}
	gd, err := gitDirOf(top)
	if err != nil {
		return false, err
	}
	a, aerr := os.Stat(gd.dir)
	b, berr := os.Stat(dir)
	if err := errors.Join(aerr, berr); err != nil {
		return false, err
	}
	if !os.SameFile(a, b) {
		return false, fmt.Errorf("%s belongs to another work tree now", filepath.Join(top, ".git"))
	}
	return false, nil
}

// Again is the work tree as its folder says now. One that is gone is where it was.
func (l Linked) Again() Linked {
	if l.Main {
		return looked(Linked{Workspace: l.Workspace, Main: true, gd: l.gd})
	}
	now := linkedIn(l.gd.dir, l.gd.common)
	if now.Gone {
		now.Workspace = l.Workspace
	}
	return now
}

// halves are the files by which git knows what it has not ended.
var halves = []struct{ file, what string }{
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase or am"},
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"BISECT_LOG", "bisect"},
	{"sequencer", "cherry-pick or revert"},
}

// looked adds what the folder of a work tree says.
func looked(l Linked) Linked {
	if reason, err := readRegular(filepath.Join(l.gd.dir, "locked"), 64<<10); err == nil || !errors.Is(err, fs.ErrNotExist) {
		l.Locked, l.Reason = !l.Main, strings.TrimSpace(string(reason))
	}
	for _, h := range halves {
		if _, err := os.Lstat(filepath.Join(l.gd.dir, h.file)); err == nil {
			l.Halfway = h.what
			break
		}
	}
	l.Modules = filled(filepath.Join(l.gd.dir, "modules"))
	entries, err := os.ReadDir(l.gd.dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".lock") && !strings.HasPrefix(e.Name(), "autopilot-") {
			l.Busy = append(l.Busy, filepath.Join(l.gd.dir, e.Name()))
		}
	}
	l.Used = usedLast(l.gd.dir)
	commit, ref, herr := l.gd.head()
	l.Commit, l.Ref = commit, ref
	l.Problem = cmpErr(l.Problem, herr, err)
	return l
}

func cmpErr(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// usedLast is when git last wrote about a work tree. The folder's own time is
// none: git touches it only to add and remove.
func usedLast(dir string) (last time.Time) {
	for _, name := range []string{"HEAD", "index", "logs/HEAD", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// namedRefs are the branches, remote branches and tags of a repository with what
// they name. Of others, as of the stash, a commit is easily lost.
func (gd gitDir) namedRefs() (map[string]string, error) {
	refs := map[string]string{}
	packed, err := readRegular(filepath.Join(gd.common, "packed-refs"), 256<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(packed))
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && idOK(id) && counts(ref) {
			refs[ref] = id
		}
	}
	for _, kind := range refKinds {
		if err := gd.looseRefs(kind, refs); err != nil {
			return nil, err
		}
	}
	return refs, lines.Err()
}

var refKinds = []string{"refs/heads/", "refs/remotes/", "refs/tags/"}

func counts(ref string) bool {
	return slices.ContainsFunc(refKinds, func(kind string) bool { return strings.HasPrefix(ref, kind) })
}

// looseRefs adds those that are files of their own; they win. Links are not
// followed, and a symbolic ref names what another one does.
func (gd gitDir) looseRefs(kind string, refs map[string]string) error {
	return filepath.WalkDir(filepath.Join(gd.common, kind), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		ref, err := filepath.Rel(gd.common, path)
		if err != nil || strings.HasSuffix(ref, ".lock") {
			return err
		}
		text, err := readRegular(path, 64<<10)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if id := strings.TrimSpace(string(text)); err == nil && idOK(id) {
			refs[ref] = id
		}
		return err
	})
}
