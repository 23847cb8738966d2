package meter_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/agent/meter"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

// apshim is the real supervisor, built once.
var apshim string

func TestMain(m *testing.M) { proctest.Main(m, &apshim) }

var ids atomic.Int64

// agent is a program under a real supervisor. It prints only what a token in
// the pipe GO lets it.
type agent struct {
	t    *testing.T
	r    *effect.Runner
	spec shim.Spec
	dir  effect.Dir
	fifo string
	end  chan struct{}
	done chan effect.Outcome
}

// newAgent makes an agent of a shell script that is not started yet.
func newAgent(t *testing.T, script string) *agent {
	t.Helper()
	root := t.TempDir()
	r, err := effect.New(effect.Config{Root: filepath.Join(root, "effects"), Shim: apshim})
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf("meter-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), ids.Add(1))
	a := &agent{
		t: t, r: r, dir: r.Open(id), fifo: filepath.Join(root, "go"),
		end: make(chan struct{}), done: make(chan effect.Outcome, 1),
	}
	if err := syscall.Mkfifo(a.fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	a.spec = shim.Spec{
		ID: id, Argv: []string{"sh", "-c", script}, Dir: root, Grace: time.Second,
		Env: []string{"PATH=" + os.Getenv("PATH"), "GO=" + a.fifo},
	}
	return a
}

func (a *agent) start() {
	go func() {
		out, err := a.r.Run(a.t.Context(), a.spec, nil, a.end)
		if err != nil {
			a.t.Error(err)
		}
		a.done <- out
	}()
}

// token lets the agent print its next piece.
func (a *agent) token() {
	a.t.Helper()
	f, err := os.OpenFile(a.fifo, os.O_WRONLY, 0)
	if err != nil {
		a.t.Fatal(err)
	}
	f.Close()
}

// stop ends the agent.
func (a *agent) stop() {
	close(a.end)
	<-a.done
}

// followed is a meter at work: what it read, and how it ended.
type followed struct {
	m     *meter.Meter
	reads chan meter.Reading
	cut   chan events.Cut
}

// follow meters an agent in the background.
func (a *agent) follow(f stream.Format, l meter.Limits) *followed {
	out := &followed{reads: make(chan meter.Reading, 10000), cut: make(chan events.Cut, 1)}
	out.m = meter.New(meter.Config{
		Dir: a.dir, Format: f, Limits: l, Price: price,
		Live: func(r meter.Reading) { out.reads <- r },
	})
	go func() {
		cut, err := out.m.Follow(a.t.Context())
		if err != nil {
			a.t.Error(err)
		}
		out.cut <- cut
	}()
	return out
}

// until waits for a reading.
func (f *followed) until(ok func(meter.Reading) bool) meter.Reading {
	for r := range f.reads {
		if ok(r) {
			return r
		}
	}
	panic("unreachable: nobody closes reads")
}

// price is a dollar for a million tokens of the model m.
func price(model string, u stream.Usage) (int64, string, bool) {
	return u.Input + u.CacheRead + u.CacheWrite + u.Output, "2026-11-01", model == "m"
}
