package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const modeLink = "160000"

// entry is one path of the index or of the work tree.
type entry struct {
	path    string
	mode    string // of the index; empty is not in it
	id      string
	now     string // the mode of the file as it was seen
	mark    mark   // of the file as it was seen
	changed bool   // new, modified or deleted
	nested  bool   // a repository that is not in the index
}

// list finds all paths: what the index holds, and what differs.
func (rec *recording) list(ctx context.Context) ([]entry, error) {
	found, special, err := rec.scan(ctx, rec.index)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	rec.special = special
	old := rec.index.list
	entries := make([]entry, 0, max(len(old), len(found)))
	for len(old)+len(found) > 0 {
		switch {
		case len(found) == 0 || len(old) > 0 && old[0].path < found[0].path:
			entries = append(entries, rec.unseen(old[0]))
			old = old[1:]
		case len(old) == 0 || found[0].path < old[0].path:
			f := &found[0]
			e := entry{path: f.path, now: f.mode, mark: f.mark, changed: true, nested: f.nested}
			if f.mode == modeLink {
				e.mode = modeLink
			}
			entries, found = append(entries, e), found[1:]
		default:
			o, f := &old[0], &found[0]
			entries = append(entries, entry{
				path: o.path, mode: o.mode, id: o.id, now: f.mode, mark: f.mark, nested: f.nested,
				changed: f.nested || f.shut || o.mode != f.mode || o.mark != f.mark,
			})
			old, found = old[1:], found[1:]
		}
	}
	return entries, nil
}

// unseen is an entry that the scan did not come to: the file is gone, or is ignored and
// recorded all the same.
func (rec *recording) unseen(o known) entry {
	e := entry{path: o.path, mode: o.mode, id: o.id, changed: true}
	var st unix.Stat_t
	if o.mode == modeLink || unix.Lstat(filepath.Join(rec.r.ws.Path, o.path), &st) != nil {
		return e
	}
	e.mark = markOf(&st)
	e.changed = modeOf(&st) != o.mode || e.mark != o.mark || rec.behindLink(o.path)
	return e
}

// plan is what has to happen to the index, and what a Snapshot says beside trees.
type plan struct {
	add     []adding // files to read
	put     []known  // repositories, large files, removals
	again   bool     // look again after this: files were hidden
	noted   []string // paths of the index that are notes
	large   []string
	nested  []string
	skipped []string
}

// adding is a file that is new or changed, with its mode and mark when it was seen; without
// a mode it was not.
type adding struct {
	path, mode string
	mark       mark
}

func (p *plan) remove(e entry) {
	if e.mode != "" {
		p.put = append(p.put, known{path: e.path})
	}
}

func (p *plan) read(e entry) { p.add = append(p.add, adding{e.path, e.now, e.mark}) }

// link plans an entry that names something recorded by id only.
func (p *plan) link(e entry, id string) {
	if e.mode != modeLink || e.id != id {
		p.put = append(p.put, known{path: e.path, mode: modeLink, id: id})
	}
}

func (rec *recording) plan(ctx context.Context, entries []entry) (plan, error) {
	var p plan
	p.skipped = specialAmong(rec.special, entries)
	tracked := trackedPaths(rec.ignore)
	entries = rec.withTracked(entries, tracked)
	for _, e := range entries {
		if rec.untouched[e.path] {
			p.remove(e)
			continue
		}
		if rec.notes.match(e.path) || rec.made[e.path] {
			p.noted = append(p.noted, e.path)
		}
		if !e.changed && e.mode != modeLink {
			continue
		}
		if err := rec.look(ctx, &p, e, tracked[e.path]); err != nil {
			return plan{}, fmt.Errorf("%w: %q: %w", ErrUnreadable, e.path, err)
		}
	}
	return p, nil
}

// specialAmong lists what is no file in the folders that hold entries.
func specialAmong(special []string, entries []entry) (list []string) {
	for _, path := range special {
		dir := path[:strings.LastIndexByte(path, '/')+1]
		i, _ := slices.BinarySearchFunc(entries, dir, func(e entry, dir string) int { return strings.Compare(e.path, dir) })
		if dir == "" || i < len(entries) && strings.HasPrefix(entries[i].path, dir) {
			list = append(list, path)
		}
	}
	return list
}

// withTracked adds the files that the user tracks although they are ignored.
func (rec *recording) withTracked(entries []entry, tracked map[string]bool) []entry {
	if len(tracked) == 0 {
		return entries
	}
	missing := map[string]bool{}
	for path := range tracked {
		missing[path] = true
	}
	for _, e := range entries {
		delete(missing, e.path)
	}
	for path := range missing {
		if _, err := os.Lstat(filepath.Join(rec.r.ws.Path, path)); err == nil {
			entries = append(entries, entry{path: path, changed: true})
		}
	}
	return entries
}

// look decides about one path that differs from the index.
func (rec *recording) look(ctx context.Context, p *plan, e entry, tracked bool) error {
	abs := filepath.Join(rec.r.ws.Path, e.path)
	info, err := os.Lstat(abs)
	switch {
	case gone(err) || rec.behindLink(e.path):
		p.remove(e)
		return nil
	case outOfReach(err):
		return rec.linkShutAbove(ctx, p, e, err)
	case err != nil:
		return err
	case refused(e.path, info.Mode()):
		p.skipped = append(p.skipped, e.path)
		p.remove(e)
		return nil
	}
	switch {
	case info.IsDir():
		return rec.lookDir(ctx, p, e, abs)
	case info.Mode()&fs.ModeSymlink != 0:
		p.read(e)
		return nil
	case !info.Mode().IsRegular():
		p.skipped = append(p.skipped, e.path)
		p.remove(e)
		return nil
	case unreadable(abs, info):
		return rec.linkShut(ctx, p, e, shutText(info))
	case info.Size() > rec.r.large && !tracked:
		id, err := rec.largeID(ctx, e.path, abs, info)
		if err != nil {
			return err
		}
		p.large = append(p.large, e.path)
		p.link(e, id)
		return nil
	}
	p.read(e)
	return nil
}

// lookDir decides about a folder that git lists as one path.
func (rec *recording) lookDir(ctx context.Context, p *plan, e entry, abs string) error {
	if isShut(abs) || e.mode == modeLink && len(abs) > longPath {
		return rec.linkShut(ctx, p, e, shutFolder)
	}
	gd, err := gitDirOf(abs)
	if err != nil {
		// Not a repository (any more). Its files, if any, are listed next time
		// round, when no entry stands before them.
		p.again = p.again || e.mode == modeLink
		p.remove(e)
		return nil
	}
	if e.mode != modeLink && !e.nested {
		p.remove(e) // a file became a folder whose files are listed themselves
		return nil
	}
	id, _, err := gd.head()
	if err != nil || len(id) != rec.r.idLen {
		id, err = "", nil // its HEAD cannot be read by us; say at least that it is there
	}
	if id == "" {
		id, err = rec.store("autopilot repository without a commit\n")
	}
	if err == nil {
		id, err = rec.nestedID(ctx, e.path, abs, gd, id)
	}
	if err != nil {
		return err
	}
	p.nested = append(p.nested, e.path)
	p.link(e, id)
	return nil
}

// largeID names a large file by a small text with its size and hash. In a tree
// it stands where a repository's HEAD would, so no file of the workspace can
// be taken for it.
func (rec *recording) largeID(_ context.Context, path, abs string, info fs.FileInfo) (string, error) {
	now, stable := stamp(info)
	if known, ok := rec.st.large[path]; ok && stable && known.stamp == now {
		return known.id, nil
	}
	f, err := os.OpenFile(abs, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return "", err
	}
	id, err := rec.store(fmt.Sprintf("%s\nsize %d\nsha256 %s\n", largeHead, size, hex.EncodeToString(sum.Sum(nil))))
	if err != nil {
		return "", err
	}
	if rec.st.large == nil {
		rec.st.large = map[string]largeFile{}
	}
	rec.st.large[path] = largeFile{stamp: now, id: id}
	return id, nil
}

const largeHead = "autopilot large file"

func (rec *recording) store(text string) (string, error) {
	return rec.objects.put("blob", []byte(text))
}

// behindLink says whether a folder on the way to path is a symbolic link.
func (rec *recording) behindLink(path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(rec.r.ws.Path, dir)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// refused says whether git would leave a name out: any spelling of .git, and a
// .gitmodules that is a link.
func refused(path string, mode fs.FileMode) bool {
	for name := range strings.SplitSeq(path, "/") {
		if strings.EqualFold(name, ".git") || (mode&fs.ModeSymlink != 0 && strings.EqualFold(name, ".gitmodules")) {
			return true
		}
	}
	return false
}

func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}
