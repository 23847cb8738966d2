package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/durable"
	"autopilot/projections/run"
)

// bootFile names the boot of the host in which live runs were last served. It
// changes only after every run that a reboot halts is halted, so that a daemon
// which dies in between leaves the rest to the next one.
func bootFile(state string) string { return filepath.Join(state, "boot") }

// rebooted is boot if the daemon before served another one, else empty. A state
// directory without that file had no such daemon.
func rebooted(state, boot string) (string, error) {
	b, err := os.ReadFile(bootFile(state))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the boot of the daemon before: %w", err)
	}
	if strings.TrimSpace(string(b)) == boot {
		return "", nil
	}
	return boot, nil
}

// loadFleet folds and serves all runs. Where a person is to be asked after a
// reboot, those that were live are halted before anything of theirs is begun.
func (d *Daemon) loadFleet(ctx context.Context) error {
	boot, err := d.cfg.boot()
	if err != nil {
		return err
	}
	first := engine.Reboot{Booted: bootTime()}
	if d.cfg.AskAfterReboot {
		if first.Anew, err = rebooted(d.cfg.Places.State, boot); err != nil {
			return err
		}
	}
	if err := d.Fleet.Load(ctx, first); err != nil {
		return err
	}
	waiting := map[string]bool{}
	if first.Anew != "" {
		for _, h := range d.Fleet.Heads() {
			if h.Status == run.Live {
				waiting[h.ID] = true
			}
		}
	}
	d.background.Go(func() { d.settleBoot(d.background.ctx, boot, waiting) })
	return nil
}

// boot is the present boot of the host.
func (c Config) boot() (string, error) {
	if c.Boot != "" {
		return c.Boot, nil
	}
	return proc.Boot()
}

// settleBoot waits until no run is left that the reboot halts, and then stores
// the boot. Where that fails, as on a full disk, it is tried again with the next
// event: another daemon of this boot would halt what a person has resumed.
func (d *Daemon) settleBoot(ctx context.Context, boot string, waiting map[string]bool) {
	for said := false; ; {
		changed := d.Fleet.Wait()
		if !d.unsettled(waiting) {
			err := durable.Replace(bootFile(d.cfg.Places.State), []byte(boot))
			if err == nil {
				return
			}
			if !said {
				d.cfg.Log.Error("remember the boot of the host", "error", err)
			}
			said = true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// unsettled says whether one of the runs is as it was loaded, live.
func (d *Daemon) unsettled(runs map[string]bool) bool {
	for id := range runs {
		if d.Fleet.IsLive(id) {
			return true
		}
		delete(runs, id) // it may be resumed before the others are settled
	}
	return false
}
