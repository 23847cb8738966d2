package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

func whoami(got chan<- auth.Identity) map[string]Handler {
	h := func(_ context.Context, q auth.Request, _ []byte, _ *Reply) error {
		got <- q.Identity
		return nil
	}
	return map[string]Handler{wire.RunGet.Name: h, wire.RunStop.Name: h}
}

func TestIdentityReachesTheHandler(t *testing.T) {
	t.Parallel()
	got := make(chan auth.Identity, 1)
	b := openBus(t, func(c *Config) {
		c.Identify = func(pid, uid int) auth.Identity {
			if pid != os.Getpid() || uid != os.Getuid() {
				t.Errorf("asked for process %d of user %d", pid, uid)
			}
			return auth.Identity{Kind: auth.KindLocal}
		}
	}, whoami(got))
	c := mustDial(t, b.cfg.Places.Socket)
	if _, err := c.ask(t, wire.RunStop.Spec, "r1", ""); err != nil {
		t.Fatal(err)
	}
	want := auth.Identity{Kind: auth.KindLocal, UID: os.Getuid(), PID: os.Getpid(), Name: c.name, Actor: fmt.Sprintf("local:%d@h/%d", os.Getuid(), os.Getpid())}
	if diff := cmp.Diff(want, <-got); diff != "" {
		t.Error(diff)
	}
}

func TestAnEffectMayOnlyRead(t *testing.T) {
	t.Parallel()
	got := make(chan auth.Identity, 1)
	check := func(t *testing.T, socket string) {
		t.Helper()
		c := mustDial(t, socket)
		if _, err := c.ask(t, wire.RunGet.Spec, "r1", ""); err != nil {
			t.Fatal(err)
		}
		want := auth.Identity{Kind: auth.KindEffect, Effect: "E1", UID: os.Getuid(), PID: os.Getpid(), Name: c.name, Actor: "effect:E1@h"}
		if diff := cmp.Diff(want, <-got); diff != "" {
			t.Error(diff)
		}
		for _, v := range wire.Verbs() {
			if v.Class == wire.Read {
				continue
			}
			_, err := c.ask(t, v, "r2", "")
			if code(err) != wire.Denied {
				t.Errorf("%s: got %v, want denied", v.Name, err)
			}
		}
	}
	b := openBus(t, func(c *Config) {
		c.Identify = func(int, int) auth.Identity { return auth.Identity{Kind: auth.KindEffect, Effect: "E1"} }
	}, whoami(got))
	check(t, b.cfg.Places.Socket)

	// On an effect's own socket nobody is asked who it is.
	b = openBus(t, nil, whoami(got))
	path, closeSocket, err := b.ListenEffect("E1")
	if err != nil {
		t.Fatal(err)
	}
	check(t, path)
	refused := 0
	for _, v := range wire.Verbs() {
		if v.Class != wire.Read {
			refused++
		}
	}
	if n := b.Refused("E1"); n != refused || b.Refused("E2") != 0 {
		t.Errorf("%d requests were refused, %d counted", refused, n)
	}
	closeSocket()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	closeSocket()
}

func TestEveryVerbHasAnAnswer(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, map[string]Handler{
		wire.RunGet.Name: func(context.Context, auth.Request, []byte, *Reply) error { panic("broken") },
		wire.RunWhy.Name: func(context.Context, auth.Request, []byte, *Reply) error {
			return wire.Errorf(wire.NotFound, "run x\nis not known")
		},
		wire.RunList.Name: func(context.Context, auth.Request, []byte, *Reply) error { return errors.New("disk on fire") },
	})
	c := mustDial(t, b.cfg.Places.Socket)
	for _, tc := range []struct {
		name     string
		verb     wire.Spec
		id, body string
		code     wire.Code
		message  string
	}{
		{"a panic", wire.RunGet.Spec, "1", "", wire.Failed, "run.get broke inside the daemon"},
		{"a code", wire.RunWhy.Spec, "2", "", wire.NotFound, "run x\nis not known"},
		{"another error", wire.RunList.Spec, "3", "", wire.Failed, "disk on fire"},
		{"no handler", wire.Verify.Spec, "4", "", wire.Failed, "this daemon (test) does not know verify"},
		{"no id", wire.RunWhy.Spec, "", "", wire.Usage, "run.why: the request has no id"},
		{"an id that is none", wire.RunWhy.Spec, "a b", "", wire.Usage, "run.why: the request has no id"},
		{"a large body", wire.RunWhy.Spec, "5", strings.Repeat("x", wire.MaxBody+1), wire.Usage, "run.why: the request has 65537 bytes; the limit is 65536"},
	} {
		_, err := c.ask(t, tc.verb, tc.id, tc.body)
		if code(err) != tc.code || err.Error() != tc.message {
			t.Errorf("%s: got %v %q, want %v %q", tc.name, code(err), err, tc.code, tc.message)
		}
	}
}

func TestALongAnswerComesInPieces(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("0123456789abcdef"), 3*wire.MaxFrame/16+5)
	b := openBus(t, nil, map[string]Handler{wire.RunGet.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *Reply) error {
		for p := want; len(p) > 0; {
			n := min(len(p), 100_000)
			if err := r.Send(ctx, p[:n]); err != nil {
				return err
			}
			p = p[n:]
		}
		return nil
	}})
	c := mustDial(t, b.cfg.Places.Socket)
	got, err := c.ask(t, wire.RunGet.Spec, "1", "")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

func TestTwoHundredRequestsAtOnce(t *testing.T) {
	t.Parallel()
	const n = 200
	var all sync.WaitGroup // holds every handler until all have begun
	all.Add(n)
	b := openBus(t, nil, map[string]Handler{wire.RunGet.Name: func(ctx context.Context, _ auth.Request, body []byte, r *Reply) error {
		all.Done()
		all.Wait()
		return r.Send(ctx, body)
	}})
	var wg sync.WaitGroup
	for i := range n / 20 {
		c := mustDial(t, b.cfg.Places.Socket)
		for j := range 20 {
			wg.Go(func() {
				body := fmt.Sprintf("%d/%d", i, j)
				if got, err := c.ask(t, wire.RunGet.Spec, fmt.Sprint(j), body); err != nil || got != body {
					t.Errorf("got %q, %v, want %q", got, err, body)
				}
			})
		}
	}
	wg.Wait()
}

func TestAFullDaemonSaysSo(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, maxOneShot)
	release := make(chan struct{})
	b := openBus(t, nil, map[string]Handler{
		wire.RunGet.Name: func(ctx context.Context, _ auth.Request, _ []byte, _ *Reply) error {
			begun <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
			}
			return nil
		},
		wire.RunWatch.Name: func(context.Context, auth.Request, []byte, *Reply) error { return nil },
	})
	id := 0
	for range maxOneShot / maxPerClient {
		c := mustDial(t, b.cfg.Places.Socket)
		for range maxPerClient {
			id++
			if _, err := c.begin(wire.RunGet.Spec, fmt.Sprint(id), ""); err != nil {
				t.Fatal(err)
			}
		}
		for range maxPerClient {
			await(t, begun, "a handler")
		}
		// Its own share is used up before that of all.
		if _, err := c.ask(t, wire.RunGet.Spec, "more", ""); code(err) != wire.Failed {
			t.Errorf("got %v, want busy", err)
		}
	}
	c := mustDial(t, b.cfg.Places.Socket)
	if _, err := c.ask(t, wire.RunGet.Spec, "1", ""); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("got %v, want busy", err)
	}
	if _, err := c.ask(t, wire.RunWatch.Spec, "2", ""); err != nil {
		t.Errorf("streams have places of their own: %v", err)
	}
	close(release)
}

func TestASlowHandlerDelaysNobody(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	b := openBus(t, nil, map[string]Handler{wire.RunGet.Name: func(_ context.Context, _ auth.Request, body []byte, _ *Reply) error {
		if string(body) == "slow" {
			close(begun)
			<-release
		}
		return nil
	}})
	c := mustDial(t, b.cfg.Places.Socket)
	slow, err := c.begin(wire.RunGet.Spec, "slow", "slow")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := c.ask(t, wire.RunGet.Spec, "slow", ""); code(err) != wire.Conflict {
		t.Errorf("the same request again: got %v, want conflict", err)
	}
	for i := range 10 {
		if _, err := c.ask(t, wire.RunGet.Spec, fmt.Sprint(i), ""); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	if f, err := nextFrame(slow); err != nil || f.Code != wire.OK {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestCloseLetsAnswersOut(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	b := openBus(t, nil, map[string]Handler{
		wire.DaemonStop.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *Reply) error {
			begun <- struct{}{}
			<-release
			return r.Send(ctx, []byte("bye"))
		},
		wire.RunWatch.Name: func(ctx context.Context, _ auth.Request, _ []byte, _ *Reply) error {
			begun <- struct{}{}
			<-ctx.Done()
			return context.Cause(ctx)
		},
	})
	c := mustDial(t, b.cfg.Places.Socket)
	stop, err := c.begin(wire.DaemonStop.Spec, "1", "")
	if err != nil {
		t.Fatal(err)
	}
	watch, err := c.begin(wire.RunWatch.Spec, "2", "")
	if err != nil {
		t.Fatal(err)
	}
	await(t, begun, "a handler")
	await(t, begun, "a handler")
	closed := make(chan error, 1)
	go func() { closed <- b.Close(context.Background()) }()
	if f, err := nextFrame(watch); err != nil || f.Code != wire.Unreachable {
		t.Errorf("watch: got %+v, %v, want unreachable", f, err)
	}
	close(release)
	if f, err := nextFrame(stop); err != nil || f.Code != wire.OK || string(f.Payload) != "bye" {
		t.Errorf("stop: got %+v, %v", f, err)
	}
	if err := await(t, closed, "close"); err != nil {
		t.Error(err)
	}
	await(t, c.gone, "the end of the connection")
	if _, err := os.Lstat(b.cfg.Places.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	b := openBus(t, nil, map[string]Handler{wire.RunGet.Name: func(context.Context, auth.Request, []byte, *Reply) error {
		close(begun)
		<-release // heeds no context
		return nil
	}})
	c := mustDial(t, b.cfg.Places.Socket)
	if _, err := c.begin(wire.RunGet.Spec, "1", ""); err != nil {
		t.Fatal(err)
	}
	<-begun
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.Close(over); err == nil || !strings.Contains(err.Error(), "1 handlers did not end") {
		t.Errorf("got %v", err)
	}
	close(release)
}

func TestAnOpenedBusComesBackAfterClose(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	if err := b.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	again, err := Open(b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Serve(nil); err != nil {
		t.Fatal(err)
	}
	mustDial(t, b.cfg.Places.Socket)
	if err := again.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}
