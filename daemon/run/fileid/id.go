// Package fileid tells cheaply whether a file is still what it was, without
// reading it: as the index of git does, by what the file system says of it.
package fileid

import (
	"io/fs"
	"os"
	"syscall"
)

// ID changes whenever contents or entries do: nobody can set a change time.
type ID struct {
	Dev, Inode  uint64
	Size        int64
	ModTime     int64 // nanoseconds
	ChangeTime  int64 // nanoseconds
	Permissions uint32
}

// Of is the id of a file.
func Of(info fs.FileInfo) ID {
	id := ID{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Permissions: uint32(info.Mode().Perm())}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Dev, id.Inode, id.ChangeTime = uint64(s.Dev), s.Ino, changeTime(s) // Dev is int32 on darwin
	}
	return id
}

// Owned says that a file belongs to the user that the daemon runs as.
func Owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
