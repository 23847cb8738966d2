package tree

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autopilot/projections/rule"
)

// DamageError says what of the repository of a work tree is lost, so that neither
// git nor a run can go on there. The directory itself is there.
type DamageError struct{ What string }

func (e *DamageError) Error() string { return e.What }

// Bounds of what is read of a repository.
const (
	mostRefs  = 5000 // listed one by one; of more only a sum is known
	mostFar   = 500  // of a remote that is a directory
	hookBytes = 1 << 20
)

// GitState reads what the repository of the work tree looks like, from files alone
// but for a configuration that has changed. No program that is named there runs. It
// is a DamageError where there is no repository any more, or not a whole one.
func (r *Repo) GitState(ctx context.Context) (rule.GitState, error) {
	gd, err := r.standing()
	if err != nil {
		return nil, err
	}
	g := rule.GitState{}
	commit, branch, err := gd.head()
	if err != nil {
		return nil, &DamageError{"HEAD cannot be read: " + err.Error()}
	}
	if commit != "" && !gd.mayHold(commit) {
		return nil, &DamageError{"its commits are gone (.git/objects)"}
	}
	g[rule.GitFact{Kind: rule.GitHead, Name: "commit"}], g[rule.GitFact{Kind: rule.GitHead, Name: "branch"}] = commit, branch
	if place := born(gd.common); place != "" {
		g[rule.GitFact{Kind: rule.GitPlace}] = place
	}
	if err := gd.readRefs(g); err != nil {
		return nil, fmt.Errorf("read the refs of %s: %w", r.ws.Path, err)
	}
	entries, err := r.config(ctx, gd)
	if err != nil {
		return nil, err
	}
	gd.readConfig(g, entries)
	gd.readHooks(g, hooksDir(gd, r.ws.Path, entries))
	gd.readIndex(g, r.idLen/2)
	gd.readPlaces(g)
	readFar(g, r.ws.Path, entries)
	return g, nil
}

// standing is where the repository is; a DamageError where it is not.
func (r *Repo) standing() (gitDir, error) {
	gd, err := gitDirOf(r.ws.Path)
	switch gone := r.goneOr(nil); {
	case err == nil:
		return gd, nil
	case gone != nil:
		return gd, gone
	case errors.Is(err, fs.ErrNotExist):
		if _, lerr := os.Lstat(filepath.Join(r.ws.Path, ".git")); errors.Is(lerr, fs.ErrNotExist) {
			return gd, &DamageError{".git was removed"}
		}
	}
	if info, serr := os.Lstat(filepath.Join(r.ws.Path, ".git")); serr == nil && info.Mode().IsRegular() {
		return gd, &DamageError{".git names a repository that is not there"}
	}
	return gd, &DamageError{".git is no repository any more: its HEAD, objects or refs are missing"}
}

// mayHold says whether a commit can be there: as a file, or in some pack.
func (gd gitDir) mayHold(id string) bool {
	objects := gd.objects()
	if _, err := os.Lstat(filepath.Join(objects, id[:2], id[2:])); err == nil {
		return true
	}
	packs, _ := filepath.Glob(filepath.Join(objects, "pack", "*.pack"))
	return len(packs) > 0 || filled(filepath.Join(objects, "info", "alternates"))
}

func factSum(text ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(text, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// allRefs reads every ref but those of one work tree alone.
func (gd gitDir) allRefs() (map[string]string, error) {
	refs := map[string]string{}
	packed, err := readRegular(filepath.Join(gd.common, "packed-refs"), 256<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(packed))
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && idOK(id) {
			refs[ref] = id
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(gd.common, "refs"), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Type().IsRegular() {
			return nil
		}
		if err != nil || strings.HasSuffix(path, ".lock") {
			return err
		}
		ref, err := filepath.Rel(gd.common, path)
		if err != nil {
			return err
		}
		text, err := readRegular(path, 64<<10)
		if value := strings.TrimSpace(string(text)); err == nil && (idOK(value) || strings.HasPrefix(value, "ref:")) {
			refs[filepath.ToSlash(ref)] = value
		}
		return nil // one that cannot be read is as none to git, too
	})
	for _, own := range []string{"refs/bisect/", "refs/rewritten/", "refs/worktree/"} {
		maps.DeleteFunc(refs, func(ref, _ string) bool { return strings.HasPrefix(ref, own) })
	}
	return refs, err
}

func (gd gitDir) readRefs(g rule.GitState) error {
	refs, err := gd.allRefs()
	if err != nil {
		return err
	}
	gd.readStash(g, refs["refs/stash"])
	delete(refs, "refs/stash")
	sums := map[string][]string{}
	for i, ref := range slices.Sorted(maps.Keys(refs)) {
		if i < mostRefs || strings.HasPrefix(ref, "refs/heads/") {
			g[rule.GitFact{Kind: rule.GitRef, Name: ref}] = refs[ref]
			continue
		}
		kind := strings.Join(strings.SplitAfterN(ref, "/", 3)[:2], "")
		sums[kind] = append(sums[kind], ref, refs[ref])
	}
	for kind, list := range sums {
		g[rule.GitFact{Kind: rule.GitRefs, Name: kind}] = strconv.Itoa(len(list)/2) + " " + factSum(list...)
	}
	return nil
}

// readStash lists the stashes by their reflog: the ref has only the latest.
func (gd gitDir) readStash(g rule.GitState, latest string) {
	if latest == "" {
		return
	}
	g[rule.GitFact{Kind: rule.GitStash, Name: latest}] = ""
	text, _ := readRegular(filepath.Join(gd.common, "logs", "refs", "stash"), 4<<20)
	for line := range strings.Lines(string(text)) {
		meta, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ids := strings.Fields(meta); len(ids) > 1 && idOK(ids[1]) {
			g[rule.GitFact{Kind: rule.GitStash, Name: ids[1]}] = what
		}
	}
}

// readPlaces reads what is in progress, the other work trees, and what makes history
// look like another.
func (gd gitDir) readPlaces(g rule.GitState) {
	for _, op := range gd.operations() {
		g[rule.GitFact{Kind: rule.GitOperation, Name: op}] = ""
	}
	entries, _ := os.ReadDir(filepath.Join(gd.common, "worktrees"))
	for _, e := range entries {
		if e.IsDir() && len(g.Of(rule.GitWorktree)) < mostTrees {
			g[rule.GitFact{Kind: rule.GitWorktree, Name: e.Name()}] = ""
		}
	}
	for name, path := range map[string]string{"shallow": "shallow", "grafts": "info/grafts", "alternates": "objects/info/alternates"} {
		if text, err := readRegular(filepath.Join(gd.common, path), 16<<20); err == nil && len(text) > 0 {
			g[rule.GitFact{Kind: rule.GitOverlay, Name: name}] = factSum(string(text))
		}
	}
}

// operations are what git was asked for and has not ended.
func (gd gitDir) operations() []string {
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(gd.dir, name))
		return err == nil
	}
	var out []string
	for _, h := range halves {
		switch what := h.what; {
		case !there(h.file):
		case h.file == "rebase-apply" && there("rebase-apply/applying"):
			out = append(out, "am")
		case h.file == "rebase-apply":
			out = append(out, "rebase")
		case h.file == "sequencer" && (there("CHERRY_PICK_HEAD") || there("REVERT_HEAD")):
		default:
			out = append(out, what)
		}
	}
	return slices.Compact(out)
}

// readFar reads the refs of remotes that are directories of this machine: those that are
// pushed to come last, so they count where a remote has two.
func readFar(g rule.GitState, top string, entries []configEntry) {
	readFarAt(g, top, entries, ".url")
	readFarAt(g, top, entries, ".pushurl")
}

func readFarAt(g rule.GitState, top string, entries []configEntry, key string) {
	for _, e := range entries {
		remote, ok := strings.CutSuffix(strings.TrimPrefix(e.key, "remote."), key)
		if !ok || !strings.HasPrefix(e.key, "remote.") {
			continue
		}
		path := strings.TrimPrefix(e.value, "file://")
		if _, other := RemoteName(e.value); other || path == "" || strings.Contains(path, "://") {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(top, path)
		}
		far, err := gitDirOf(path)
		if err != nil {
			if far = (gitDir{path, path}); !isGitDir(path, path) {
				continue
			}
		}
		refs, err := far.allRefs()
		if err != nil || len(refs) > mostFar {
			continue
		}
		for ref, id := range refs {
			g[rule.GitFact{Kind: rule.GitFar, Name: remote + " " + ref}] = id
		}
	}
}
