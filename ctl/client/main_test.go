package client

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"autopilot/daemon/auth"
	"autopilot/daemon/transport/bus"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// limit bounds waits that only a defect makes long.
const limit = 30 * time.Second

// TestMain lets the test binary be its own daemon, when it runs under the
// daemon's name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == daemonName {
		fakeDaemon()
		return
	}
	goleak.VerifyTestMain(m)
}

// fakeDaemon is a daemon with a bus and two verbs. A file "mode" in the state
// directory makes it misbehave.
func fakeDaemon() {
	pipe := os.NewFile(3, "ready")
	syscall.CloseOnExec(3)
	tell := func(e *wire.Error) {
		b, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		_, _ = pipe.Write(b)
		_ = pipe.Close()
	}
	p, err := place.Find(place.System())
	if err != nil {
		tell(wire.Errorf(wire.Failed, "%v", err))
		os.Exit(1)
	}
	note(p, "starts", fmt.Sprintf("%d\n", os.Getpid()))
	note(p, "env", strings.Join(os.Environ(), "\n"))
	mode, _ := os.ReadFile(filepath.Join(p.State, "mode"))
	switch string(mode) {
	case "die":
		os.Exit(3)
	case "fail":
		tell(wire.Errorf(wire.Newer, "the store is of version 99").WithHint("install it again"))
		os.Exit(1)
	}
	lock, err := bus.Lock(p, "fake")
	if err != nil {
		tell(wire.Errorf(wire.Conflict, "%v", err))
		os.Exit(1)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	b, err := serveBus(p, lock, map[string]bus.Handler{wire.DaemonStatus.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *bus.Reply) error {
		return r.JSON(ctx, wire.DaemonView{PID: os.Getpid()})
	}})
	if err != nil {
		tell(wire.Errorf(wire.Failed, "%v", err))
		os.Exit(1)
	}
	tell(&wire.Error{Code: wire.OK})
	<-stop
	_ = b.Close(context.Background())
}

func note(p place.Places, name, text string) {
	f, err := os.OpenFile(filepath.Join(p.State, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		panic(err)
	}
}

func serveBus(p place.Places, lock *bus.StateLock, handlers map[string]bus.Handler) (*bus.Bus, error) {
	b, err := bus.Open(bus.Config{
		Places: p, Lock: lock, Durability: bus.Process, Quota: 64 << 20, Version: "fake", Host: "h",
		Log:      slog.New(slog.DiscardHandler),
		Identify: func(int, int) auth.Identity { return auth.Identity{Kind: auth.KindLocal} },
	})
	if err != nil {
		return nil, err
	}
	return b, b.Serve(handlers)
}

func testPlaces(t testing.TB) place.Places {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Mkdir(filepath.Join(dir, "s"), 0o700); err != nil {
		t.Fatal(err)
	}
	return placesIn(t, dir, filepath.Join(dir, "r"))
}

func placesIn(t testing.TB, dir, runtime string) place.Places {
	t.Helper()
	env := place.System()
	env.Getenv = func(k string) string {
		return map[string]string{"AUTOPILOT_STATE": filepath.Join(dir, "s"), "XDG_RUNTIME_DIR": runtime, "XDG_CONFIG_HOME": dir}[k]
	}
	p, err := place.Find(env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// openBus serves the handlers in this process.
func openBus(t testing.TB, handlers map[string]bus.Handler) (place.Places, *bus.Bus) {
	t.Helper()
	p := testPlaces(t)
	lock, err := bus.Lock(p, "fake")
	if err != nil {
		t.Fatal(err)
	}
	b, err := serveBus(p, lock, handlers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
		_ = lock.Unlock()
	})
	return p, b
}

func mustDial(t testing.TB, p place.Places, opts Options) *Client {
	t.Helper()
	c, err := Dial(t.Context(), p.Socket, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// await receives or fails.
func await[T any](t testing.TB, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(limit):
		t.Fatalf("waited for %s in vain", what)
		panic("unreachable")
	}
}

// noted is what fake daemons of the state directory wrote, by line.
func noted(t testing.TB, p place.Places, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.State, name))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for l := range bytes.Lines(b) {
		lines = append(lines, strings.TrimSpace(string(l)))
	}
	return lines
}
