package tree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Survey looks into the work trees of one repository, and changes nothing there:
// git runs with a repository of ours that is empty and lives as long as the
// survey, so no program that a work tree names is started. Close it. Its methods
// may be called from many goroutines.
type Survey struct {
	repo *Repo
	home string
	refs map[string]string // branches, remote branches and tags, with their objects
}

// Loose is what a work tree has that is in no commit, and what its commits are in.
// It is found as git status finds it, by the times of files; marks by which git was
// told not to look at a file count for nothing.
type Loose struct {
	Changed   []string // tracked files that are not as in the index
	Staged    []string // entries of the index that are not as in HEAD
	Untracked []string // files and folders that are not ignored
	Ignored   []string // files and folders that are, folders with a slash at the end
	Nested    []string // repositories in it, and submodules that are checked out
	Alone     int      // commits of HEAD that no other branch, remote branch or tag has
	Unpushed  int      // commits of HEAD that no remote branch has; none where there is no remote branch
	Remotes   bool     // there is a remote branch
}

// Survey begins to look at the work trees of a repository. home is where the
// user's ignore rules are.
func (c Config) Survey(ctx context.Context, ws Workspace, home string) (*Survey, error) {
	gd, err := gitDirOf(ws.Path)
	if err != nil {
		return nil, fmt.Errorf("look at the work trees of %s: %w", ws.Path, err)
	}
	git, err := lookGit(c.Git)
	if err != nil {
		return nil, fmt.Errorf("look at the work trees of %s: %w", ws.Path, err)
	}
	refs, err := gd.namedRefs()
	if err != nil {
		return nil, fmt.Errorf("read the refs of %s: %w", gd.common, err)
	}
	root, err := makeScratch(cmp.Or(c.Scratch, c.Root))
	if err != nil {
		return nil, fmt.Errorf("look at work trees: %w", err)
	}
	r := &Repo{ws: ws, dir: filepath.Join(root, "none.git"), git: git, states: map[string]*state{}}
	if err := r.prepare(ctx, root); err != nil {
		return nil, errors.Join(fmt.Errorf("look at work trees: %w", err), os.RemoveAll(root))
	}
	return &Survey{repo: r, home: home, refs: refs}, nil
}

// Again reads anew which branches, remote branches and tags there are.
func (s *Survey) Again(l Linked) (err error) {
	s.refs, err = l.gd.namedRefs()
	return err
}

// Close removes what the survey needed.
func (s *Survey) Close() error { return os.RemoveAll(filepath.Dir(s.repo.dir)) }

// Merged are the branches below a prefix whose commits are all in another branch,
// remote branch or tag, each with the first such one. But are branches to leave out.
func (s *Survey) Merged(ctx context.Context, gd Linked, prefix string, but []string) (map[string]string, error) {
	out := map[string]string{}
	for _, ref := range slices.Sorted(maps.Keys(s.refs)) {
		name, own := strings.CutPrefix(ref, "refs/heads/")
		if !own || !strings.HasPrefix(name, prefix) || slices.Contains(but, name) {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(s.refs)) {
			// One branch of a run in another of its kind may go with that one.
			if other == ref || strings.HasPrefix(other, "refs/heads/"+prefix) || strings.HasPrefix(other, "refs/remotes/") && strings.HasSuffix(other, "/"+name) {
				continue
			}
			n, err := s.count(ctx, gd.gd, s.refs[ref], []string{s.refs[other]})
			if err != nil {
				return out, err
			}
			if n == 0 {
				out[name] = strings.TrimPrefix(strings.TrimPrefix(other, "refs/heads/"), "refs/")
				break
			}
		}
	}
	return out, nil
}

// count is how many commits of id none of others has.
func (s *Survey) count(ctx context.Context, gd gitDir, id string, others []string) (int, error) {
	var in strings.Builder
	in.WriteString(id + "\n")
	for _, o := range others {
		in.WriteString("^" + o + "\n")
	}
	out, err := s.repo.run(ctx, call{
		args: []string{"rev-list", "--count", "--ignore-missing", "--stdin"}, stdin: strings.NewReader(in.String()), objects: gd.objects(),
	})
	if err != nil {
		return 0, theirs(ctx, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// Look looks into a work tree. One that is missing has commits only.
func (s *Survey) Look(ctx context.Context, l Linked) (Loose, error) {
	var v Loose
	err := s.commits(ctx, l, &v)
	if err == nil && !l.Missing {
		err = s.files(ctx, l, &v)
	}
	if err != nil {
		return v, fmt.Errorf("look at %s: %w", l.Path, err)
	}
	return v, nil
}

func (s *Survey) commits(ctx context.Context, l Linked, v *Loose) (err error) {
	var others, remotes []string
	for ref, id := range s.refs {
		if ref != l.Ref {
			others = append(others, id)
		}
		if strings.HasPrefix(ref, "refs/remotes/") {
			remotes = append(remotes, id)
		}
	}
	v.Remotes = len(remotes) > 0
	if l.Commit == "" {
		return nil
	}
	if v.Alone, err = s.count(ctx, l.gd, l.Commit, others); err == nil && v.Remotes {
		v.Unpushed, err = s.count(ctx, l.gd, l.Commit, remotes)
	}
	return err
}

// files compares the files with a copy of the index, and that with HEAD.
func (s *Survey) files(ctx context.Context, l Linked, v *Loose) error {
	r := &Repo{ws: l.Workspace, dir: s.repo.dir, git: s.repo.git, idLen: s.repo.idLen, large: s.repo.large, states: map[string]*state{}}
	work, err := os.MkdirTemp(r.dir, "tree-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	index := filepath.Join(work, "index")
	if err := copyIndex(l.gd, index); err != nil {
		return err
	}
	defer r.borrowSharedIndex(l.gd)()
	if err := r.unmark(ctx, index, v); err != nil {
		return err
	}
	// Files are read whose times are others than the index has.
	if _, err := r.run(ctx, call{args: []string{"update-index", "-q", "--refresh", "--ignore-submodules"}, index: index, tree: true}); err != nil {
		return err
	}
	for _, q := range []struct {
		to   *[]string
		args []string
		tree bool
	}{
		{&v.Changed, []string{"diff-files", "--name-only", "-z", "--ignore-submodules=all"}, true},
		{&v.Staged, []string{"diff-index", "--cached", "--name-only", "-z", l.Commit, "--"}, false},
	} {
		if !q.tree && l.Commit == "" {
			q.args = []string{"ls-files", "-z", "-c"} // all of it is staged
		}
		out, err := r.run(ctx, call{args: q.args, index: index, tree: q.tree, objects: l.gd.objects()})
		if err != nil {
			return err
		}
		*q.to = zeroed(out)
	}
	return r.others(ctx, s.home, l.gd, index, v)
}

// copyIndex copies the index with its time, by which git knows of which files it
// cannot be sure.
func copyIndex(gd gitDir, to string) error {
	path := filepath.Join(gd.dir, "index")
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := readRegular(path, 1<<30)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// unmark takes the marks off by which git was told not to look at a file, and
// finds the submodules that are checked out.
func (r *Repo) unmark(ctx context.Context, index string, v *Loose) error {
	out, err := r.run(ctx, call{args: []string{"ls-files", "-z", "-v", "-s", "-c"}, index: index, tree: true})
	if err != nil {
		return err
	}
	var assumed, skipped []string
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		switch tag := meta[:1]; {
		case strings.Contains(meta, " "+modeLink+" "):
			if _, err := os.Lstat(filepath.Join(r.ws.Path, path, ".git")); err == nil {
				v.Nested = append(v.Nested, path)
			}
		case tag == "S" || tag == "s":
			// A file that is left out on purpose is not there.
			if _, err := os.Lstat(filepath.Join(r.ws.Path, path)); err == nil {
				skipped = append(skipped, path)
			}
		case strings.ToLower(tag) == tag:
			assumed = append(assumed, path)
		}
	}
	for flag, paths := range map[string][]string{"--no-assume-unchanged": assumed, "--no-skip-worktree": skipped} {
		if len(paths) == 0 {
			continue
		}
		_, err := r.run(ctx, call{args: []string{"update-index", flag, "-z", "--stdin"}, index: index, tree: true, stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00")})
		if err != nil {
			return err
		}
	}
	return nil
}

// others lists what is in the work tree and not in the index.
func (r *Repo) others(ctx context.Context, home string, gd gitDir, index string, v *Loose) error {
	work := filepath.Dir(index)
	rules, err := r.ignoreRules(ctx, home, gd)
	if err != nil {
		return err
	}
	file := filepath.Join(work, "all-rules")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		return err
	}
	args := []string{"ls-files", "-z", "-o", "--directory", "--exclude-from=" + file}
	for _, ignored := range []bool{false, true} {
		q, to := args, &v.Untracked
		if ignored {
			q, to = append(slices.Clone(args), "-i"), &v.Ignored
		}
		// A folder that cannot be read is only a warning there.
		out, err := r.run(ctx, call{args: q, index: index, tree: true, quiet: true})
		if err != nil {
			return err
		}
		for _, path := range zeroed(out) {
			_, nerr := os.Lstat(filepath.Join(r.ws.Path, path, ".git"))
			if folder := strings.HasSuffix(path, "/"); folder && nerr == nil {
				v.Nested = append(v.Nested, strings.TrimSuffix(path, "/"))
			} else {
				*to = append(*to, path)
			}
		}
	}
	return nil
}

func zeroed(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
}
