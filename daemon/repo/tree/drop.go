package tree

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
	"time"

	"autopilot/events"
)

// Dropping is what is taken out of the repository of a workspace that need not
// exist any more.
type Dropping struct {
	Workspace string        // its id
	Runs      []string      // whose trees go
	Keep      []events.Tree // that other runs name, beside what is kept by name
	Before    time.Time     // objects that were written later stay, as what is being recorded has no name yet
	Alone     bool          // nothing is being recorded, and nothing will be: packs may be written anew
	DryRun    bool          // only count
}

// ignoreName is how much of the SHA-256 of ignore rules is in the name of an index.
const ignoreName = 12

// Drop removes the names of the trees of runs, and the objects that only these
// had. It says how many names there were. A repository that is not there has
// none. Dropping again what is gone is no error.
func (c Config) Drop(ctx context.Context, d Dropping) (named int, err error) {
	if !nameOK(d.Workspace) {
		return 0, fmt.Errorf("drop trees: bad workspace %.80q", d.Workspace)
	}
	r := &Repo{dir: filepath.Join(c.Root, d.Workspace+".git"), states: map[string]*state{}}
	if _, err := os.Stat(r.dir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, run := range d.Runs {
		n, err := r.names(run)
		if err != nil {
			return named, fmt.Errorf("drop trees of %s: %w", r.dir, err)
		}
		named += n
	}
	if d.DryRun {
		return named, nil
	}
	if r.git, err = lookGit(c.Git); err != nil {
		return 0, fmt.Errorf("drop trees: %w", err)
	}
	if err := r.drop(ctx, d); err != nil {
		return named, fmt.Errorf("drop trees of %s: %w", r.dir, err)
	}
	return named, nil
}

// names counts the trees that are kept of a run.
func (r *Repo) names(run string) (int, error) {
	if !nameOK(run) {
		return 0, fmt.Errorf("bad run %.80q", run)
	}
	entries, err := os.ReadDir(r.runRefs(run))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return len(entries), err
}

func (r *Repo) runRefs(run string) string { return filepath.Join(r.dir, "refs", "autopilot", run) }

func (r *Repo) drop(ctx context.Context, d Dropping) error {
	for _, run := range d.Runs {
		if err := errors.Join(os.RemoveAll(r.runRefs(run)), r.Forget(run)); err != nil {
			return err
		}
	}
	// The index names files, and these runs may have recorded some of them.
	if err := os.RemoveAll(filepath.Join(r.dir, "known")); err != nil {
		return err
	}
	return r.dropObjects(ctx, d)
}

// spared is where trees are named while objects are removed, as git has no other
// way to be told of many.
const spared = "refs/spared"

// dropObjects removes what no name leads to.
func (r *Repo) dropObjects(ctx context.Context, d Dropping) (err error) {
	dir := filepath.Join(r.dir, spared)
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	keep, err := r.present(ctx, d.Keep)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, t := range keep {
		if err := os.WriteFile(filepath.Join(dir, t), []byte(t+"\n"), 0o600); err != nil {
			return err
		}
	}
	packs, err := filepath.Glob(filepath.Join(r.dir, "objects", "pack", "*.pack"))
	if err != nil {
		return err
	}
	if len(packs) > 0 && d.Alone { // of files that git never writes loose
		if _, err := r.run(ctx, call{args: []string{"repack", "-a", "-d", "-q", "--window=0"}}); err != nil {
			return err
		}
	}
	_, err = r.run(ctx, call{args: []string{"prune", "--expire=" + fmt.Sprint(d.Before.Unix())}})
	return err
}

// present are the trees that the repository has, each once. Of some it may have
// none: a tree without notes is made only when it is looked at.
func (r *Repo) present(ctx context.Context, trees []events.Tree) ([]string, error) {
	var ids []string
	for _, t := range trees {
		if idOK(string(t)) {
			ids = append(ids, string(t))
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := r.run(ctx, call{
		args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"}, stdin: strings.NewReader(strings.Join(ids, "\n") + "\n"),
	})
	if err != nil {
		return nil, err
	}
	var have []string
	for line := range bytes.Lines(out) {
		if id, kind, _ := strings.Cut(strings.TrimSpace(string(line)), " "); kind == "tree" && idOK(id) {
			have = append(have, id)
		}
	}
	return have, nil
}

// Doubt forgets what is known of the work tree beside what is on disk, as objects
// of it may have been dropped. Who records at the moment is left alone.
func (r *Repo) Doubt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, st := range r.states {
		if st.mu.TryLock() {
			st.tree, st.work = "", nil
			st.mu.Unlock()
		}
	}
}
