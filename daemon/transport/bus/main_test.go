package bus

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"autopilot/daemon/auth"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// Variables that make the test binary a child: one that holds the lock of a
// state directory, one that connects to a socket.
const (
	envHold    = "BUS_TEST_HOLD"
	envConnect = "BUS_TEST_CONNECT"
	envHide    = "BUS_TEST_HIDE" // over TCP, and lets nobody look at it
)

func TestMain(m *testing.M) {
	if state := os.Getenv(envHold); state != "" {
		holdLock(state)
		return
	}
	if socket := os.Getenv(envConnect); socket != "" {
		connectAndWait(socket)
		return
	}
	if address := os.Getenv(envHide); address != "" {
		hideAndWait(address)
		return
	}
	goleak.VerifyTestMain(m)
}

// limit bounds waits that only a defect makes long.
const limit = 20 * time.Second

func testPlaces(t testing.TB) place.Places {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return placesIn(t, dir)
}

func placesIn(t testing.TB, dir string) place.Places {
	t.Helper()
	env := place.System()
	env.Getenv = func(k string) string {
		return map[string]string{"AUTOPILOT_STATE": filepath.Join(dir, "s"), "XDG_RUNTIME_DIR": filepath.Join(dir, "r"), "XDG_CONFIG_HOME": dir}[k]
	}
	p, err := place.Find(env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func local(int, int) auth.Identity { return auth.Identity{Kind: auth.KindLocal} }

// openBus opens and serves a bus; it is closed with the test.
func openBus(t testing.TB, change func(*Config), handlers map[string]Handler) *Bus {
	t.Helper()
	p := testPlaces(t)
	lock, err := Lock(p, "test")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Places: p, Lock: lock, Durability: Process, Quota: 64 << 20, Version: "test", Host: "h",
		Log: slog.New(slog.DiscardHandler), Identify: local,
	}
	if change != nil {
		change(&cfg)
	}
	b, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := lock.Unlock(); err != nil {
			t.Errorf("unlock: %v", err)
		}
	})
	if err := b.Serve(handlers); err != nil {
		t.Fatal(err)
	}
	return b
}

func newName(t testing.TB) string {
	t.Helper()
	var r [26]byte
	if _, err := rand.Read(r[:]); err != nil {
		t.Fatal(err)
	}
	return wire.ClientName(r)
}

type unixDialer string

func (d unixDialer) Dial(string, string) (net.Conn, error) { return net.Dial("unix", string(d)) }

// rawClient is a plain NATS client on the socket, with the errors it was told.
type rawClient struct {
	*nats.Conn
	name string
	errs chan error
	gone chan struct{}
}

func dialRaw(t testing.TB, socket, name string, opts ...nats.Option) (*rawClient, error) {
	t.Helper()
	c := &rawClient{name: name, errs: make(chan error, 16), gone: make(chan struct{})}
	inbox := wire.Inbox(name)
	if !wire.ValidClient(name) {
		inbox = "x" // the library takes no empty one, and the daemon has to refuse the name
	}
	nc, err := nats.Connect("nats://127.0.0.1", append([]nats.Option{
		nats.SetCustomDialer(unixDialer(socket)), nats.Name(name), nats.CustomInboxPrefix(inbox),
		nats.NoReconnect(), nats.Timeout(limit),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.errs <- err }),
		nats.ClosedHandler(func(*nats.Conn) { close(c.gone) }),
	}, opts...)...)
	if err != nil {
		return nil, err
	}
	c.Conn = nc
	t.Cleanup(nc.Close)
	return c, nil
}

func mustDial(t testing.TB, socket string) *rawClient {
	t.Helper()
	c, err := dialRaw(t, socket, newName(t))
	if err != nil {
		t.Fatal(err)
	}
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

// ask sends a request and gives the joined answer.
func (c *rawClient) ask(t testing.TB, v wire.Spec, id, body string) (string, error) {
	t.Helper()
	sub, err := c.begin(v, id, body)
	if err != nil {
		return "", err
	}
	defer func() { _ = sub.Unsubscribe() }()
	var all strings.Builder
	for n := 1; ; n++ {
		f, err := nextFrame(sub)
		if err != nil {
			return all.String(), err
		}
		if f.N != n {
			return "", fmt.Errorf("frame %d after %d", f.N, n-1)
		}
		all.Write(f.Payload)
		if f.Last() {
			return all.String(), f.Err()
		}
	}
}

func (c *rawClient) begin(v wire.Spec, id, body string) (*nats.Subscription, error) {
	inbox := c.NewInbox()
	sub, err := c.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	return sub, c.PublishMsg(&nats.Msg{
		Subject: wire.CommandSubject(c.name, v), Reply: inbox, Data: []byte(body),
		Header: nats.Header{wire.HeaderRequest: {id}, wire.HeaderVersion: {"test"}},
	})
}

func nextFrame(sub *nats.Subscription) (wire.Frame, error) {
	m, err := sub.NextMsg(limit)
	if err != nil {
		return wire.Frame{}, err
	}
	return wire.ParseFrame(m.Header, m.Data)
}

func code(err error) wire.Code {
	if err == nil {
		return wire.OK
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Code
	}
	return wire.Code(err.Error())
}

// talk is a connection on which a test speaks the protocol by hand.
type talk struct {
	net.Conn
	in *bufio.Reader
}

func openTalk(t testing.TB, socket string) *talk {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(limit))
	k := &talk{Conn: c, in: bufio.NewReader(c)}
	if line := k.line(t); !strings.HasPrefix(line, "INFO ") {
		t.Fatalf("got %q, want INFO", line)
	}
	return k
}

func (k *talk) line(t testing.TB) string {
	t.Helper()
	s, err := k.in.ReadString('\n')
	if err != nil && s == "" {
		return "closed"
	}
	return strings.TrimSpace(s)
}

func (k *talk) say(t testing.TB, s string) {
	t.Helper()
	if _, err := k.Write([]byte(s)); err != nil && !strings.Contains(err.Error(), "broken pipe") {
		t.Fatal(err)
	}
}

// hello connects by hand and waits until the server has let it in.
func (k *talk) hello(t testing.TB, name string) {
	t.Helper()
	k.say(t, `CONNECT {"verbose":false,"name":"`+name+`"}`+"\r\nPING\r\n")
	if line := k.line(t); line != "PONG" {
		t.Fatalf("got %q, want PONG", line)
	}
}

// connectAndWait is the child: it connects and stays until its stdin ends.
func connectAndWait(socket string) {
	if _, err := net.Dial("unix", socket); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("connected")
	_, _ = io.Copy(io.Discard, os.Stdin)
}
