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
)

const modeLink = "160000"

// entry is one path that git knows of, from its index or from the work tree.
type entry struct {
	path    string
	mode    string // of the index; empty is not in it
	id      string
	changed bool // new, modified or deleted
	nested  bool // a repository that is not in the index
}

// list asks git for all paths: what the index holds, and what differs.
func (rec *recording) list(ctx context.Context) ([]entry, error) {
	out, err := rec.r.run(ctx, call{
		args:  []string{"ls-files", "-z", "-t", "-s", "-c", "-d", "-m", "-o", "--exclude-from=" + rec.rules},
		index: rec.index, tree: true,
		quiet: true, // a folder that cannot be read is only a warning there
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return parseListing(string(out))
}

func parseListing(out string) ([]entry, error) {
	lines := strings.Count(out, "\x00")
	entries := make([]entry, 0, lines)
	at := make(map[string]int, lines) // changed paths of the index come twice or thrice
	for line := range strings.SplitSeq(out, "\x00") {
		if line == "" {
			continue
		}
		tag, rest, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("git ls-files: unexpected line %.80q", line)
		}
		if tag == "?" {
			path, nested := strings.CutSuffix(rest, "/")
			if i, known := at[path]; known {
				entries[i].nested = nested
				continue
			}
			entries = append(entries, entry{path: path, changed: true, nested: nested})
			at[path] = len(entries) - 1
			continue
		}
		meta, path, ok := strings.Cut(rest, "\t")
		mode, more, okMode := strings.Cut(meta, " ")
		id, _, okID := strings.Cut(more, " ")
		if !ok || !okMode || !okID {
			return nil, fmt.Errorf("git ls-files: unexpected line %.80q", line)
		}
		i, known := at[path]
		if !known {
			i = len(entries)
			entries = append(entries, entry{path: path})
			at[path] = i
		}
		entries[i].mode, entries[i].id = mode, id
		entries[i].changed = entries[i].changed || tag != "H"
	}
	return entries, nil
}

// plan is what has to happen to the index, and what a Snapshot says beside trees.
type plan struct {
	add     []string // paths for git to look at: new, changed or gone
	info    []string // index lines: repositories, large files, removals
	again   bool     // look again after this: files were hidden
	noted   []string // paths of the index that are notes
	dirs    []string
	large   []string
	nested  []string
	skipped []string
}

func (p *plan) remove(e entry) {
	if e.mode != "" {
		p.info = append(p.info, "0 "+strings.Repeat("0", len(e.id))+"\t"+e.path)
	}
}

// topOnly says whether no folder below the top is changed by the plan, so that
// one tree at most is new.
func (p *plan) topOnly() bool {
	return len(p.info) == 0 && !slices.ContainsFunc(p.add, func(path string) bool { return strings.Contains(path, "/") })
}

// link plans an entry that names something recorded by id only.
func (p *plan) link(e entry, id string) {
	if e.mode != modeLink || e.id != id {
		p.info = append(p.info, modeLink+" "+id+" 0\t"+e.path)
	}
}

func (rec *recording) plan(ctx context.Context, entries []entry) (plan, error) {
	var p plan
	tracked := trackedPaths(rec.ignore)
	entries = rec.withTracked(entries, tracked)
	rec.scanDirs(&p, entries)
	racy := rec.racySecond()
	top, err := os.Open(rec.r.ws.Path)
	if err != nil {
		return plan{}, err
	}
	defer top.Close()
	for _, e := range entries {
		if rec.untouched[e.path] {
			p.remove(e)
			continue
		}
		if rec.notes.match(e.path) || rec.made[e.path] {
			p.noted = append(p.noted, e.path)
		}
		var err error
		switch {
		case e.changed || e.mode == modeLink:
			err = rec.look(ctx, &p, e, tracked[e.path])
		case racy > 0:
			distrust(&p, e, racy, int(top.Fd()))
		}
		if err != nil {
			return plan{}, fmt.Errorf("%w: %q: %w", ErrUnreadable, e.path, err)
		}
	}
	return p, nil
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
		p.add = append(p.add, e.path)
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
	p.add = append(p.add, e.path)
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
		id, err = rec.store(ctx, "autopilot repository without a commit\n")
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
func (rec *recording) largeID(ctx context.Context, path, abs string, info fs.FileInfo) (string, error) {
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
	id, err := rec.store(ctx, fmt.Sprintf("%s\nsize %d\nsha256 %s\n", largeHead, size, hex.EncodeToString(sum.Sum(nil))))
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

func (rec *recording) store(ctx context.Context, text string) (string, error) {
	return rec.r.oid(ctx, call{args: []string{"hash-object", "-w", "--stdin"}, stdin: strings.NewReader(text)})
}

// racySecond is the second in which the index was written last, 0 if there is
// none.
func (rec *recording) racySecond() int64 {
	info, err := os.Stat(rec.index)
	if err != nil {
		return 0
	}
	return info.ModTime().Unix()
}

// distrust has a file read again whose attributes or content changed in or
// after the second in which the index was written, but whose modification time
// is older. Git compares whole seconds and looks again only if the modification
// time is as new as the index; a program can set that time back.
func distrust(p *plan, e entry, racy int64, top int) {
	changed, modified, err := seconds(top, e.path)
	if err != nil || changed < racy || modified >= racy {
		return
	}
	p.remove(e)
	p.add = append(p.add, e.path)
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

// scanDirs lists what git does not see in the folders that hold recorded
// files: pipes, sockets, devices. A folder with nothing else in it is not looked at.
func (rec *recording) scanDirs(p *plan, entries []entry) {
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = e.path
	}
	p.dirs = dirsOf(paths)
	for _, dir := range p.dirs {
		// A pipe or a link may have taken the folder's place.
		f, err := os.OpenFile(filepath.Join(rec.r.ws.Path, dir), os.O_RDONLY|openFolder, 0)
		if err != nil {
			continue // gone, or git has said that it cannot read it
		}
		found, err := f.ReadDir(-1)
		_ = f.Close()
		if err != nil {
			continue
		}
		for _, d := range found {
			if d.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeCharDevice|fs.ModeIrregular) != 0 {
				p.skipped = append(p.skipped, filepath.Join(dir, d.Name()))
			}
		}
	}
}
