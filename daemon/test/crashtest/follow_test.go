//go:build linux

package crashtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events/wire"
)

// stored is an event as a client got it.
type stored struct {
	Seq   uint64 `json:"seq"`
	ID    string `json:"id"`
	Type  string `json:"type"`
	bytes string
}

// ends says that a line of events only tells where the stream ended.
func ends(line []byte) bool { return bytes.HasSuffix(bytes.TrimSpace(line), []byte(`"end":true}}`)) }

func readEvent(line []byte) (stored, error) {
	var e struct {
		Data struct {
			Event jsontext.Value `json:"event"`
		} `json:"data"`
	}
	var s stored
	if err := json.Unmarshal(line, &e); err != nil {
		return s, fmt.Errorf("read %q: %w", line, err)
	}
	if err := json.Unmarshal(e.Data.Event, &s); err != nil {
		return s, fmt.Errorf("read %q: %w", line, err)
	}
	s.bytes = string(e.Data.Event)
	return s, nil
}

// follower is a client that follows a run and begins again behind the last
// event whenever the daemon is gone. What it got is acknowledged.
type follower struct {
	w    *world
	run  string
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	got     []stored
	wrong   []string
	changed chan struct{} // closed and made anew at each event
}

func (w *world) follow(run string) *follower {
	ctx, cancel := context.WithCancel(context.Background())
	f := &follower{w: w, run: run, stop: cancel, done: make(chan struct{}), changed: make(chan struct{})}
	go func() {
		defer close(f.done)
		for ctx.Err() == nil {
			f.once(ctx)
		}
	}()
	return f
}

// once follows until the stream ends.
func (f *follower) once(ctx context.Context) {
	f.mu.Lock()
	after := strconv.Itoa(len(f.got))
	f.mu.Unlock()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "apctl"), "events", f.run, "-f", "--json", "--after", after)
	cmd.Env = f.w.env
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		if ctx.Err() == nil { // else it was ended before it began
			f.note(stored{}, err)
			f.stop()
		}
		return
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		// The client itself is killed only at the end.
		line := lines.Bytes()
		if !bytes.Contains(line, []byte(`"`+wire.SchemaError+`"`)) && !ends(line) && ctx.Err() == nil {
			f.note(readEvent(line))
		}
	}
	_ = cmd.Wait() // it fails whenever the daemon is killed
}

// note takes an event, which has to be the next one.
func (f *follower) note(s stored, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch want := uint64(len(f.got) + 1); {
	case err != nil:
		f.wrong = append(f.wrong, err.Error())
		return
	case s.Seq != want:
		f.wrong = append(f.wrong, fmt.Sprintf("got event %d where %d is next: %s", s.Seq, want, s.bytes))
		return
	}
	f.got = append(f.got, s)
	close(f.changed)
	f.changed = make(chan struct{})
}

// await waits until an event was got.
func (f *follower) await(ctx context.Context, seq uint64) error {
	for {
		f.mu.Lock()
		n, changed := uint64(len(f.got)), f.changed
		f.mu.Unlock()
		if n >= seq {
			return nil
		}
		select {
		case <-changed:
		case <-f.done:
			return fmt.Errorf("the follower has ended after event %d of %d", n, seq)
		case <-ctx.Done():
			return fmt.Errorf("the follower got %d of %d events", n, seq)
		}
	}
}

// end ends the follower and returns what it got.
func (f *follower) end(t testing.TB) []stored {
	t.Helper()
	f.stop()
	<-f.done
	for _, w := range f.wrong {
		t.Error("follower:", w)
	}
	return f.got
}

// history is every event of a run as the log has it.
func (w *world) history(run string) []stored {
	w.t.Helper()
	var all []stored
	ids := map[string]bool{}
	for line := range bytes.Lines(w.must("events", run, "--json").stdout) {
		if ends(line) {
			break
		}
		s, err := readEvent(line)
		if err != nil {
			w.t.Error(err)
			continue
		}
		if want := uint64(len(all) + 1); s.Seq != want {
			w.t.Errorf("the log has event %d where %d is next", s.Seq, want)
		}
		if ids[s.ID] {
			w.t.Errorf("event %d has the id of another: %s", s.Seq, s.ID)
		}
		ids[s.ID] = true
		all = append(all, s)
	}
	return all
}
