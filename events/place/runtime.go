package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrUnsafe is wrapped when a runtime directory is not the user's alone.
var ErrUnsafe = errors.New("directory is not safe for sockets")

// MakeRuntime makes the runtime directory with mode 0700, and checks it and
// its parent: both are directories, not links, owned by the user and closed to
// others. /tmp is open to all, so the name could have been taken.
func (p Places) MakeRuntime() error {
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(p.Runtime)), 0o700); err != nil {
		return fmt.Errorf("make runtime directory: %w", err)
	}
	for _, dir := range []string{filepath.Dir(p.Runtime), p.Runtime} {
		if err := p.private(dir); err != nil {
			return err
		}
	}
	return nil
}

func (p Places) private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make runtime directory: %w", err)
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check runtime directory: %w", err)
	}
	if !fi.IsDir() {
		return fmt.Errorf("%w: %s is not a directory; remove it, or set XDG_RUNTIME_DIR", ErrUnsafe, dir)
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != p.uid {
		return fmt.Errorf("%w: %s does not belong to user %d; set XDG_RUNTIME_DIR to a directory of your own", ErrUnsafe, dir, p.uid)
	}
	if fi.Mode().Perm()&0o077 != 0 && fi.Mode()&os.ModeSticky == 0 {
		// It is ours, so a loose mode is an accident: close it. One like /tmp is
		// shared on purpose.
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("close runtime directory: %w", err)
		}
	}
	return nil
}
