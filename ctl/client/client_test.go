package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"

	"autopilot/daemon/auth"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
)

func code(err error) wire.Code {
	if err == nil {
		return wire.OK
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Code
	}
	return wire.Code(err.Error())
}

func TestACallBringsTheAnswerOrTheError(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("é", 20*wire.MaxFrame) // more frames than the first credit
	p, _ := openBus(t, map[string]bus.Handler{
		wire.RunGet.Name: func(ctx context.Context, _ auth.Request, body []byte, r *bus.Reply) error {
			var ref wire.RunRef
			if err := json.Unmarshal(body, &ref); err != nil {
				return err
			}
			return r.JSON(ctx, wire.RunView{ID: ref.Run, Task: large})
		},
		wire.RunWhy.Name: func(context.Context, auth.Request, []byte, *bus.Reply) error {
			return wire.Errorf(wire.NotFound, "run x is not known").WithHint("apctl ls")
		},
		wire.RunStop.Name: func(context.Context, auth.Request, []byte, *bus.Reply) error { return nil },
	})
	c := mustDial(t, p, Options{Version: "fake"})
	var got wire.RunView
	if err := call(t.Context(), c, wire.RunGet.Spec, wire.RunRef{Run: "r"}, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != "r" || got.Task != large {
		t.Errorf("got run %q with a task of %d bytes", got.ID, len(got.Task))
	}
	err := call(t.Context(), c, wire.RunWhy.Spec, nil, &got)
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff(&wire.Error{Code: wire.NotFound, Message: "run x is not known", Hint: "apctl ls"}, e); diff != "" {
		t.Error(diff)
	}
	if err := call(t.Context(), c, wire.RunStop.Spec, nil, nil); err != nil {
		t.Error(err)
	}
	if err := call(t.Context(), c, wire.Spec{Name: "run.fly"}, nil, nil); code(err) != wire.Failed || !strings.Contains(err.Error(), "does not know run.fly") {
		t.Errorf("got %v", err)
	}
	if err := call(t.Context(), c, wire.RunStop.Spec, wire.RunRef{Run: strings.Repeat("x", wire.MaxBody)}, nil); code(err) != wire.Usage {
		t.Errorf("got %v", err)
	}
}

func TestARequestGoesUnderTheIDThatItIsGiven(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 3)
	p, _ := openBus(t, map[string]bus.Handler{wire.RunStop.Name: func(_ context.Context, q auth.Request, _ []byte, _ *bus.Reply) error {
		ids <- q.ID
		return nil
	}})
	const id = "01JGFJJZ00000000000000K3XQ"
	for range 2 { // two connections
		if err := mustDial(t, p, Options{}).Exchange(t.Context(), id, wire.RunStop.Spec, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := call(t.Context(), mustDial(t, p, Options{}), wire.RunStop.Spec, nil, nil); err != nil {
		t.Fatal(err)
	}
	if a, b, own := <-ids, <-ids, <-ids; a != id || b != id || own == id || own == "" {
		t.Errorf("ids %s, %s and %s", a, b, own)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}, 1), make(chan error, 1)
	p, _ := openBus(t, map[string]bus.Handler{wire.RunGet.Name: func(ctx context.Context, _ auth.Request, _ []byte, _ *bus.Reply) error {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil
	}})
	c := mustDial(t, p, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if err := call(ctx, c, wire.RunGet.Spec, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := await(t, ended, "the handler"); err == nil {
		t.Error("the daemon was not told")
	}
	if err := call(ctx, c, wire.RunGet.Spec, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	if err := p.MakeRuntime(); err != nil {
		t.Fatal(err)
	}
	check := func(what string) {
		t.Helper()
		_, err := Dial(t.Context(), p.Socket, Options{})
		if !errors.Is(err, ErrNoDaemon) || code(err) != wire.Unreachable || !strings.Contains(err.Error(), p.Socket) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	check("no socket")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	check("a stale socket")
}

func TestSomethingElseListens(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	if err := p.MakeRuntime(); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", p.Socket)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Write([]byte("SSH-2.0-x\r\n"))
		_ = c.Close()
	})
	_, err = Dial(t.Context(), p.Socket, Options{})
	if code(err) != wire.Unreachable || errors.Is(err, ErrNoDaemon) {
		t.Errorf("got %v", err)
	}
	_ = l.Close()
	wg.Wait()
}

func TestADaemonThatEndsInTheHandshakeIsNone(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	if err := p.MakeRuntime(); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"", "INFO {}\r\n"} {
		var wg sync.WaitGroup
		wg.Go(func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(said))
			_ = c.Close()
		})
		if _, err := Dial(t.Context(), p.Socket, Options{}); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("after %q: got %v", said, err)
		}
		wg.Wait()
	}
	_ = l.Close()
}

func TestAStreamKeepsItsCredit(t *testing.T) {
	t.Parallel()
	const n = 5*wire.InitialCredit + 3
	p, _ := openBus(t, map[string]bus.Handler{wire.RunEvents.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *bus.Reply) error {
		for i := range n {
			if err := r.JSON(ctx, i); err != nil {
				return err
			}
		}
		return wire.Errorf(wire.CursorExpired, "gone")
	}})
	c := mustDial(t, p, Options{})
	got := 0
	var last error
	for b, err := range c.Frames(t.Context(), wire.RunEvents.Spec, nil) {
		if err != nil {
			last = err
			continue
		}
		if string(b) != fmt.Sprint(got) {
			t.Fatalf("got %q, want %d", b, got)
		}
		got++
	}
	if got != n || code(last) != wire.CursorExpired {
		t.Errorf("got %d objects and %v", got, last)
	}
}

func TestAStreamThatIsLeftEnds(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	p, _ := openBus(t, map[string]bus.Handler{wire.RunEvents.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *bus.Reply) error {
		for {
			if err := r.JSON(ctx, 1); err != nil {
				ended <- err
				return err
			}
		}
	}})
	c := mustDial(t, p, Options{})
	for _, err := range c.Frames(t.Context(), wire.RunEvents.Spec, nil) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if err := await(t, ended, "the end of the stream"); err == nil {
		t.Error("the stream ended by itself")
	}
	if err := call(t.Context(), c, wire.RunGet.Spec, nil, nil); code(err) != wire.Failed {
		t.Errorf("the connection is of no use any more: %v", err)
	}
}

func TestAStoppingDaemonIsUnreachable(t *testing.T) {
	t.Parallel()
	p, b := openBus(t, map[string]bus.Handler{wire.RunWatch.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *bus.Reply) error {
		if err := r.JSON(ctx, 1); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}})
	c := mustDial(t, p, Options{})
	var got []string
	for b2, err := range c.Frames(t.Context(), wire.RunWatch.Spec, nil) {
		got = append(got, fmt.Sprint(string(b2), code(err)))
		if err == nil {
			if err := b.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if diff := cmp.Diff([]string{"1ok", "unreachable"}, got); diff != "" {
		t.Error(diff)
	}
	if err := call(t.Context(), c, wire.RunWatch.Spec, nil, nil); code(err) != wire.Unreachable {
		t.Errorf("got %v", err)
	}
}

func TestTheLibraryKeepsOffStandardError(t *testing.T) { // not parallel: it takes standard error away
	p, _ := openBus(t, nil)
	c := mustDial(t, p, Options{})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	kept := os.Stderr
	os.Stderr = w
	c.nc.Opts.AsyncErrorCB(c.nc, nil, errors.New("broken pipe"))
	os.Stderr = kept
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(r); err != nil || len(said) > 0 {
		t.Errorf("it says %q, %v", said, err)
	}
}

func TestPutSendsPieces(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	texts := map[string][]byte{}
	p, _ := openBus(t, map[string]bus.Handler{wire.BlobPut.Name: func(ctx context.Context, _ auth.Request, body []byte, r *bus.Reply) error {
		var c wire.BlobChunk
		if err := json.Unmarshal(body, &c); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if c.Offset != int64(len(texts[c.Upload])) {
			return fmt.Errorf("piece at %d, want %d", c.Offset, len(texts[c.Upload]))
		}
		texts[c.Upload] = append(texts[c.Upload], c.Data...)
		if !c.Last {
			return nil
		}
		sum := sha256.Sum256(texts[c.Upload])
		return r.JSON(ctx, wire.BlobReply{Ref: events.Ref(hex.EncodeToString(sum[:]))})
	}})
	c := mustDial(t, p, Options{})
	for _, size := range []int{0, 1, wire.MaxChunk, wire.MaxChunk + 1, 1 << 20} {
		data := bytes.Repeat([]byte{0xff, 0, 'a'}, size/3+1)[:size]
		ref, err := c.Put(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if string(ref) != hex.EncodeToString(sum[:]) {
			t.Errorf("%d bytes: got %s", size, ref)
		}
	}
	if _, err := c.Put(t.Context(), make([]byte, wire.MaxBlob+1)); code(err) != wire.Usage {
		t.Errorf("got %v", err)
	}
}

func TestOneWarningAboutVersions(t *testing.T) {
	t.Parallel()
	p, _ := openBus(t, map[string]bus.Handler{wire.RunStop.Name: func(context.Context, auth.Request, []byte, *bus.Reply) error { return nil }})
	for version, want := range map[string]int{"fake": 0, "": 0, "other": 1} {
		var warned []string
		c := mustDial(t, p, Options{Version: version, Warn: func(s string) { warned = append(warned, s) }})
		if v := c.DaemonVersion(); v != "" {
			t.Errorf("version %q before the first answer", v)
		}
		for range 3 {
			if err := call(t.Context(), c, wire.RunStop.Spec, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if len(warned) != want || c.DaemonVersion() != "fake" {
			t.Errorf("%q: %d warnings %v, daemon %q", version, len(warned), warned, c.DaemonVersion())
		}
	}
}

func TestManyCallsOverOneConnection(t *testing.T) {
	t.Parallel()
	p, _ := openBus(t, map[string]bus.Handler{wire.RunGet.Name: func(ctx context.Context, _ auth.Request, body []byte, r *bus.Reply) error { return r.Send(ctx, body) }})
	c := mustDial(t, p, Options{})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			var got int
			if err := call(t.Context(), c, wire.RunGet.Spec, i, &got); err != nil || got != i {
				t.Errorf("got %d, %v, want %d", got, err, i)
			}
		})
	}
	wg.Wait()
}

func TestThePipeOfAStarterIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	ended := make(chan error, 1)
	for text, want := range map[string]wire.Code{
		`{"code":"ok","message":""}`:       wire.OK,
		`{"code":"full","message":"disk"}`: wire.Full,
		``:                                 wire.Unreachable,
		`panic: x`:                         wire.Unreachable,
		`{}`:                               wire.Unreachable,
	} {
		if want == wire.Unreachable {
			ended <- errors.New("exit status 2")
		}
		if err := outcome(t.Context(), iotest.OneByteReader(strings.NewReader(text)), ended, p); code(err) != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// call is Exchange under a new id, for bodies that no verb has.
func call(ctx context.Context, c *Client, v wire.Spec, req, reply any) error {
	return c.Exchange(ctx, ulid.Make().String(), v, req, reply)
}
