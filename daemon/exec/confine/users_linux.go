package confine

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// outer asks for the namespaces of the mounts.
func outer(attr *syscall.SysProcAttr, p Plan) error {
	attr.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	if p.Sealed {
		attr.Cloneflags |= unix.CLONE_NEWIPC
	}
	if err := mapUsers(attr); err != nil {
		return fmt.Errorf("%w: %w", errNamespaces, err)
	}
	// Without it a user other than root loses its rights over the new namespaces
	// by the start of the stage.
	attr.AmbientCaps = append(slices.Clone(attr.AmbientCaps), unix.CAP_SYS_ADMIN)
	return nil
}

// mapUsers gives the same users and groups inside as outside: root gets all
// that it has, so that it can give files away and act as others; anyone else is
// the one user that it is.
func mapUsers(attr *syscall.SysProcAttr) error {
	if os.Geteuid() != 0 {
		one := func(id int) []syscall.SysProcIDMap {
			return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
		}
		attr.UidMappings, attr.GidMappings = one(os.Geteuid()), one(os.Getegid())
		return nil
	}
	var err error
	if attr.UidMappings, err = own("/proc/self/uid_map"); err != nil {
		return err
	}
	attr.GidMappings, err = own("/proc/self/gid_map")
	attr.GidMappingsEnableSetgroups = true
	return err
}

// own is the map of all ids that exist in this namespace onto themselves.
func own(file string) ([]syscall.SysProcIDMap, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []syscall.SysProcIDMap
	for line := range bytes.Lines(b) {
		var inside, outside, size int
		if _, err := fmt.Sscan(string(line), &inside, &outside, &size); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		out = append(out, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
	}
	return out, nil
}
