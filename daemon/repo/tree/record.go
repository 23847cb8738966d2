package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"autopilot/events"
)

// Snapshot is what a workspace looked like.
type Snapshot struct {
	Tree    events.Tree
	Work    events.Tree // Tree without note paths
	Large   []string    // recorded by size and hash only
	Nested  []string    // repositories in the workspace, recorded by their HEAD and a sum of what differs from it
	Skipped []string    // pipes, sockets, devices, names that git refuses, and what cannot be read
}

// state is what is known of an index since its last Record. It only saves
// work: after a restart it is empty, and git looks again.
type state struct {
	mu    sync.Mutex
	tree  events.Tree // what the index holds; empty is unknown
	work  map[string]events.Tree
	dirs  []string             // folders with recorded files
	large map[string]largeFile // by path
}

// largeFile is the recorded form of a large file, valid while its stamp holds.
type largeFile struct{ stamp, id string }

// Without is what a Record leaves out beside ignored files.
type Without struct {
	Notes     []string // globs of paths that are not in Snapshot.Work
	Made      []string // exact paths that are not in it either
	Untouched []string // exact paths that are in neither tree
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}

// Record records the work tree. The index name (a run's id) keeps what git
// knows of the files between Records, so that only changes cost; ignore is the
// text of FreezeIgnore. Files that vanish or change while it looks make it look once
// more; then it is an error: ErrUnreadable naming the file, or ErrGone.
func (r *Repo) Record(ctx context.Context, index string, ignore []byte, w Without) (Snapshot, error) {
	if !nameOK(index) {
		return Snapshot{}, fmt.Errorf("record tree: bad index name %.80q", index)
	}
	g, err := compileGlobs(w.Notes)
	if err != nil {
		return Snapshot{}, fmt.Errorf("record tree: %w", err)
	}
	// Entries of an index follow from the rules, so rules are part of its name.
	sum := sha256.Sum256(ignore)
	id := hex.EncodeToString(sum[:ignoreName/2])
	rec := &recording{
		r: r, name: index, st: r.state(index + "." + id), index: filepath.Join(r.dir, "indexes", index+"."+id),
		rules: filepath.Join(r.dir, "ignore", id), ignore: ignore, notes: g, made: setOf(w.Made), untouched: setOf(w.Untouched),
		workKey: strings.Join(w.Notes, "\n") + "\x00" + strings.Join(w.Made, "\n"),
	}
	rec.st.mu.Lock()
	defer rec.st.mu.Unlock()
	snap, err := rec.once(ctx)
	if err == nil {
		return snap, nil
	}
	if ctx.Err() == nil && !errors.Is(err, ErrGone) {
		// The second look begins with an empty index: the first may have failed
		// because the index or an object it names did not survive a crash.
		rec.reset()
		snap, err = rec.once(ctx)
	}
	if err != nil {
		rec.reset()
		return Snapshot{}, fmt.Errorf("record %s: %w", r.ws.Path, r.goneOr(err))
	}
	return snap, nil
}

func (r *Repo) state(name string) *state {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.states[name] == nil {
		r.states[name] = &state{}
	}
	return r.states[name]
}

// Forget removes what Record keeps under an index name from one call to the
// next: as much as the work tree has files, for each set of rules. Recording
// under that name again begins anew.
func (r *Repo) Forget(index string) error {
	if !nameOK(index) {
		return fmt.Errorf("forget index: bad name %.80q", index)
	}
	own := func(name string) bool {
		return strings.HasPrefix(name, index+".") || strings.HasPrefix(name, index+nestedMark)
	}
	r.mu.Lock()
	maps.DeleteFunc(r.states, func(name string, _ *state) bool { return own(name) })
	for _, sub := range r.nested {
		sub.mu.Lock()
		maps.DeleteFunc(sub.states, func(name string, _ *state) bool { return own(name) })
		sub.mu.Unlock()
	}
	r.mu.Unlock()
	dir := filepath.Join(r.dir, "indexes")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("forget index %s: %w", index, err)
	}
	errs := []error{os.RemoveAll(r.keptGit(index))}
	for _, e := range entries {
		if own(e.Name()) {
			errs = append(errs, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// recording is one Record.
type recording struct {
	r         *Repo
	name      string // of the index, without its rules
	st        *state
	index     string
	rules     string
	ignore    []byte
	notes     globs
	made      map[string]bool
	untouched map[string]bool
	workKey   string // names what Snapshot.Work is without
	pipes     *feeder
}

func (rec *recording) reset() {
	rec.st.tree, rec.st.work, rec.st.dirs = "", nil, nil
	for _, path := range []string{rec.index, rec.index + ".lock"} {
		_ = os.Remove(path) // what stays makes the next call of git fail
	}
}

func (rec *recording) once(ctx context.Context) (Snapshot, error) {
	if err := rec.r.goneOr(nil); err != nil {
		return Snapshot{}, err
	}
	if err := rec.r.writeFile(rec.rules, rec.ignore); err != nil {
		return Snapshot{}, err
	}
	dirs, err := rec.indexDirs(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	rec.pipes = &feeder{}
	defer rec.pipes.stop()
	rec.pipes.feed(rec.r.ws.Path, dirs)
	p, err := rec.settle(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	if rec.st.tree == "" {
		id, err := rec.r.oid(ctx, call{args: []string{"write-tree"}, index: rec.index, lone: p.topOnly()})
		if err != nil {
			return Snapshot{}, err
		}
		rec.st.tree, rec.st.work = events.Tree(id), map[string]events.Tree{}
	}
	snap := Snapshot{Tree: rec.st.tree, Large: p.large, Nested: p.nested, Skipped: p.skipped}
	for _, list := range [][]string{snap.Large, snap.Nested, snap.Skipped} {
		slices.Sort(list)
	}
	snap.Skipped = slices.Compact(snap.Skipped)
	snap.Work, err = rec.work(ctx, p.noted)
	return snap, err
}

// settle brings the index up to the work tree. A folder that has stopped being
// a repository hides its files from git until its entry is gone, so the look
// is repeated until there is none; a few rounds are nested repositories, many
// are somebody who makes and unmakes them.
func (rec *recording) settle(ctx context.Context) (plan, error) {
	for range 10 {
		entries, err := rec.list(ctx)
		if err != nil {
			if passed, perr := rec.passBy(ctx); perr == nil && passed {
				entries, err = rec.list(ctx)
			}
		}
		if err != nil {
			return plan{}, err
		}
		p, err := rec.plan(ctx, entries)
		if err != nil {
			return plan{}, err
		}
		rec.pipes.feed(rec.r.ws.Path, p.dirs)
		if err := rec.apply(ctx, p); err != nil {
			return plan{}, err
		}
		if !p.again {
			rec.st.dirs = p.dirs
			return p, nil
		}
	}
	return plan{}, fmt.Errorf("%w: repositories in the workspace keep changing", ErrUnreadable)
}

// apply writes the plan into the index, with at most two processes.
func (rec *recording) apply(ctx context.Context, p plan) error {
	if len(p.info) > 0 || len(p.add) > 0 {
		rec.st.tree, rec.st.work = "", nil
	}
	if len(p.info) > 0 {
		_, err := rec.r.run(ctx, call{
			args: []string{"update-index", "-z", "--index-info"}, index: rec.index, tree: true,
			stdin: strings.NewReader(strings.Join(p.info, "\x00") + "\x00"),
		})
		if err != nil {
			return err
		}
	}
	if len(p.add) == 0 {
		return nil
	}
	_, err := rec.r.run(ctx, call{
		args: []string{"update-index", "-z", "--add", "--replace", "--remove", "--stdin"}, index: rec.index, tree: true,
		stdin: strings.NewReader(strings.Join(p.add, "\x00") + "\x00"), lone: len(p.add) == 1,
	})
	if err != nil {
		return rec.nameCulprit(p.add, err)
	}
	return nil
}

// nameCulprit finds the file that git could not take.
func (rec *recording) nameCulprit(paths []string, err error) error {
	for _, path := range paths {
		abs := filepath.Join(rec.r.ws.Path, path)
		info, statErr := os.Lstat(abs)
		if statErr != nil || !info.Mode().IsRegular() {
			continue
		}
		f, openErr := os.OpenFile(abs, os.O_RDONLY|openNonblock, 0)
		if openErr != nil {
			return fmt.Errorf("%w: %q: %w", ErrUnreadable, path, openErr)
		}
		_ = f.Close()
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

// work derives the tree without note paths. It costs nothing where there are
// none, and else a second index that lives for this call.
func (rec *recording) work(ctx context.Context, noted []string) (events.Tree, error) {
	if len(noted) == 0 {
		return rec.st.tree, nil
	}
	if known, ok := rec.st.work[rec.workKey]; ok {
		return known, nil
	}
	text, err := os.ReadFile(rec.index)
	if err != nil {
		return "", err
	}
	second := rec.index + ".work"
	defer os.Remove(second)
	if err := os.WriteFile(second, text, 0o600); err != nil {
		return "", err
	}
	_, err = rec.r.run(ctx, call{
		args: []string{"update-index", "-z", "--force-remove", "--stdin"}, index: second, tree: true,
		stdin: strings.NewReader(strings.Join(noted, "\x00") + "\x00"),
	})
	if err != nil {
		return "", err
	}
	id, err := rec.r.oid(ctx, call{args: []string{"write-tree"}, index: second})
	if err != nil {
		return "", err
	}
	rec.st.work[rec.workKey] = events.Tree(id)
	return events.Tree(id), nil
}
