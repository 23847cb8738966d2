package tree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// fsyncMethod picks git's way of syncing objects. Its batch mode writes all
// objects out and then syncs one file; that holds where one sync commits the
// journal of the whole file system, and is a tenth of the time. Elsewhere every
// object is synced.
func fsyncMethod(dir string) string {
	var st unix.Statfs_t
	for p := dir; ; p = filepath.Dir(p) {
		if unix.Statfs(p, &st) == nil {
			break
		}
		if p == filepath.Dir(p) {
			return "fsync"
		}
	}
	switch st.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return "batch"
	}
	return "fsync"
}

// stamp identifies a state of a file: while it is the same, so are the bytes.
// The change time cannot be set by a program, so it is part of it.
func stamp(info fs.FileInfo) (string, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%d %d %d %d.%09d %d.%09d", st.Dev, st.Ino, st.Size, st.Mtim.Sec, st.Mtim.Nsec, st.Ctim.Sec, st.Ctim.Nsec), true
}

// mountsBelow are the places below a directory that something is mounted on: it
// may be a part of the same file system.
func mountsBelow(top string) (found []string) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	plain := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		if rel, ok := strings.CutPrefix(plain.Replace(f[4]), top+"/"); ok {
			found = append(found, rel)
		}
	}
	return found
}

// whiteOut makes what an overlay takes for a file that is not there.
func whiteOut(dir *os.File, name string) error {
	return unix.Mknodat(int(dir.Fd()), name, unix.S_IFCHR, 0)
}

// born names a directory for as long as it is there: inode numbers are given again,
// so the time of its birth is part of it. It is empty where the file system has none.
func born(dir string) string {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_INO|unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d %d %d.%09d", st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec)
}

// pathMax is how long a path of the system may be.
const pathMax = unix.PathMax

// writeOut hands the content of a file to the disk. A sync of a later file then covers
// it, where fsyncMethod says batch.
func writeOut(f *os.File) error {
	return unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
}
