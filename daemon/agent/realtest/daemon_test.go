package realtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"autopilot/daemon/exec/proc"
	"autopilot/events/place"
)

// caseRun is a whole run: apctl, a daemon of its own, the program as its agent,
// and a gate for what it has to write.
const caseRun = "apctl-run"

// wantDone is what is expected of it.
const wantDone = "done"

// whole plays that case. Hooks that the user has installed leave the agent of a run
// alone.
func (s *stage) whole(r *row) error {
	if len(s.in.chat) > 0 {
		if err := s.says("hook", "install", s.in.name, "--yes"); err != nil {
			return err
		}
	}
	s.provider.play(s.c.script...)
	out, exit, err := s.apctl(s.w.ctx, "run", "--agent", s.in.name, "--max-iterations", "2", "--gate", "made=test -f "+edited, prompt)
	if err := errors.Join(err, s.stopDaemon()); err != nil {
		return err
	}
	if r.got = wantDone; exit != 0 {
		r.got = "not done"
		r.faults = append(r.faults, lastLine(out))
	}
	r.seen = seen{exit: strconv.Itoa(exit), tries: len(s.provider.asked())}
	if b, _ := os.ReadFile(filepath.Join(s.at("work"), edited)); string(b) != content { // what is missing differs
		r.faults = append(r.faults, edited+" was not written")
	}
	return nil
}

// apctl runs a command for the state directory of the case. At the end of the
// context it is asked to end, which stops its run.
func (s *stage) apctl(ctx context.Context, args ...string) (out string, exit int, err error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	cmd := exec.CommandContext(ctx, s.w.program("apctl"), args...)
	cmd.Env = append(s.env(), place.EnvState+"="+s.at("state"), "XDG_RUNTIME_DIR="+filepath.Join(s.w.root, "r"))
	cmd.Dir, cmd.WaitDelay = s.at("work"), 20*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	b, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return "", 0, fmt.Errorf("apctl %s: %w", args[0], err)
	}
	return string(b), cmd.ProcessState.ExitCode(), nil
}

// stopDaemon ends the daemon of the case, by force if it does not want to.
func (s *stage) stopDaemon() error {
	out, exit, err := s.apctl(context.WithoutCancel(s.w.ctx), "daemon", "stop")
	if err == nil && exit == 0 {
		return nil
	}
	if info, lockErr := place.ReadLock(s.at("state/lock")); lockErr == nil {
		if p, readErr := proc.Read(info.PID); readErr == nil && p.Start == info.StartTime {
			_ = proc.Signal(p, syscall.SIGKILL) // it may have ended
		}
	}
	return errors.Join(err, fmt.Errorf("the daemon was not stopped: %s", lastLine(out)))
}

func lastLine(t string) string {
	lines := strings.Split(strings.TrimSpace(t), "\n")
	return lines[len(lines)-1]
}
