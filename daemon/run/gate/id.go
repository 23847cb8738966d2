package gate

import (
	"io/fs"
	"os"

	"autopilot/daemon/run/fileid"
)

// fileID changes whenever contents or entries do.
type fileID = fileid.ID

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

func idOf(info fs.FileInfo) fileID { return fileid.Of(info) }
