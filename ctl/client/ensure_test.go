package client

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"autopilot/events/place"
	"autopilot/events/wire"
)

// fakeProgram gives the test binary the daemon's name.
func fakeProgram(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), daemonName)
	if err := os.Symlink(exe, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// starter starts the fake daemon, and ends it with the test.
func starter(t *testing.T) func(context.Context, place.Places) error {
	t.Helper()
	exe := fakeProgram(t)
	var once sync.Once
	return func(ctx context.Context, p place.Places) error {
		once.Do(func() { t.Cleanup(func() { stopDaemons(t, p) }) })
		return startProgram(ctx, p, exe)
	}
}

func stopDaemons(t *testing.T, p place.Places) {
	info, err := place.ReadLock(p.LockFile())
	if err != nil {
		return // none holds the state
	}
	stop(t, info.PID)
}

func stop(t *testing.T, pid int) {
	t.Helper()
	_ = syscall.Kill(pid, syscall.SIGTERM)
	for end := time.Now().Add(limit); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d does not end", pid)
		}
	}
}

func TestFiftyFirstCallsGiveOneDaemon(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	start := starter(t)
	pids := make(chan int, 50)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			c, err := Ensure(t.Context(), p, Options{Start: start})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			var v wire.DaemonView
			if err := call(t.Context(), c, wire.DaemonStatus.Spec, nil, &v); err != nil {
				t.Error(err)
				return
			}
			pids <- v.PID
		})
	}
	wg.Wait()
	close(pids)
	starts := noted(t, p, "starts")
	if len(starts) != 1 {
		t.Fatalf("%d daemons were started", len(starts))
	}
	for pid := range pids {
		if strconv.Itoa(pid) != starts[0] {
			t.Errorf("process %d answered, %s was started", pid, starts[0])
		}
	}
}

func TestADaemonDependsOnNothingOfItsStarter(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	c, err := Ensure(t.Context(), p, Options{Start: starter(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	pid, err := strconv.Atoi(noted(t, p, "starts")[0])
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ps", "-o", "sid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if sid := strings.TrimSpace(string(out)); sid != strconv.Itoa(pid) {
		t.Errorf("the daemon is in session %s", sid)
	}
}

func TestTheDaemonGetsOnlyWhatItNeeds(t *testing.T) {
	t.Parallel()
	got := daemonEnv([]string{
		"HOME=/h", "USER=u", "LOGNAME=u", "PATH=/b", "SHELL=/s", "LANG=C", "LC_ALL=C", "TZ=UTC", "TMPDIR=/t", "XDG_RUNTIME_DIR=/r", "GH_HOST=g", "GH_TOKEN=s",
		"AUTOPILOT_STATE=/x", "AUTOPILOT_EFFECT=e", "AUTOPILOT_RUN_ID=r", "ANTHROPIC_API_KEY=k", "HOMEX=1", "LANGUAGE=de", "LD_PRELOAD=x", "GIT_DIR=/g", "",
	})
	want := "HOME=/h USER=u LOGNAME=u PATH=/b SHELL=/s LANG=C LC_ALL=C TZ=UTC TMPDIR=/t XDG_RUNTIME_DIR=/r GH_HOST=g"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v", got)
	}
}

func TestADaemonThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	for mode, tc := range map[string]struct {
		code wire.Code
		says string
	}{
		"fail": {wire.Newer, "the store is of version 99"},
		"die":  {wire.Unreachable, "exit status 3"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := testPlaces(t)
			if err := os.WriteFile(filepath.Join(p.State, "mode"), []byte(mode), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Ensure(t.Context(), p, Options{Start: starter(t)})
			if code(err) != tc.code || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v: %v", code(err), err)
			}
		})
	}
	t.Run("no program", func(t *testing.T) {
		t.Parallel()
		err := startProgram(t.Context(), testPlaces(t), "/nonexistent/autopilotd")
		if code(err) != wire.Unreachable {
			t.Errorf("got %v", err)
		}
	})
}

func TestADaemonOnItsWayDownIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	calls := 0
	real := starter(t)
	c, err := Ensure(t.Context(), p, Options{Start: func(ctx context.Context, p place.Places) error {
		if calls++; calls < 4 {
			return wire.Errorf(wire.Conflict, "state directory is in use")
		}
		return real(ctx, p)
	}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if calls != 4 {
		t.Errorf("%d starts", calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Ensure(ctx, testPlaces(t), Options{Start: func(context.Context, place.Places) error {
		cancel()
		return wire.Errorf(wire.Conflict, "state directory is in use")
	}})
	if code(err) != wire.Conflict && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnotherRuntimeDirectoryFindsTheSameDaemon(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	c, err := Ensure(t.Context(), p, Options{Start: starter(t)})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	dir := filepath.Dir(p.State)
	other := placesIn(t, dir, filepath.Join(dir, "x"))
	if other.Socket == p.Socket {
		t.Fatal("the places are the same")
	}
	c, err = Ensure(t.Context(), other, Options{Start: func(context.Context, place.Places) error { return errors.New("started a second one") }})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}

func TestNothingIsStartedInsideAnEffect(t *testing.T) { // not parallel: it sets a variable
	t.Setenv(place.EnvEffect, "E1")
	_, err := Ensure(t.Context(), testPlaces(t), Options{Start: func(context.Context, place.Places) error {
		t.Error("started")
		return nil
	}})
	if code(err) != wire.Denied || !strings.Contains(err.Error(), "not started from inside an agent") {
		t.Errorf("got %v", err)
	}
}

func TestTheDaemonIsLookedForBesideAndOnPath(t *testing.T) { // not parallel: it sets a variable
	exe := fakeProgram(t)
	t.Setenv("PATH", filepath.Dir(exe))
	if got, err := findDaemon(); err != nil || got != exe {
		t.Errorf("got %q, %v", got, err)
	}
	t.Setenv("PATH", "")
	if _, err := findDaemon(); code(err) != wire.Unreachable || !strings.Contains(err.Error(), "on PATH") {
		t.Errorf("got %v", err)
	}
}
