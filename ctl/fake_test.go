package ctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// asked is one request that the fake daemon got.
type asked struct {
	verb string
	body string
	id   string
}

// fakeDaemon answers from tables.
type fakeDaemon struct {
	replies map[string]any    // by verb; an error is returned as such
	streams map[string][]any  // frames; an error ends the stream with it, []byte goes as it is
	takes   time.Duration     // for each call, but to ask how far one is
	after   map[string]func() // by verb, once it is answered
	hold    chan struct{}     // a stream waits for it before it ends

	mu    sync.Mutex
	calls []asked
	puts  [][]byte
}

// silence is a reply that never comes.
type silence struct{}

func (d *fakeDaemon) note(v wire.Spec, req any, id string) error {
	b, err := json.Marshal(req, json.Deterministic(true))
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, asked{v.Name, string(b), id})
	return nil
}

func (d *fakeDaemon) Exchange(ctx context.Context, id string, v wire.Spec, req, reply any) error {
	if err := d.note(v, req, id); err != nil {
		return err
	}
	if v.Name != wire.RunProgress.Name {
		time.Sleep(d.takes)
	}
	if f := d.after[v.Name]; f != nil {
		defer f()
	}
	switch r := d.replies[v.Name].(type) {
	case nil:
		if v.Name == wire.WorktreeAsk.Name { // every run asks, and needs no setting
			return nil
		}
		return wire.Errorf(wire.NotFound, "no reply for %s", v.Name)
	case error:
		return r
	case silence:
		<-ctx.Done()
		return context.Cause(ctx)
	default:
		b, err := json.Marshal(r)
		if err != nil || reply == nil {
			return err
		}
		return json.Unmarshal(b, reply)
	}
}

func (d *fakeDaemon) Frames(ctx context.Context, v wire.Spec, req any) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := d.note(v, req, ""); err != nil {
			yield(nil, err)
			return
		}
		for _, f := range d.streams[v.Name] {
			switch f := f.(type) {
			case error:
				yield(nil, f)
				return
			case []byte:
				if !yield(f, nil) {
					return
				}
			default:
				b, err := json.Marshal(f)
				if !yield(b, err) || err != nil {
					return
				}
			}
		}
		if d.hold != nil {
			select {
			case <-d.hold:
			case <-ctx.Done():
				yield(nil, ctx.Err())
			}
		}
	}
}

func (d *fakeDaemon) Put(_ context.Context, text []byte) (events.Ref, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.puts = append(d.puts, slices.Clone(text))
	return "ref-of-text", nil
}

func (d *fakeDaemon) Close() error { return nil }

// body is the body of the only request of a verb.
func (d *fakeDaemon) body(t *testing.T, v wire.Spec) string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []string
	for _, c := range d.calls {
		if c.verb == v.Name {
			found = append(found, c.body)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s was asked %d times, want once; all: %v", v.Name, len(found), d.calls)
	}
	return found[0]
}

// world is a fake one around a command line. No terminal, UTC, noon.
type world struct {
	World
	out, err bytes.Buffer
	signals  chan<- os.Signal
	notified chan struct{}
	starts   []bool // of each Connect
	mu       sync.Mutex
}

func newWorld(t *testing.T, d Daemon, args ...string) *world {
	t.Helper()
	w := &world{notified: make(chan struct{})}
	w.World = World{
		Args: args, Dir: t.TempDir(), Version: "1.0.0", In: strings.NewReader(""),
		Environ: []string{"PATH=/bin", "HOME=/home/u", "TERM=xterm", "LANG=en_US.UTF-8"},
		Out:     Output{Writer: &w.out}, Err: Output{Writer: &w.err},
		Now: func() time.Time { return noon }, Zone: time.UTC,
		Notify: func(c chan<- os.Signal) func() {
			w.signals = c
			close(w.notified)
			return func() {}
		},
		Connect: func(_ context.Context, start bool) (Daemon, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.starts = append(w.starts, start)
			if d == nil {
				return nil, wire.Errorf(wire.Unreachable, "no daemon answers")
			}
			return d, nil
		},
		FindPlaces: func() (place.Places, error) {
			return place.Places{State: "/state", Socket: "/run/d.sock"}, nil
		},
		Alive:    func(int) bool { return false },
		Terminal: func() (io.ReadWriteCloser, error) { return nil, errors.New("there is no terminal to ask at") },
	}
	return w
}

func (w *world) run(t *testing.T) int {
	t.Helper()
	return Main(context.Background(), w.World)
}

// terminal makes stdout and stderr terminals of 80 columns.
func (w *world) terminal() *world {
	w.InIsTTY = true
	w.Out.Columns = func() int { return 80 }
	w.Err.Columns = func() int { return 80 }
	return w
}

func frame(seq uint64, exit int, state, line string) wire.WatchFrame {
	v := liveView()
	v.Exit, v.State, v.Seq = exit, state, seq
	return wire.WatchFrame{View: v, Line: line, Seq: seq, At: noon.Add(time.Duration(seq) * time.Second)}
}

func liveView() wire.RunView {
	return wire.RunView{
		ID: "01JGFJJZ00000000000000K3XQ", Handle: "k3xq", State: "running", Stage: "agent", Exit: -1,
		Task: "make it pass", Workspace: "/home/u/p", Workflow: "converge", Phase: "work", Iteration: 2,
		Iterations: 10, Started: noon.Add(-time.Hour), Gates: []wire.GateView{},
	}
}

var _ io.Writer = Output{}

func contains(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not contain %q:\n%s", what, want, text)
		}
	}
}

func code(t *testing.T, w *world, want int) {
	t.Helper()
	if got := w.run(t); got != want {
		t.Errorf("apctl %s: exit %d, want %d\nstdout: %s\nstderr: %s",
			strings.Join(w.Args, " "), got, want, w.out.String(), w.err.String())
	}
}

func fault(c wire.Code) error { return wire.Errorf(c, "fault %s", c).WithHint("do %s", fmt.Sprint(c)) }

// connectInTurn hands out daemons in order; nil and all after the last are
// not reachable.
func connectInTurn(tries *int, daemons ...*fakeDaemon) func(context.Context, bool) (Daemon, error) {
	return func(context.Context, bool) (Daemon, error) {
		*tries++
		if *tries > len(daemons) || daemons[*tries-1] == nil {
			return nil, wire.Errorf(wire.Unreachable, "no daemon answers")
		}
		return daemons[*tries-1], nil
	}
}
