package gate

import (
	"io/fs"
	"os"
	"syscall"
)

// currentID is the id of what is at the path, zero if nothing can be read
// there.
func currentID(path string) fileID {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return fileID{}
	}
	return idOf(info)
}

// ChangeTime is when a file was changed last, in nanoseconds: nobody can set it.
func ChangeTime(info fs.FileInfo) int64 { return idOf(info).ChangeTime }

func idOf(info fs.FileInfo) fileID {
	id := fileID{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Permissions: uint32(info.Mode().Perm())}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Dev, id.Inode, id.ChangeTime = uint64(s.Dev), s.Ino, changeTime(s) // Dev is int32 on darwin
	}
	return id
}
