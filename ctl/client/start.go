package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/events/place"
	"autopilot/events/wire"
)

// daemonName is the program that is started.
const daemonName = "autopilotd"

// Start starts autopilotd and returns when it serves, or with the reason that
// it gave. The daemon gets a session and an environment of its own, so that it
// depends on nothing of the caller.
func Start(ctx context.Context, p place.Places) error {
	exe, err := findDaemon()
	if err != nil {
		return err
	}
	return startProgram(ctx, p, exe)
}

func startProgram(ctx context.Context, p place.Places, exe string) error {
	ready, theirs, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	defer ready.Close()
	cmd := exec.Command(exe) // not bound to ctx: it outlives the caller
	cmd.Dir = "/"
	cmd.Env = append(daemonEnv(os.Environ()), place.EnvState+"="+p.State, place.EnvReady+"=3")
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = theirs.Close() // so that the end of the daemon is the end of the pipe
	if err != nil {
		return wire.Errorf(wire.Unreachable, "the daemon does not start: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // for as long as the daemon lives
	// The deadline of ctx ends the wait, not the daemon.
	defer context.AfterFunc(ctx, func() { _ = ready.Close() })()
	return outcome(ctx, ready, ended, p)
}

// outcome reads what the daemon says of its start.
func outcome(ctx context.Context, ready io.Reader, ended <-chan error, p place.Places) error {
	b, err := io.ReadAll(io.LimitReader(ready, 64<<10))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var said wire.Error
	if err == nil && len(b) > 0 && json.Unmarshal(b, &said) == nil && said.Code != "" {
		if said.Code == wire.OK {
			return nil
		}
		said.Message = "the daemon does not start: " + said.Message
		return &said
	}
	// The pipe is at its end, so the daemon is gone or about to be.
	how := "exit status 0"
	select {
	case <-time.After(5 * time.Second):
		how = "it still runs"
	case err := <-ended:
		if err != nil {
			how = err.Error()
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return wire.Errorf(wire.Unreachable, "the daemon ended at its start without a word (%s)", how).
		WithHint("see %s", p.LogFile())
}

// Program is the absolute path of autopilotd.
func Program() (string, error) { return findDaemon() }

// findDaemon looks beside the own program, then on PATH.
func findDaemon() (string, error) {
	own, err := os.Executable()
	if err == nil {
		if real, err := filepath.EvalSymlinks(own); err == nil {
			own = real
		}
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), daemonName)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(daemonName)
	if err == nil {
		return filepath.Abs(path)
	}
	if errors.Is(err, exec.ErrDot) {
		err = exec.ErrNotFound // a relative PATH entry is not trusted
	}
	return "", wire.Errorf(wire.Unreachable, "%s is neither beside %s nor on PATH: %v", daemonName, own, err).
		WithHint("install both programs into one directory: make install")
}

// kept are the variables that a daemon needs of its starter; names that end in
// an underscore are prefixes.
var kept = []string{"HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "LC_", "TZ", "TMPDIR", "XDG_", "GH_HOST", "GH_CONFIG_DIR"}

// daemonEnv keeps only those variables. What agents and gates get comes with
// each run, not from whoever was first to start the daemon.
func daemonEnv(environ []string) []string {
	var env []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if slices.ContainsFunc(kept, func(k string) bool {
			return name == k || strings.HasSuffix(k, "_") && strings.HasPrefix(name, k)
		}) {
			env = append(env, kv)
		}
	}
	return env
}
