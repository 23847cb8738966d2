package effect

import (
	"fmt"
	"os"
	"path/filepath"

	"autopilot/daemon/exec/shim"
	"autopilot/daemon/store/durable"
)

// outbox is the directory in box/ for what an effect hands in while it runs.
const outbox = "outbox"

// writeIntent makes all that an effect needs, and returns when it is on disk
// that the effect was meant to start: that has to survive a power cut, so that
// it counts as lost. What is in the box does not, as the effect does not either.
// All files and names are there before the first directory is synced, so that
// a file system with a journal commits once for all of them.
func writeIntent(d Dir, ctl string, spec shim.Spec, box Box) error {
	for _, dir := range []string{filepath.Join(d.Box(), outbox), ctl} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make effect directory: %w", err)
		}
	}
	for name, content := range box {
		if err := os.WriteFile(filepath.Join(d.Box(), name), content, 0o600); err != nil {
			return fmt.Errorf("fill box: %w", err)
		}
	}
	if err := shim.WriteSpec(ctl, spec); err != nil {
		return err
	}
	for _, dir := range []string{ctl, d.Path(), filepath.Dir(d.Path())} {
		if err := durable.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}
