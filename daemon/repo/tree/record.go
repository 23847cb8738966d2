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
		r: r, name: index, st: r.state(index + "." + id), file: filepath.Join(r.dir, "indexes", index+"."+id),
		ignore: ignore, notes: g, made: setOf(w.Made), untouched: setOf(w.Untouched),
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
		// because an object that the index names did not survive a crash.
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
	file      string // with the index
	ignore    []byte
	notes     globs
	made      map[string]bool
	untouched map[string]bool
	workKey   string // names what Snapshot.Work is without

	index   index
	special []string // pipes, sockets, devices
	changed bool     // the index is not as in the file
	objects *objects
	before  func() index // what another Record knew of the files
}

func (rec *recording) reset() {
	rec.st.tree, rec.st.work = "", nil
	_ = os.Remove(rec.file) // what stays is not as it says, and is found out to be so
}

func (rec *recording) once(ctx context.Context) (Snapshot, error) {
	if err := rec.r.goneOr(nil); err != nil {
		return Snapshot{}, err
	}
	rec.objects, rec.changed = rec.r.objects(), false
	defer rec.objects.close()
	rec.before = sync.OnceValue(rec.remembered)
	have, err := rec.load()
	if err != nil {
		return Snapshot{}, err
	}
	p, err := rec.settle(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	if rec.st.tree == "" {
		t := &planting{objects: rec.objects, have: have}
		id, err := t.plant(rec.index.list)
		if err != nil {
			return Snapshot{}, err
		}
		rec.st.tree, rec.st.work = events.Tree(id), map[string]events.Tree{}
		rec.index.trees, rec.changed = t.made, true
	}
	snap := Snapshot{Tree: rec.st.tree, Large: p.large, Nested: p.nested, Skipped: p.skipped}
	for _, list := range [][]string{snap.Large, snap.Nested, snap.Skipped} {
		slices.Sort(list)
	}
	snap.Skipped = slices.Compact(snap.Skipped)
	if snap.Work, err = rec.work(p.noted); err != nil {
		return snap, err
	}
	return snap, rec.save()
}

// errLost says that an object which an index names is not there.
var errLost = errors.New("recorded objects are lost")

// load reads the index, and says which trees are there. What an earlier process, or a
// Drop, has left is looked at once.
func (rec *recording) load() (have map[string]bool, err error) {
	have = map[string]bool{}
	if rec.index, err = readIndex(rec.file); err != nil {
		rec.index, rec.st.tree = index{}, ""
		return have, nil //nolint:nilerr // without an index every file is read
	}
	if rec.st.tree != "" {
		for _, id := range rec.index.trees {
			have[id] = true
		}
		return have, nil
	}
	for i := range rec.index.list {
		if e := &rec.index.list[i]; e.mode != modeLink && !rec.objects.has(e.id) {
			return nil, errLost
		}
	}
	return have, nil
}

// remembered is the index that any Record of this work tree wrote last. Only marks and
// ids of it count.
func (rec *recording) remembered() index {
	if rec.name == salvageIndex {
		return index{}
	}
	x, err := readIndex(rec.r.knownFile())
	if err != nil {
		return index{}
	}
	return x
}

// knownFile is where an index of the work tree outlives its run.
func (r *Repo) knownFile() string { return filepath.Join(r.dir, "known", r.ws.ID) }

// save writes the objects, and then the index, which counts only with them.
func (rec *recording) save() error {
	if err := rec.objects.flush(); err != nil || !rec.changed {
		return err
	}
	if err := replace(rec.file, rec.index.text(), 0o600, false); err != nil {
		return err
	}
	rec.r.know(rec.st.tree, rec.index.list)
	// The same file under another name, until the next one.
	to := rec.r.knownFile()
	temp := to + tempPrefix + filepath.Base(rec.file)
	_ = os.Mkdir(filepath.Dir(to), 0o700)
	_ = os.Remove(temp)
	if os.Link(rec.file, temp) == nil {
		_ = os.Rename(temp, to) // it only saves work
	}
	_ = os.Remove(temp)
	return nil
}

// settle brings the index up to the work tree. A folder that has stopped being
// a repository hides its files until its entry is gone, so the look
// is repeated until there is none; a few rounds are nested repositories, many
// are somebody who makes and unmakes them.
func (rec *recording) settle(ctx context.Context) (plan, error) {
	for range 10 {
		entries, err := rec.list(ctx)
		if err != nil {
			return plan{}, err
		}
		p, err := rec.plan(ctx, entries)
		if err != nil {
			return plan{}, err
		}
		if err := rec.apply(ctx, p); err != nil {
			return plan{}, err
		}
		if !p.again {
			return p, nil
		}
	}
	return plan{}, fmt.Errorf("%w: repositories in the workspace keep changing", ErrUnreadable)
}

// apply brings the plan into the index.
func (rec *recording) apply(ctx context.Context, p plan) error {
	read, err := rec.read(ctx, p.add)
	if err != nil {
		return err
	}
	if len(p.put)+len(read) == 0 {
		return nil
	}
	list := rec.index.with(slices.Concat(p.put, read))
	same := slices.EqualFunc(rec.index.list, list, func(a, b known) bool { return a.path == b.path && a.id == b.id && a.mode == b.mode })
	if !same {
		rec.st.tree, rec.st.work = "", nil
	}
	rec.index.list, rec.changed = list, true
	return nil
}

// work derives the tree without note paths. It costs nothing where there are none.
func (rec *recording) work(noted []string) (events.Tree, error) {
	if len(noted) == 0 {
		return rec.st.tree, nil
	}
	if known, ok := rec.st.work[rec.workKey]; ok {
		return known, nil
	}
	without := setOf(noted)
	list := slices.DeleteFunc(slices.Clone(rec.index.list), func(e known) bool { return without[e.path] })
	have := setOf(rec.index.trees)
	id, err := (&planting{objects: rec.objects, have: have}).plant(list)
	if err != nil {
		return "", err
	}
	rec.st.work[rec.workKey] = events.Tree(id)
	return events.Tree(id), nil
}
