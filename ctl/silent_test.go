package ctl

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"autopilot/events/place"
	"autopilot/events/wire"
)

// sickWorld is a host whose state directory is locked by process 7.
func sickWorld(t *testing.T, connect func() (Daemon, error), ended *int, args ...string) *world {
	t.Helper()
	w := newWorld(t, nil, args...)
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "lock"), []byte(`{"pid":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.FindPlaces = func() (place.Places, error) { return place.Places{State: state, Socket: "/run/d.sock"}, nil }
	w.Connect = func(context.Context, bool) (Daemon, error) { return connect() }
	w.Examine = offlineView
	w.Holder = func(_ context.Context, end bool) (wire.HolderView, error) {
		if end {
			*ended++
		}
		return wire.HolderView{PID: 7, Held: true, Known: true}, nil
	}
	return w
}

func TestADaemonThatDoesNotAnswerIsNamed(t *testing.T) {
	t.Parallel()
	const said = "autopilotd, pid 7, does not answer"
	for name, connect := range map[string]func() (Daemon, error){
		"nobody listens":          func() (Daemon, error) { return nil, wire.Errorf(wire.Unreachable, "no daemon is running") },
		"it is starting for ages": func() (Daemon, error) { return nil, wire.Errorf(wire.Conflict, "state directory is in use") },
		"it answers no question": func() (Daemon, error) {
			return &fakeDaemon{replies: map[string]any{"daemon.status": silence{}, "run.list": silence{}, "doctor": silence{}}}, nil
		},
	} {
		for _, args := range [][]string{{"daemon", "status"}, {"daemon", "start"}, {"daemon", "stop"}, {"daemon", "restart"}, {"ls"}} {
			synctest.Test(t, func(t *testing.T) {
				ended := 0
				w := sickWorld(t, connect, &ended, args...)
				code(t, w, wire.ExitTimedOut)
				contains(t, name, w.err.String(), said, "apctl daemon restart --force")
				if ended > 0 {
					t.Errorf("%s: %v ended it", name, args)
				}
			})
		}
	}
}

func TestForceEndsADaemonThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := 0
		w := sickWorld(t, func() (Daemon, error) {
			return &fakeDaemon{replies: map[string]any{"daemon.status": silence{}}}, nil
		}, &ended, "daemon", "stop", "--force")
		code(t, w, 0)
		contains(t, "stdout", w.out.String(), "the daemon, pid 7, has ended")
		if ended != 1 {
			t.Errorf("ended %d times", ended)
		}
	})
}

func TestForceAsksADaemonThatAnswers(t *testing.T) {
	t.Parallel()
	ended := 0
	d := &fakeDaemon{replies: map[string]any{"daemon.status": wire.DaemonView{PID: 7}, "daemon.stop": wire.None{}}}
	w := sickWorld(t, func() (Daemon, error) { return d, nil }, &ended, "daemon", "stop", "--force")
	code(t, w, 0)
	if ended != 0 {
		t.Error("it was killed")
	}
}
