//go:build linux

package fixturetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"autopilot/daemon/agent/meter"
	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

// apshim is the real supervisor, built once.
var apshim string

func TestMain(m *testing.M) { proctest.Main(m, &apshim) }

// Classes beside the outcomes.
const (
	progress   = "progress"
	noProgress = "no-progress"
	stuck      = "stuck" // in one turn; over several it is a rail that says so
)

// fixture is one agent, and how its end has to be judged.
type fixture struct {
	name    string
	program string // under testdata, without its extension; the name if empty
	format  stream.Format
	env     []string
	secrets []string
	wall    time.Duration
	idle    time.Duration
	limits  meter.Limits
	oom     bool // the system's count of processes that it ended is injected

	supervisor string // apshim if empty
	prompt     []byte // on its standard input, as a file of its box

	want      string // class
	cut       events.Cut
	conflicts string // outcomes of signals that have to be kept beside it
	check     func(*played) error
	watch     func(*played) (stop func())
}

// played is a fixture that has run.
type played struct {
	fixture
	dir  effect.Dir
	r    *effect.Runner
	id   string
	out  effect.Outcome
	sum  stream.Summary
	used events.Usage
	dec  outcome.Decision

	got     string
	cutBy   events.Cut
	highest uint64 // memory of the supervisor, in bytes
	heap    uint64 // of this process
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	all := fixtures(t)
	rows := make([]string, len(all))
	t.Run("fixtures", func(t *testing.T) {
		for i, f := range all {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				began := time.Now()
				p := play(t, f)
				p.compare(t)
				rows[i] = p.row(time.Since(began))
			})
		}
	})
	var table bytes.Buffer
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "fixture\texpected\tgot\tby\tconflicts\tcut\tseconds\n", strings.Join(rows, ""))
	_ = tw.Flush() // into memory
	t.Logf("\n%s", table.String())
}

var ids atomic.Int64

// play runs a fixture as the worker of a daemon runs an agent.
func play(t *testing.T, f fixture) *played {
	t.Helper()
	root := t.TempDir()
	work := filepath.Join(root, "work")
	r, err := effect.New(effect.Config{Root: filepath.Join(root, "effects"), Shim: cmp.Or(f.supervisor, apshim)})
	if err == nil {
		err = os.Mkdir(work, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &played{fixture: f, r: r, id: fmt.Sprintf("fixture-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), ids.Add(1))}
	p.dir = r.Open(p.id)
	m := meter.New(meter.Config{Dir: p.dir, Format: f.format, Limits: f.limits})
	if f.watch != nil {
		defer f.watch(p)()
	}
	p.run(t, m, p.spec(t, work))
	if p.sum, p.used, err = m.Summary(); err != nil {
		t.Fatal(err)
	}
	p.judge()
	if left, err := os.ReadDir(work); p.got == string(outcome.Ended) && err == nil {
		p.got = noProgress
		if len(left) > 0 {
			p.got = progress
		}
	}
	return p
}

func (p *played) spec(t *testing.T, work string) shim.Spec {
	t.Helper()
	program := p.program
	if program == "" {
		program = p.name
	}
	path, err := filepath.Abs(filepath.Join("testdata", program+".sh"))
	if err != nil {
		t.Fatal(err)
	}
	s := shim.Spec{
		ID: p.id, Argv: []string{"sh", path}, Dir: work, Work: work, Secrets: p.secrets,
		Wall: p.wall, Idle: p.idle, Grace: 200 * time.Millisecond,
		Env: append([]string{
			"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "AUTOPILOT_ITERATION=1",
			"AUTOPILOT_RESULT_FILE=" + filepath.Join(p.dir.Box(), effect.ResultFile), "EFFECT_DIR=" + p.dir.Path(),
		}, p.env...),
	}
	return s
}

// run lets it work to its end, and ends it where the meter says so.
func (p *played) run(t *testing.T, m *meter.Meter, spec shim.Spec) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end, cuts := make(chan struct{}), make(chan events.Cut, 1)
	go func() {
		cut, err := m.Follow(ctx)
		if err != nil {
			t.Error(err)
		}
		if cut != "" {
			close(end)
		}
		cuts <- cut
	}()
	var err error
	if p.out, err = p.r.Run(t.Context(), spec, p.box(&spec), end); err != nil {
		t.Error(err)
	}
	cancel()
	if p.cutBy = <-cuts; p.out.Outcome != events.Stopped {
		p.cutBy = "" // it was quicker
	}
}

// box is what it finds in its folder.
func (p *played) box(spec *shim.Spec) effect.Box {
	if p.prompt == nil {
		return nil
	}
	spec.Stdin = filepath.Join(p.dir.Box(), "prompt.md")
	return effect.Box{"prompt.md": p.prompt}
}

// judge decides the end.
func (p *played) judge() {
	p.dec = outcome.Decide(outcome.Input{
		Supervisor: p.out.Outcome, Cut: p.cutBy, OutOfMemory: p.out.OutOfMemory || p.oom, Exit: p.out.Exit,
		Stream: p.sum, Now: p.out.Ended, Zone: time.UTC,
	})
	p.got = string(p.dec.Outcome)
	if p.cutBy == events.CutRepetition {
		p.got = stuck
	}
}

func (p *played) compare(t *testing.T) {
	t.Helper()
	if p.got != p.want || p.cutBy != p.cut {
		t.Errorf("judged as %s (cut %q), want %s (cut %q)\n%+v\n%+v", p.got, p.cutBy, p.want, p.cut, p.out, p.sum)
	}
	if got := p.beside(); p.conflicts != "" && got != p.conflicts {
		t.Errorf("signals that say otherwise: %q, want %q", got, p.conflicts)
	}
	if p.out.Left > 0 {
		t.Errorf("%d processes were left: %v", p.out.Left, p.out.LeftPIDs)
	}
	if p.check == nil {
		return
	}
	if err := p.check(p); err != nil {
		t.Error(err)
	}
}

// beside are the signals that disagree.
func (p *played) beside() string {
	var out []string
	for _, c := range p.dec.Conflicts {
		out = append(out, string(c.Source)+"="+string(c.Outcome))
	}
	return strings.Join(out, " ")
}

func (p *played) row(took time.Duration) string {
	or := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	by := string(p.dec.By.Source)
	if p.cutBy != "" && p.cutBy != events.CutLinger {
		by = "meter"
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%.1f\n", p.name, p.want, p.got, by, or(p.beside()), or(string(p.cutBy)), took.Seconds())
}

// output is all that was kept of what it printed.
func (p *played) output() (string, error) {
	o, err := p.dir.Output(effect.Merged, 8<<20)
	return string(o.Head) + string(o.Tail), err
}
