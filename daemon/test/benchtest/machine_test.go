package benchtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// facts are the lines above the table: command, machine, disk.
func (b *bench) facts() ([]string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil, err
	}
	f, err := newSyncFile(b.path("fsync"))
	if err != nil {
		return nil, err
	}
	sync, err := f.median(200, 1<<10)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	git, err := output(b.command(b.dir, b.git, "version"))
	if err != nil {
		return nil, err
	}
	return []string{
		"make bench (go test -v -count=1 ./daemon/test/benchtest -bench.table)",
		fmt.Sprintf("%d cores, %s %s %s, %s, %s", runtime.NumCPU(), unix.ByteSliceToString(u.Sysname[:]),
			unix.ByteSliceToString(u.Release[:]), runtime.GOARCH, runtime.Version(), strings.TrimSpace(string(git))),
		fmt.Sprintf("fsync of 1 KiB p50 %s in %s, load at the start %s", ms(sync), filepath.Dir(b.dir), load()),
	}, nil
}

// load is the run queue of the last minute, as far as the system says.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}

// syncFile is appended to as a log is: write, fsync.
type syncFile struct{ *os.File }

func newSyncFile(path string) (syncFile, error) {
	f, err := os.Create(path)
	return syncFile{f}, err
}

func (f syncFile) append(bytes int) error {
	if _, err := f.Write(make([]byte, bytes)); err != nil {
		return err
	}
	return f.Sync()
}

func (f syncFile) median(n, bytes int) (time.Duration, error) {
	var list []time.Duration
	for range n {
		d, err := took(func() error { return f.append(bytes) })
		if err != nil {
			return 0, err
		}
		list = append(list, d)
	}
	return median(list), nil
}
