package tree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Git opens every .gitattributes on its way, and waits for ever where one is a pipe
// that nobody writes to. While git is at work, such pipes are opened for writing and
// closed, so that whoever reads them finds them empty.

// feedEvery is how long git may wait for one.
const feedEvery = 2 * time.Millisecond

type feeder struct {
	mu    sync.Mutex
	pipes map[string]bool
	end   chan struct{}
	over  sync.WaitGroup
}

// feed adds pipes among the attributes of folders, by their paths below top.
func (f *feeder) feed(top string, dirs []string) {
	for _, dir := range dirs {
		path := filepath.Join(top, dir, ".gitattributes")
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			f.add(path)
		}
	}
}

func (f *feeder) add(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pipes == nil {
		f.pipes, f.end = map[string]bool{}, make(chan struct{})
		f.over.Go(f.run)
	}
	f.pipes[path] = true
}

func (f *feeder) run() {
	tick := time.NewTicker(feedEvery)
	defer tick.Stop()
	for {
		select {
		case <-f.end:
			return
		case <-tick.C:
		}
		f.mu.Lock()
		for path := range f.pipes {
			// Without a reader this fails at once.
			if fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
				_ = unix.Close(fd)
			}
		}
		f.mu.Unlock()
	}
}

func (f *feeder) stop() {
	if f.end != nil {
		close(f.end)
		f.over.Wait()
	}
}

// indexDirs are the folders with files of the index, where they are not known.
func (rec *recording) indexDirs(ctx context.Context) ([]string, error) {
	if _, err := os.Lstat(rec.index); err != nil || rec.st.dirs != nil {
		return rec.st.dirs, nil //nolint:nilerr // no index, no folders
	}
	out, err := rec.r.run(ctx, call{args: []string{"ls-files", "-z", "-c"}, index: rec.index})
	if err != nil {
		return nil, err
	}
	return dirsOf(zeroed(out)), nil
}

// dirsOf are the folders on the way to paths, the top among them.
func dirsOf(paths []string) []string {
	seen, dirs := map[string]bool{".": true}, []string{"."}
	for _, path := range paths {
		for dir := filepath.Dir(path); !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// spoken is what git said on stderr, without what it says of attributes that it cannot
// open: those do not count here.
func spoken(stderr string) bool {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if line != "" && (!strings.HasPrefix(line, "warning: unable to access '") || !strings.Contains(line, ".gitattributes': ")) {
			return true
		}
	}
	return false
}
