package confine

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of Landlock from which on it has something.
const (
	moves  = 2 // from one directory to another
	cuts   = 3 // of a file to another length
	scopes = 6 // of signals and abstract sockets
)

// writes are the rights to change something at a path, by the version from
// which on there is one.
func writes(version int) uint64 {
	var w uint64 = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	if version >= moves {
		w |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= cuts {
		w |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	return w
}

// onFile are the writes that a rule about a file can give.
const onFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// Version is the version of Landlock in this kernel, 0 without.
func Version() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// restrict gives up, for this thread and what it becomes, signals and abstract
// sockets and what a strict plan does not let be written. It returns what it
// could not give up.
func restrict(p Plan) []Gap {
	version := Version()
	lacking := unscoped(version)
	attr := unix.LandlockRulesetAttr{}
	if version >= scopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	if p.Strict && version > 0 {
		attr.Handled_access_fs = writes(version)
	}
	if p.Strict {
		lacking = append(lacking, unwritten()...)
	}
	if attr.Scoped == 0 && attr.Handled_access_fs == 0 {
		return lacking
	}
	if err := enforce(attr, p.Write); err != nil {
		if attr.Scoped != 0 {
			lacking = append(lacking, Gap{Signals, err.Error()}, Gap{Sockets, err.Error()})
		}
		if attr.Handled_access_fs != 0 {
			lacking = append(lacking, Gap{Landlock, err.Error()})
		}
	}
	return lacking
}

func unscoped(version int) []Gap {
	if version >= scopes {
		return nil
	}
	why := fmt.Sprintf("the kernel has version %d of Landlock, this needs %d", version, scopes)
	return []Gap{{Signals, why}, {Sockets, why}}
}

// enforce makes a ruleset and takes it on.
func enforce(attr unix.LandlockRulesetAttr, paths []string) error {
	// The kernel takes the size as the version of the structure; fields beyond
	// those of the first with scopes are not used.
	size := unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	if attr.Scoped == 0 {
		size = unsafe.Sizeof(attr.Handled_access_fs)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("make landlock rules: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, path := range paths {
		if err := allow(int(fd), path, attr.Handled_access_fs); err != nil {
			return err
		}
	}
	// Root has a right over its own namespace instead, and keeps the programs
	// that act as others.
	if os.Geteuid() != 0 {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("give up new privileges: %w", err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("take on landlock rules: %w", errno)
	}
	return nil
}

// allow lets a path be written, with all below it. One that the effect cannot reach
// cannot be.
func allow(rules int, path string, access uint64) error {
	if access == 0 {
		return nil
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if beyondReach(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= onFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("allow writes to %s: %w", path, errno)
	}
	return nil
}
