package tree

import "golang.org/x/sys/unix"

const (
	openNonblock = unix.O_NONBLOCK
	openFolder   = unix.O_NONBLOCK | unix.O_DIRECTORY | unix.O_NOFOLLOW
)

// errNotDir is what a path below a file gives.
const errNotDir = unix.ENOTDIR

// seconds are when a path below the open folder top was changed in any way, and
// when its content was modified according to itself. It is called for every
// file of a work tree, so it makes no string of the whole path.
func seconds(top int, path string) (changed, modified int64, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(top, path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, 0, err
	}
	return int64(st.Ctim.Sec), int64(st.Mtim.Sec), nil
}
