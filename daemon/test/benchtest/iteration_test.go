package benchtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A run whose gate never passes and whose agent changes one file each time.
// Both commands need no program but the shell. What the gate of the loop prints differs
// from iteration to iteration, or the run would halt for failing the same way each time.
const (
	loopGate     = `read -r was < state.txt && echo "$was"; test -f never`
	agentCommand = `echo "$AUTOPILOT_RUN_ID $AUTOPILOT_ITERATION" > state.txt`
	gateCommand  = `test -f never`
)

const (
	files      = 200 // in the workspace
	blocks     = 6   // of iterations, ours and the floor's in turns
	iterations = 10  // of a block
	warm       = 2   // at its start, not counted: the first one follows the baseline
)

// loop measures iterations.
type loop struct {
	b      *bench
	ran    string // the latest run
	ours   []time.Duration
	floor  *floor
	events int // of an iteration
	blobs  int
	bytes  int // of an event
}

func (l *loop) measure() error {
	var err error
	if l.floor, err = l.b.newFloor(); err != nil {
		return err
	}
	for range blocks {
		if err := l.run(); err != nil {
			return err
		}
		for range iterations {
			if err := l.floor.iteration(l.events, l.blobs, l.bytes); err != nil {
				return fmt.Errorf("floor of an iteration: %w", err)
			}
		}
	}
	return nil
}

// run lets the daemon do one block, and reads times and counts from its record.
func (l *loop) run() error {
	out, err := output(l.apctl("run", "-d", "measure iterations", "--gate", "test="+loopGate,
		"--agent-cmd", agentCommand, "--max-iterations", fmt.Sprint(iterations+warm)))
	if err != nil {
		return err
	}
	l.ran = strings.TrimSpace(string(out))
	_ = l.apctl("wait", l.ran).Run() // it ends halted, as an exit code
	if out, err = output(l.apctl("events", "--json", l.ran)); err != nil {
		return err
	}
	var recorded []time.Time
	n, size := 0, 0
	for line := range bytes.Lines(out) {
		var e struct {
			Data struct {
				Event json.RawMessage `json:"event"`
				End   bool            `json:"end"`
			} `json:"data"`
		}
		var head struct {
			Type string    `json:"type"`
			Time time.Time `json:"time"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if e.Data.End {
			break
		}
		if err := json.Unmarshal(e.Data.Event, &head); err != nil {
			return err
		}
		if len(recorded) > warm && len(recorded) <= iterations+warm-1 {
			n, size = n+1, size+len(e.Data.Event)
		}
		if head.Type == "iteration.recorded.v1" {
			recorded = append(recorded, head.Time)
		}
	}
	if len(recorded) != iterations+warm {
		return fmt.Errorf("run %s recorded %d iterations, not %d", l.ran, len(recorded), iterations+warm)
	}
	counted := recorded[warm:]
	for i := range len(counted) - 1 {
		l.ours = append(l.ours, counted[i+1].Sub(counted[i]))
	}
	spans := len(counted) - 1
	l.events, l.bytes = n/spans, size/n
	l.blobs, err = l.stored(counted[0], counted[spans])
	l.blobs /= spans
	return err
}

func (l *loop) apctl(args ...string) *exec.Cmd {
	return l.b.command(l.b.path("work"), l.b.program("apctl"), args...)
}

// stored counts the blobs that were written between two times.
func (l *loop) stored(from, to time.Time) (n int, err error) {
	return n, filepath.WalkDir(filepath.Join(l.b.path("state"), "blobs"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(from) && info.ModTime().Before(to) {
			n++
		}
		return err
	})
}

func (l *loop) report(t *table) {
	f := l.floor
	t.ratio("one verified iteration, p50", median(f.all), median(l.ours), 1.5)
	t.note("An iteration: %d events of %d bytes and %d blobs, in a workspace of %d files.", l.events, l.bytes, l.blobs, files)
	t.note("Its floor: two supervised fork+exec %s (plain ones %s), git twice %s, one fsync per event and blob %s.",
		ms(median(f.supervised)), ms(median(f.plain)), ms(median(f.git)), ms(median(f.syncs)))
	bare := median(f.all) - median(f.supervised) + median(f.plain)
	t.note("With plain fork+exec in the floor it would be %.2f x.", float64(median(l.ours))/float64(bare))
}
