package tree

import "golang.org/x/sys/unix"

const (
	openNonblock = unix.O_NONBLOCK
	openFolder   = unix.O_NONBLOCK | unix.O_DIRECTORY | unix.O_NOFOLLOW
)

// errNotDir is what a path below a file gives.
const errNotDir = unix.ENOTDIR
