package atdd

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/marker"
)

// Files are those of a run, as a whole.
type Files struct {
	Of     wire.AtddPiece // where they are
	Pieces []wire.AtddPiece
	text   map[string][]byte
	names  []string
}

// Add adds a row, or a pin in the place of the one before.
func (f *Files) Add(p wire.AtddPiece) {
	if f.text == nil {
		f.text = map[string][]byte{}
	}
	if _, ok := f.text[p.File]; !ok {
		f.names = append(f.names, p.File)
	}
	f.Pieces = append(f.Pieces, p)
	if p.Whole {
		f.text[p.File] = nil
	}
	f.text[p.File] = append(f.text[p.File], p.Text...)
}

// Names are those of the files, sorted.
func (f *Files) Names() []string { return slices.Sorted(slices.Values(append([]string{}, f.names...))) }

// Text is what a file has.
func (f *Files) Text(name string) string { return string(f.text[name]) }

// OtherError is a file with another content than the run gives it.
type OtherError struct{ File, What string }

func (e *OtherError) Error() string { return e.File + " " + e.What }

// GitError says why nothing is committed.
type GitError struct{ What string }

func (e *GitError) Error() string { return e.What }

// Copy writes the files of a run into a directory. A row that is there is not
// written again; a file that has something else is never written to.
type Copy struct {
	Call   Call
	Dir    string
	Commit bool // each row alone, with the user's git

	have map[string][]byte // of each file, as it was found
	at   map[string]int    // what of that the run gives so far
}

// All writes whole files, once none of them has anything else. It returns the names
// of those that were changed.
func (c *Copy) All(f Files) (wrote []string, err error) {
	for _, name := range f.Names() {
		have, _, err := c.found(name)
		if err != nil {
			return nil, err
		}
		if err := fits(filepath.Join(c.Dir, name), have, f.text[name], isPin(name)); err != nil {
			return nil, err
		}
	}
	wrote = []string{}
	for _, name := range f.Names() {
		path := filepath.Join(c.Dir, name)
		have, there, err := c.found(name)
		if err != nil {
			return wrote, err
		}
		rest := f.text[name][min(len(have), len(f.text[name])):]
		switch {
		case len(rest) == 0:
			continue
		case !there && isPin(name):
			err = c.Call.create(path, rest)
		default:
			err = c.Call.add(path, rest)
		}
		if err != nil {
			return wrote, err
		}
		wrote = append(wrote, name)
	}
	return wrote, nil
}

func isPin(name string) bool { return strings.HasSuffix(name, ".pin") }

// found is what a file has, and whether it is there: without what an editor or a
// checkout does to line ends, which are no other rows.
func (c *Copy) found(name string) ([]byte, bool, error) {
	text, there, err := c.Call.read(filepath.Join(c.Dir, name))
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if n := len(text); n > 0 && text[n-1] != '\n' {
		text = append(text, '\n')
	}
	return text, there, err
}

// fits says that a file has the beginning of what it is to have.
func fits(path string, have, want []byte, pin bool) error {
	switch {
	case pin && len(have) > 0 && !bytes.Equal(have, want):
		return &OtherError{path, "pins something else"}
	case !bytes.HasPrefix(want, have):
		return &OtherError{path, "has rows that are not of this run"}
	}
	return nil
}

// Ready says whether rows can be committed alone.
func (c *Copy) Ready(ctx context.Context) error {
	c.have, c.at = map[string][]byte{}, map[string]int{}
	if !c.Commit {
		return nil
	}
	return c.clean(ctx)
}

// Again says that the run is told from its first row once more: what is there is not
// written a second time.
func (c *Copy) Again() { c.at = map[string]int{} }

// clean says that a commit of one file would be of that alone.
func (c *Copy) clean(ctx context.Context) error {
	top, err := c.git(ctx, "rev-parse", "--path-format=absolute", "--git-dir", "--show-toplevel")
	dir, _, ok := strings.Cut(top, "\n")
	if err != nil || !ok {
		return &GitError{c.Dir + " is in no git work tree"}
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return &GitError{"a merge or a rebase is under way there (" + name + ")"}
		}
	}
	if staged, err := c.git(ctx, "diff", "--cached", "--name-only"); err != nil || staged != "" {
		first, _, _ := strings.Cut(staged, "\n")
		return &GitError{"other changes are staged there: " + first}
	}
	return nil
}

// Put writes the next row or pin of a run that goes on, unless it is there, and
// commits it. It says whether anything was written.
func (c *Copy) Put(ctx context.Context, p wire.AtddPiece) (bool, error) {
	if err := c.unchanged(); err != nil {
		return false, err
	}
	path := filepath.Join(c.Dir, p.File)
	have, known := c.have[p.File]
	if !known {
		var err error
		if have, _, err = c.found(p.File); err != nil {
			return false, err
		}
		c.have[p.File] = have
	}
	if p.Whole {
		return c.pin(ctx, path, p, have)
	}
	at := c.at[p.File]
	c.at[p.File] = at + len(p.Text)
	if at < len(have) {
		if !bytes.HasPrefix(have[at:], []byte(p.Text)) {
			return false, &OtherError{path, "has rows that are not of this run"}
		}
		return false, nil
	}
	if err := c.Call.add(path, []byte(p.Text)); err != nil {
		return false, err
	}
	c.have[p.File] = append(have, p.Text...)
	return true, c.commit(ctx, p.File, "record "+p.File)
}

// unchanged says that all files are as they were left: what somebody else does to
// them meanwhile is not built upon.
//
// Lessons A15, A20.
func (c *Copy) unchanged() error {
	for _, name := range slices.Sorted(maps.Keys(c.have)) {
		have, there, err := c.found(name)
		switch {
		case err != nil:
			return err
		case !there && len(c.have[name]) > 0:
			return &OtherError{filepath.Join(c.Dir, name), "is gone, while the run is followed"}
		case !bytes.Equal(have, c.have[name]):
			return &OtherError{filepath.Join(c.Dir, name), "was changed by somebody else, while the run is followed"}
		}
	}
	return nil
}

func (c *Copy) pin(ctx context.Context, path string, p wire.AtddPiece, have []byte) (bool, error) {
	switch {
	case string(have) == p.Text:
		return false, nil
	case len(have) > 0:
		return false, &OtherError{path, "pins something else"}
	}
	if err := c.Call.create(path, []byte(p.Text)); err != nil {
		return false, err
	}
	c.have[p.File] = []byte(p.Text)
	return true, c.commit(ctx, p.File, "pin "+p.File)
}

// commit commits one file, and nothing else that may be staged by now.
func (c *Copy) commit(ctx context.Context, file, what string) error {
	if !c.Commit {
		return nil
	}
	if err := c.clean(ctx); err != nil {
		return err
	}
	if out, err := c.git(ctx, "add", "-f", "--", file); err != nil {
		return &GitError{"git add: " + lastLine(out)}
	}
	if out, err := c.git(ctx, "commit", "-q", "--only", "-m", "chore(autopilot): "+what, "--", file); err != nil {
		return &GitError{"git commit: " + lastLine(out)}
	}
	return nil
}

func lastLine(out string) string {
	out = strings.TrimSpace(out)
	return out[strings.LastIndexByte(out, '\n')+1:]
}

// git is the user's own, as in their shell, but of the directory.
func (c *Copy) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = c.Dir, marker.WithoutRepository(c.Call.Environ)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
