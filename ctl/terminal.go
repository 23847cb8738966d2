package ctl

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// OpenTerminal opens the terminal of this process, to ask a person. In the
// background it is an error, as a question there would stop the process.
func OpenTerminal() (io.ReadWriteCloser, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.New("there is no terminal to ask at")
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return nil, errors.Join(errors.New("this command is not in the foreground of its terminal"), f.Close())
	}
	return f, nil
}
