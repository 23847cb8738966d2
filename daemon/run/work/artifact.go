package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sys/unix"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/rule"
)

// blankMost is how much of a file the search for text other than white space reads.
const blankMost = 1 << 20

// walkMost bounds the search for unrecorded files. Such files are reports in a build
// directory; everything installed below one would be too much.
const walkMost = 200_000

// artifact judges an artifact gate. A glob stands for recorded files. Only if it matches
// none does it stand for ignored files, except those that gates made. A recorded file is
// new if its content at phase entry was another, an ignored file by its time. The files of
// a phase are adopted by their hash where they were written again with the same content,
// as by a second run with the same task; a goal wants another content. A goal of
// the run counts from the run's start, as several phases may judge it. So does the work
// of a phase that the run came back to, or passed on the way back: some may need no
// change.
func (g *judgement) artifact(ctx context.Context, spec stored.Gate, now events.Tree) (events.GateResult, error) {
	a := gate.Artifact{Name: spec.Name, Role: g.s.Role(spec.Name), Globs: spec.Files}
	root, err := os.OpenRoot(g.p.Repo.Workspace().Path)
	if err != nil {
		return events.GateResult{}, gone(err)
	}
	defer root.Close()
	from, at := g.since(a.Role)
	f := &artifacts{root: root, since: at, adopts: a.Role == events.RoleCheck}
	if f.fresh, err = g.fresh(ctx, from, now); err != nil {
		return events.GateResult{}, err
	}
	if f.made, err = g.w.MadePaths(g.made); err != nil {
		return events.GateResult{}, err
	}
	var unmatched []string
	for _, glob := range spec.Files {
		found, err := g.set(ctx, now, []string{glob})
		if err != nil {
			return events.GateResult{}, err
		}
		if len(found) == 0 {
			unmatched = append(unmatched, glob)
		}
		for _, e := range found {
			if err := f.judge(ctx, e.Path, true); err != nil {
				return events.GateResult{}, err
			}
		}
	}
	for _, glob := range unmatched {
		if err := f.search(ctx, glob); err != nil {
			return events.GateResult{}, fmt.Errorf("look for %s: %w", glob, err)
		}
	}
	f.sort()
	r, texts := a.Judge(f.files, f.others)
	return g.store(ctx, r, texts)
}

// since is the start of the time that counts for an artifact gate of a role.
func (g *judgement) since(role events.GateRole) (events.Tree, time.Time) {
	if role == events.RoleCheck && !g.s.Loop.EnteredAt.IsZero() && g.s.Loop.Entered.Way == events.WayOn && g.s.Loop.Sender == "" {
		return entryTree(g.s), g.s.Loop.EnteredAt
	}
	return g.s.Facts.Tree, g.s.Clock.Started
}

// fresh lists the paths whose content changed.
func (g *judgement) fresh(ctx context.Context, from, now events.Tree) (map[string]bool, error) {
	changes, err := g.reads.changes(ctx, from, now)
	fresh := map[string]bool{}
	for _, c := range changes {
		if c.Status != tree.Deleted && c.OldID != c.NewID {
			fresh[c.Path] = true
		}
	}
	return fresh, err
}

// artifacts gathers the matches of globs.
type artifacts struct {
	root   *os.Root
	since  time.Time
	adopts bool // a file that is written again with the same content is new
	fresh  map[string]bool
	made   []string // sorted: files that gates made
	seen   map[string]bool
	files  []gate.ArtifactFile
	others []gate.NoArtifact
	walked int
}

func (f *artifacts) sort() {
	slices.SortFunc(f.files, func(a, b gate.ArtifactFile) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(f.others, func(a, b gate.NoArtifact) int { return strings.Compare(a.Path, b.Path) })
}

// judge looks at one path, once. It follows no link: that could lead to a file that no
// agent wrote. It waits for no pipe: that has no content. An unreadable or vanished file
// is no artifact.
func (f *artifacts) judge(ctx context.Context, name string, recorded bool) error {
	if f.seen[name] {
		return nil
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[name] = true
	info, err := f.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		f.others = append(f.others, gate.NoArtifact{Path: name, Why: kindOf(info.Mode())})
		return nil
	}
	var file gate.ArtifactFile
	if err == nil {
		file, err = f.read(ctx, name)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		f.others = append(f.others, gate.NoArtifact{Path: name, Why: "not readable"})
		return nil
	}
	written := (f.adopts || !recorded) && !info.ModTime().Before(f.since)
	file.Stale = !written && !f.fresh[name]
	f.files = append(f.files, file)
	return nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a link"
	}
	return "a pipe, socket or device"
}

func (f *artifacts) read(ctx context.Context, name string) (gate.ArtifactFile, error) {
	file := gate.ArtifactFile{Path: name, Blank: true}
	in, err := f.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return file, err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return file, errors.Join(err, fs.ErrInvalid)
	}
	sum := sha256.New()
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		if file.Blank && file.Bytes < blankMost {
			file.Blank = len(strings.TrimSpace(string(buf[:n]))) == 0
		}
		file.Bytes += int64(n)
		sum.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			file.Sum = hex.EncodeToString(sum.Sum(nil))
			return file, nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return file, err
		}
	}
}

// search looks for a glob on disk, among unrecorded files. It does not enter
// repositories' own folders.
func (f *artifacts) search(ctx context.Context, glob string) error {
	top := "."
	if clean := strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/"); strings.Contains(glob, "/") {
		top, _ = doublestar.SplitPattern(clean)
	}
	if info, err := f.root.Lstat(top); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // the folder is missing, so it has no files
	}
	return fs.WalkDir(f.root.FS(), top, func(name string, d fs.DirEntry, err error) error {
		switch f.walked++; {
		case ctx.Err() != nil:
			return ctx.Err()
		case f.walked > walkMost:
			return fs.SkipAll
		case err != nil:
			return nil //nolint:nilerr // an unreadable file is no artifact
		case d.IsDir() && path.Base(name) == ".git":
			return fs.SkipDir
		case d.IsDir() || !rule.GlobMatch(glob, name):
			return nil
		}
		if _, ours := slices.BinarySearch(f.made, name); ours {
			f.others = append(f.others, gate.NoArtifact{Path: name, Why: "made by a gate"})
			return nil
		}
		return f.judge(ctx, name, false)
	})
}
