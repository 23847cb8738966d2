package ctl

import "golang.org/x/sys/unix"

// The requests for the settings of a terminal; to set them drops what was typed.
const (
	ioctlGetTermios = unix.TCGETS
	ioctlSetTermios = unix.TCSETSF
)
