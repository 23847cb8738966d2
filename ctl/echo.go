package ctl

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hide keeps a terminal from showing what is typed, until the function that it
// returns is called. What was typed before is not taken for an answer.
func hide(tty *os.File) (show func(), err error) {
	fd := int(tty.Fd())
	before, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return nil, errors.New("the terminal would show what is typed")
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	silent.Lflag |= unix.ICANON | unix.ISIG
	silent.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, ioctlSetTermios, &silent); err != nil {
		return nil, errors.New("the terminal would show what is typed")
	}
	return func() { _ = unix.IoctlSetTermios(fd, ioctlSetTermios, before) }, nil
}
