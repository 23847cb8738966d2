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

// Snapshot is a state of a workspace.
type Snapshot struct {
	Tree    events.Tree
	Work    events.Tree // Tree without note paths
	Large   []string    // recorded by size and hash alone
	Nested  []string    // repositories in the workspace, recorded by their HEAD and a sum of their changes
	Skipped []string    // pipes, sockets, devices, names that git refuses, and unreadable files
}

// state is the knowledge about an index since its last Record. It only saves work: after
// a restart it is empty, and git looks again.
type state struct {
	mu    sync.Mutex
	tree  events.Tree // tree of the index; empty if unknown
	work  map[string]events.Tree
	large map[string]largeFile // by path
}

// largeFile is the recorded form of a large file, valid for its stamp.
type largeFile struct{ stamp, id string }

// Without lists the paths that a Record leaves out beside ignored files.
type Without struct {
	Notes     []string // globs of paths outside of Snapshot.Work
	Made      []string // exact paths outside of Snapshot.Work
	Untouched []string // exact paths outside of both trees
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}

// Record records the work tree. The index name, a run's id, keeps git's knowledge of the
// files between Records, so that only changes cost time. ignore is the text of
// FreezeIgnore. If files vanish or change during the look, Record looks once more. After
// that it returns ErrUnreadable with the file, or ErrGone.
func (r *Repo) Record(ctx context.Context, index string, ignore []byte, w Without) (Snapshot, error) {
	if !nameOK(index) {
		return Snapshot{}, fmt.Errorf("record tree: bad index name %.80q", index)
	}
	g, err := compileGlobs(w.Notes)
	if err != nil {
		return Snapshot{}, fmt.Errorf("record tree: %w", err)
	}
	// Entries of an index depend on the rules, so its name includes them.
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
		// The second look begins with an empty index: the first may have failed because a
		// crash lost an object that the index names.
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

// Forget removes what Record keeps under an index name: as much as the work tree has
// files, for each set of rules. The next Record under that name begins anew.
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
	name      string // of the index, without rules
	st        *state
	file      string // path of the index
	ignore    []byte
	notes     globs
	made      map[string]bool
	untouched map[string]bool
	workKey   string // names the exclusions of Snapshot.Work

	index   index
	special []string // pipes, sockets, devices
	changed bool     // the index differs from the file
	objects *objects
	before  func() index // files as another Record knew them
}

func (rec *recording) reset() {
	rec.st.tree, rec.st.work = "", nil
	_ = os.Remove(rec.file) // a leftover is stale, and found to be so
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

// errLost says that an object of the index is missing.
var errLost = errors.New("recorded objects are lost")

// load reads the index, and says which trees exist. It looks once at leftovers of an
// earlier process or a Drop.
func (rec *recording) load() (have map[string]bool, err error) {
	have = map[string]bool{}
	if rec.index, err = readIndex(rec.file); err != nil {
		rec.index, rec.st.tree = index{}, ""
		return have, nil //nolint:nilerr // without an index, Record reads every file
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

// remembered is the latest index of any Record of this work tree. Only its marks and ids
// count.
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

// knownFile is the path of an index that outlives its run.
func (r *Repo) knownFile() string { return filepath.Join(r.dir, "known", r.ws.ID) }

// save writes the objects, and then the index: it counts only with them.
func (rec *recording) save() error {
	if err := rec.objects.flush(); err != nil || !rec.changed {
		return err
	}
	if err := replace(rec.file, rec.index.text(), 0o600, false); err != nil {
		return err
	}
	rec.r.know(rec.st.tree, rec.index.list)
	// The same file gets a second name, until the next save.
	to := rec.r.knownFile()
	temp := to + tempPrefix + filepath.Base(rec.file)
	_ = os.Mkdir(filepath.Dir(to), 0o700)
	_ = os.Remove(temp)
	if os.Link(rec.file, temp) == nil {
		_ = os.Rename(temp, to) // the file only saves work
	}
	_ = os.Remove(temp)
	return nil
}

// settle updates the index to the work tree. A former repository hides its files until
// its entry is gone, so settle looks again until there is none. A few rounds mean nested
// repositories; many mean a program that makes and removes them.
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

// apply puts the plan into the index.
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

// work derives the tree without note paths. It costs nothing without notes.
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
