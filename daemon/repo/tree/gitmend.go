package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/projections/rule"
)

// GitMended says how a repository was brought back. All are sentences for people.
type GitMended struct {
	Damage string   // what was lost; empty where nothing was
	Did    []string // what was brought back
	Lacks  []string // what could not be
}

// MendGit brings the repository of the work tree back as it was recorded last, as far
// as KeepGit has it: commits, refs, HEAD, index and reflogs as they were then,
// configuration and hooks as they were at the start. What is there and whole stays as
// it is; another repository in its place is set aside. Files of the work tree are not
// touched. A dry one only says what is lost.
func (r *Repo) MendGit(ctx context.Context, run string, start, last rule.GitState, dry bool) (GitMended, error) {
	var v GitMended
	damage := r.damage(ctx, start)
	if damage == nil {
		return v, nil
	}
	v.Damage = damage.What
	if dry {
		return v, nil
	}
	m := mending{r: r, kept: r.keptGit(run), last: last, v: &v}
	if !filled(m.kept) {
		v.Lacks = append(v.Lacks, "nothing of the repository was kept, as for a run that is over")
		return v, nil
	}
	err := m.all(ctx)
	if left := r.damage(ctx, start); err == nil && left != nil {
		v.Lacks = append(v.Lacks, "it is still not whole: "+left.What)
	}
	r.configs.mu.Lock()
	r.configs.known = false
	r.configs.mu.Unlock()
	return v, err
}

// damage is what is lost of the repository; nil where nothing is.
func (r *Repo) damage(ctx context.Context, start rule.GitState) *DamageError {
	now, err := r.GitState(ctx)
	if err == nil {
		err = r.GitMoved(ctx, start, now)
	}
	var damage *DamageError
	errors.As(err, &damage)
	return damage
}

// mending is one call.
type mending struct {
	r    *Repo
	kept string
	last rule.GitState
	gd   gitDir
	v    *GitMended
}

func (m *mending) did(format string, args ...any) {
	m.v.Did = append(m.v.Did, fmt.Sprintf(format, args...))
}

func (m *mending) lacks(format string, args ...any) {
	m.v.Lacks = append(m.v.Lacks, fmt.Sprintf(format, args...))
}

func (m *mending) all(ctx context.Context) error {
	if err := m.place(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{m.folders, m.config, m.refs, m.head, m.index, m.rest} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// place finds where the repository is to be, and moves away what is there instead.
func (m *mending) place(ctx context.Context) error {
	dot := filepath.Join(m.r.ws.Path, ".git")
	text, err := readRegular(filepath.Join(m.kept, keptPointer), 64<<10)
	if err == nil {
		return m.linked(dot, string(text))
	}
	m.gd = gitDir{dot, dot}
	info, err := os.Lstat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dot, 0o755)
	case err != nil:
		return err
	case info.IsDir() && !m.foreign(ctx):
		return nil
	}
	return m.aside(dot)
}

// foreign says that another repository is there: it has neither a ref that was
// recorded nor the commit.
func (m *mending) foreign(ctx context.Context) bool {
	refs, err := m.gd.allRefs()
	if err != nil || m.last.Commit() == "" {
		return false
	}
	for ref, id := range m.last.Refs("refs/") {
		if refs[ref] == id {
			return false
		}
	}
	there, err := moving{r: m.r, gd: m.gd}.there(ctx, m.last.Commit())
	return err == nil && !there
}

// aside moves what is in the place of the repository out of it.
func (m *mending) aside(dot string) error {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s-set-aside-%d", m.kept, n)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(dot, to); err != nil {
			to = fmt.Sprintf("%s-set-aside-%d", dot, n)
			if err := os.Rename(dot, to); err != nil {
				return fmt.Errorf("set aside what is in the place of the repository: %w", err)
			}
		}
		m.did("what was in its place is kept at %s", to)
		return os.MkdirAll(dot, 0o755)
	}
}

// linked writes the .git of a linked work tree, and its folder in the repository.
func (m *mending) linked(dot, pointer string) error {
	dir := strings.TrimSpace(strings.TrimPrefix(strings.TrimRight(pointer, "\r\n"), "gitdir:"))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(m.r.ws.Path, dir)
	}
	m.gd = gitDir{dir, filepath.Dir(filepath.Dir(dir))}
	if !isGitDir(m.gd.common, m.gd.common) {
		return fmt.Errorf("the work tree belongs to the repository %s, which is not there: restore a run of that work tree first", m.gd.common)
	}
	if info, err := os.Lstat(dot); err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0) {
		if err := m.aside(dot); err != nil {
			return err
		}
		if err := os.Remove(dot); err != nil {
			return err
		}
	}
	if old, err := readRegular(dot, 64<<10); err != nil || string(old) != pointer {
		if err := putBack(dot, []byte(pointer)); err != nil {
			return err
		}
		m.did(".git names the repository again")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"commondir": "../..\n", "gitdir": dot + "\n"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			if err := putBack(filepath.Join(dir, name), []byte(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// folders fills what is missing of objects, reflogs and hooks.
func (m *mending) folders(context.Context) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := os.MkdirAll(filepath.Join(m.gd.common, sub), 0o755); err != nil {
			return err
		}
	}
	k := keeping{dir: m.gd.common, copied: keptBytes, files: mostKept}
	var errs []error
	for _, part := range [][2]string{{keptObjects, "objects"}, {keptLogs, "reflogs"}, {"hooks", "hooks"}, {"info", "ignore rules"}} {
		sub, name := part[0], part[1]
		_, err := os.Lstat(filepath.Join(m.gd.common, sub))
		gone := errors.Is(err, fs.ErrNotExist)
		if err := k.all(filepath.Join(m.kept, sub), sub, everything); err != nil {
			errs = append(errs, fmt.Errorf("bring back %s: %w", sub, err))
		} else if gone && filled(filepath.Join(m.gd.common, sub)) {
			m.did("the %s are back", name)
		}
	}
	return errors.Join(errs...)
}

// config brings the configuration of the start back where git cannot read it.
func (m *mending) config(ctx context.Context) error {
	_, err := m.r.config(ctx, m.gd)
	_, lerr := os.Lstat(filepath.Join(m.gd.common, "config"))
	var damage *DamageError
	if !errors.As(err, &damage) && lerr == nil {
		return err
	}
	for name, dir := range map[string]string{"config": m.gd.common, "config.worktree": m.gd.dir} {
		text, err := readRegular(filepath.Join(m.kept, name), 1<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := putBack(filepath.Join(dir, name), text); err != nil {
			return err
		}
		m.did("the configuration is as it was at the start of the run (.git/%s)", name)
	}
	return nil
}

// refs writes the refs that are missing and whose commits are there.
func (m *mending) refs(ctx context.Context) error {
	there, err := m.gd.allRefs()
	if err != nil {
		return err
	}
	wanted := m.last.Refs("refs/")
	delete(wanted, "refs/stash")
	if stashes := m.stash(); stashes != "" {
		wanted["refs/stash"] = stashes
	}
	back := 0
	for _, ref := range slices.Sorted(maps.Keys(wanted)) {
		value := wanted[ref]
		if _, ok := there[ref]; ok || !filepath.IsLocal(ref) {
			continue
		}
		if idOK(value) && !m.whole(ctx, value) {
			m.lacks("%s (%s): its commits were not kept", ref, short(value))
			continue
		}
		path := filepath.Join(m.gd.common, filepath.FromSlash(ref))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := putBack(path, []byte(value+"\n")); err != nil {
			return err
		}
		if back++; strings.HasPrefix(ref, "refs/heads/") {
			m.did("branch %s is at %s", strings.TrimPrefix(ref, "refs/heads/"), short(value))
		}
	}
	if back > 0 {
		m.did("%d refs are back", back)
	}
	for _, kind := range m.last.Of(rule.GitRefs) {
		m.lacks("%s: they were too many to be recorded one by one", kind)
	}
	return nil
}

// stash is the latest stash by its reflog.
func (m *mending) stash() string {
	text, _ := readRegular(filepath.Join(m.gd.common, "logs", "refs", "stash"), 4<<20)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if ids := strings.Fields(lines[len(lines)-1]); len(ids) > 1 && idOK(ids[1]) {
		return ids[1]
	}
	return ""
}

// whole says that the repository has all that a commit leads to.
func (m *mending) whole(ctx context.Context, id string) bool {
	cmd := exec.CommandContext(ctx, m.r.git, "rev-list", "--objects", "--quiet", id, "--")
	cmd.Env = append(m.r.env(call{}), "GIT_OBJECT_DIRECTORY="+m.gd.objects())
	cmd.Dir = m.r.dir
	return cmd.Run() == nil
}

// head writes HEAD where it cannot be read.
func (m *mending) head(context.Context) error {
	if commit, _, err := m.gd.head(); err == nil && (commit != "" || m.last.Commit() == "") {
		return nil
	}
	text, name := "ref: "+m.last.Branch(), strings.TrimPrefix(m.last.Branch(), "refs/heads/")
	if m.last.Branch() == "" {
		text, name = m.last.Commit(), short(m.last.Commit())
	}
	m.did("HEAD is at %s", name)
	return putBack(filepath.Join(m.gd.dir, "HEAD"), []byte(text+"\n"))
}

// index brings the index back where there is none, so that nothing looks removed.
func (m *mending) index(ctx context.Context) error {
	path := filepath.Join(m.gd.dir, "index")
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	text, err := readRegular(filepath.Join(m.kept, "index"), indexBytes)
	if err == nil {
		m.did("the index is as it was recorded last")
		return putBack(path, text)
	}
	commit, _, err := m.gd.head()
	if err != nil || commit == "" {
		return nil //nolint:nilerr // there is nothing that could be in it
	}
	if _, err := m.r.run(ctx, call{args: []string{"read-tree", commit}, index: path, objects: m.gd.objects()}); err != nil {
		return fmt.Errorf("make an index: %w", err)
	}
	m.did("the index is as in HEAD")
	return nil
}

// rest says what else was in the folder of the repository and is not there.
func (m *mending) rest(context.Context) error {
	text, _ := readRegular(filepath.Join(m.kept, keptNames), 1<<20)
	passing := []string{"COMMIT_EDITMSG", "ORIG_HEAD", "FETCH_HEAD", "packed-refs", "gc.log", "branches", "description"}
	for name := range strings.FieldsSeq(string(text)) {
		if _, err := os.Lstat(filepath.Join(m.gd.common, name)); errors.Is(err, fs.ErrNotExist) && !slices.Contains(passing, name) && !strings.HasSuffix(name, ".lock") {
			m.lacks(".git/%s", name)
		}
	}
	for _, op := range m.last.Of(rule.GitOperation) {
		if !slices.Contains(m.gd.operations(), op) {
			m.lacks("the %s that was in progress", op)
		}
	}
	return nil
}

// putBack writes a file of the user's repository, which others may have to read.
func putBack(path string, text []byte) error {
	if err := writeFile(path, text, true); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}
