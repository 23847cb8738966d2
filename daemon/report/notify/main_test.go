package notify

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"autopilot/daemon/test/proctest"

	"autopilot/daemon/exec/effect"
)

// apshim is the real supervisor, built once.
var apshim string

func TestMain(m *testing.M) { proctest.Main(m, &apshim) }

// quick is a timing for tests: nothing is waited for longer than it takes.
func quick() Timing {
	t := DefaultTiming()
	t.Gather, t.GatherMost, t.Burst = time.Millisecond, 2*time.Millisecond, 1000
	t.Post, t.RetryMost = 200*time.Millisecond, 3*time.Millisecond
	for i := range t.Backoff {
		t.Backoff[i] = time.Millisecond
	}
	return t
}

// bench is a notifier with real effects.
type bench struct {
	*testing.T
	cfg Config
	n   *Notifier
	log *record

	mu       sync.Mutex
	settings Settings
	broken   error
}

var boxes atomic.Int64

func newBench(t *testing.T, timing Timing, rules ...Rule) *bench {
	t.Helper()
	r, err := effect.New(effect.Config{Root: t.TempDir(), Shim: apshim})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, log: &record{}, settings: Settings{Rules: rules}}
	b.cfg = Config{
		Dir: t.TempDir(), Settings: b.read, Effects: r, Env: []string{"PATH=" + os.Getenv("PATH")},
		Home: t.TempDir(), Now: time.Now, Log: slog.New(slog.NewTextHandler(b.log, nil)), Timing: timing,
	}
	b.open()
	t.Cleanup(func() { b.n.Close() })
	return b
}

func (b *bench) read() (Settings, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.settings, b.broken
}

func (b *bench) set(s Settings, broken error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settings, b.broken = s, broken
}

func (b *bench) open() (known bool) {
	b.Helper()
	n, known, err := Open(b.cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.n = n
	return known
}

// notice is a notice whose ids are unique on the host, as those of effects have
// to be.
func (b *bench) notice(i int, k Kind) Notice {
	n := notice(i, k)
	n.Key = fmt.Sprintf("%s-%d-%d-%d", n.Key, os.Getpid(), boxes.Add(1), time.Now().UnixNano())
	return n
}

func (b *bench) add(ns ...Notice) {
	b.Helper()
	if err := b.n.Add("", ns...); err != nil {
		b.Fatal(err)
	}
}

// settled waits until nothing is left to be told.
func (b *bench) settled() {
	b.Helper()
	b.until("something is left to be told", func() bool { return !b.n.Busy() })
}

func (b *bench) until(what string, is func() bool) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.Fatalf("%s; log:\n%s", what, b.log)
		}
	}
}

func (b *bench) file(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.cfg.Home, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

func (b *bench) logged(want ...string) {
	b.Helper()
	for _, w := range want {
		if !strings.Contains(b.log.String(), w) {
			b.Errorf("the log does not say %q:\n%s", w, b.log)
		}
	}
}

// record is a log that can be read while it is written.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}
