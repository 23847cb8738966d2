package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/projections/marker"
)

// outputWithin bounds each program that a check runs.
const outputWithin = 2 * time.Second

// System looks at this host. large is the size over which a file is not recorded
// whole.
func System(now time.Time, large int64) Probe {
	return Probe{
		GOOS: runtime.GOOS, UID: os.Getuid(), Now: now,
		ReadFile: readSmall, Stat: os.Stat,
		Writable: func(path string) bool { return unix.Access(path, unix.W_OK) == nil },
		Statfs:   statfs, Output: output, Look: look, Landlock: landlockABI, NoFile: noFile,
		Search: func(root string) Scan { return search(root, large) },
	}
}

const maxRead = 1 << 20

// readSmall reads a file that is no pipe and not large. Files of /proc have the
// size 0.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRead {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("no small regular file")}
	}
	return os.ReadFile(path)
}

// statfs is about the nearest directory above that exists.
func statfs(path string) (Disk, error) {
	var st unix.Statfs_t
	for {
		err := unix.Statfs(path, &st)
		if !errors.Is(err, unix.ENOENT) || path == filepath.Dir(path) {
			return Disk{Free: uint64(st.Bavail) * uint64(st.Bsize), Kind: int64(st.Type)}, err
		}
		path = filepath.Dir(path)
	}
}

func output(ctx context.Context, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, outputWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = "/", marker.WithoutRepository(os.Environ())
	cmd.WaitDelay = outputWithin // what it left behind may hold its output open
	out, err := cmd.Output()
	return string(out), err
}

func look(path, word string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, word)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

func noFile() (uint64, error) {
	var r unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r)
	return uint64(r.Cur), err //nolint:unconvert // signed on some systems
}

// Bounds of a search through a work tree.
const (
	searchMost   = 20000
	searchWithin = time.Second
)

// skipped are directories whose content is rebuilt and rarely recorded.
var skipped = []string{"node_modules", ".venv", "venv", "target", ".git"}

// search looks for repositories and large files. It follows no link.
func search(root string, large int64) Scan {
	t := Scan{Whole: true}
	seen := 0
	end := time.Now().Add(searchWithin)
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			t.Whole = false
			return nil
		}
		if seen++; seen > searchMost || time.Now().After(end) {
			t.Whole = false
			return fs.SkipAll
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if e.IsDir() {
			return t.dir(path, rel, e.Name())
		}
		if !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Size() > large {
			t.Large = append(t.Large, rel)
		}
		return nil
	})
	return t
}

func (t *Scan) dir(path, rel, name string) error {
	for _, s := range skipped {
		if name == s {
			return fs.SkipDir
		}
	}
	if rel == "." {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
		t.Nested = append(t.Nested, strings.TrimSuffix(rel, "/"))
		return fs.SkipDir
	}
	return nil
}
