package benchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
	"autopilot/events/log"
	"autopilot/events/place"
	"autopilot/projections/rule"
)

// Goals of the store that the daemon is built for.
const (
	foldGoal  = 0.7 // of what a raw consumer reads in the same time
	proofGoal = 0.5 // of what a plain fold reads in the same time
	peakGoal  = 150 << 10
	proofPeak = 300 << 10 // what all states take, too
	startMost = 1.5       // times the server alone
	idleRuns  = 1_000
	idleGoal  = 60 << 10
	idleShare = 0.005 // of a core
	idleFor   = 5 * time.Second
	foldTurns = 3
	startTurn = 5
)

// scale makes the rows of a store with a million events.
func (b *bench) scale(t *table) error {
	live, err := b.bigStore()
	if err != nil {
		return fmt.Errorf("make a large store: %w", err)
	}
	defer func() { _ = b.agentOf(live).Run() }() // ends the agent that still lives
	if err := b.folds(t); err != nil {
		return err
	}
	if err := b.proofs(t); err != nil {
		return err
	}
	return b.starts(t, live)
}

// bigStore makes the state directory with a live run, whose agent waits, and
// then a million events. The daemon was killed.
func (b *bench) bigStore() (live string, err error) {
	if err := b.workspace(b.path("big-work")); err != nil {
		return "", err
	}
	d, err := b.startDaemonIn("big")
	if err != nil {
		return "", err
	}
	out, err := output(b.apctlIn("big", "run", "-d", "wait", "--gate", "test="+gateCommand, "--agent-cmd", "sleep 900"))
	if err != nil {
		return "", errors.Join(err, d.stop())
	}
	live = strings.TrimSpace(string(out))
	for v := (runSaid{}); v.Stage != "agent"; {
		if v, err = b.statusIn("big", live); err != nil {
			return live, errors.Join(err, d.stop())
		}
	}
	if err := d.kill(); err != nil {
		return live, err
	}
	p, err := b.places(b.path("big"))
	if err != nil {
		return live, err
	}
	err = withServer(p, bus.Process, func(nc *nats.Conn) error {
		return (&filler{}).fill(nc, storeRuns, storeEvents/storeRuns)
	})
	return live, errors.Join(err, texts(p.State), seal(p))
}

// seal seals what was stored behind the daemon's back.
func (b *bench) seal(state string) error {
	p, err := b.places(b.path(state))
	if err != nil {
		return err
	}
	return seal(p)
}

func seal(p place.Places) error {
	boot, err := proc.Boot()
	if err != nil {
		return err
	}
	return filestore.Seal(filestore.NamesIn(p.State), filestore.StreamsIn(p.State), log.StreamName(1), boot)
}

// agentOf ends the live run of the large store, whatever became of it.
func (b *bench) agentOf(live string) *exec.Cmd {
	return b.shellIn("big", "-c", `apctl cancel "$1"; apctl wait "$1" --timeout 20s; apctl daemon stop`, "sh", live)
}

func (b *bench) shellIn(state string, args ...string) *exec.Cmd {
	cmd := b.command(b.path(state+"-work"), "/bin/sh", args...)
	cmd.Env = append(append([]string{}, b.envOf(state)...), "PATH="+b.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

func (b *bench) apctlIn(state string, args ...string) *exec.Cmd {
	cmd := b.command(b.path(state+"-work"), b.program("apctl"), args...)
	cmd.Env = b.envOf(state)
	return cmd
}

// runSaid is what a status says of a run.
type runSaid struct {
	Handle, State, Stage string
}

func (b *bench) statusIn(state, run string) (runSaid, error) {
	out, err := output(b.apctlIn(state, "status", run, "--json"))
	var v struct{ Data runSaid }
	return v.Data, errors.Join(err, json.Unmarshal(out, &v))
}

// asked measures a child on the large store.
func (b *bench) asked(work string, s *said) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		got, err := b.ask(work, b.path("big"))
		got.Peak = max(got.Peak, s.Peak)
		*s = got
		return s.Took, err
	}
}

// proofs compares proving all of the store with a plain fold of it.
func (b *bench) proofs(t *table) error {
	var plain, ours said
	floor, took, err := turns(foldTurns, b.asked("fold", &plain), b.asked("verify", &ours))
	if err != nil {
		return err
	}
	if plain.Events != ours.Events {
		return fmt.Errorf("%d events were proven, and %d are there", ours.Events, plain.Events)
	}
	t.rate(fmt.Sprintf("verify of %d events, against their fold", ours.Events), ours.Events, median(floor), median(took), proofGoal)
	t.memory("its peak memory", plain.Peak, ours.Peak, proofPeak)
	return nil
}

// folds compares reading all of the store with folding all of it.
func (b *bench) folds(t *table) error {
	var raw, ours said
	floor, took, err := turns(foldTurns, b.asked("consume", &raw), b.asked("fold", &ours))
	if err != nil {
		return err
	}
	if raw.Events != ours.Events {
		return fmt.Errorf("%d events were folded, and %d are there", ours.Events, raw.Events)
	}
	t.rate(fmt.Sprintf("fold of %d runs, %d events", storeRuns, ours.Events), ours.Events, median(floor), median(took), foldGoal)
	t.memory("its peak memory", raw.Peak, ours.Peak, peakGoal)
	return nil
}

// starts compares a killed daemon's start, up to the answer about its live run,
// with the start of the server alone on a copy. Before each, events are added
// that no snapshot has, and their writer is killed.
func (b *bench) starts(t *table, live string) error {
	cold, err := b.answered(live)
	if err != nil {
		return fmt.Errorf("the first start: %w", err)
	}
	if err := os.CopyFS(b.path("copy/store"), os.DirFS(b.path("big/store"))); err != nil {
		return err
	}
	from := storeRuns
	killed := func(state string, start func() (time.Duration, error)) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			from += 5
			err := b.extended(b.path(state), from)
			if err == nil && state == "big" {
				err = b.seal(state) // as the daemon does that stores an event
			}
			if err != nil {
				return 0, err
			}
			return start()
		}
	}
	floor, ours, err := turns(startTurn,
		killed("copy", func() (time.Duration, error) { return b.served(b.path("copy")) }),
		killed("big", func() (time.Duration, error) { return b.answered(live) }))
	if err != nil {
		return err
	}
	t.ratio("daemon killed, to the status of a live run", median(floor), median(ours), startMost)
	t.note("Without a snapshot that start takes %s.", ms(cold))
	return nil
}

// answered measures from the start of a daemon to the right status of a live
// run, and kills it once its snapshot is written.
func (b *bench) answered(live string) (time.Duration, error) {
	var d *daemon
	var v runSaid
	took, err := took(func() (err error) {
		if d, err = b.startDaemonIn("big"); err == nil {
			v, err = b.statusIn("big", live)
		}
		return err
	})
	if err == nil && (v.Handle != live || v.State != "running") {
		err = fmt.Errorf("run %s is %+v", live, v)
	}
	if d == nil {
		return took, err
	}
	for err == nil { // the first one is written right after the start
		if _, serr := os.Stat(b.path("big/snapshot")); serr == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return took, errors.Join(err, d.kill())
}

// idle measures a daemon that has nothing to do.
func (b *bench) idle(t *table) (err error) {
	p, err := b.places(b.path("idle"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(b.path("idle-work"), 0o700); err != nil {
		return err
	}
	err = withServer(p, bus.Process, func(nc *nats.Conn) error { return (&filler{}).fill(nc, idleRuns, 100) })
	if err != nil {
		return err
	}
	d, err := b.startDaemonIn("idle") // it has not seen the store before
	if err == nil {
		err = d.stop()
	}
	if err != nil {
		return err
	}
	if d, err = b.startDaemonIn("idle"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	if _, err := output(b.apctlIn("idle", "ls")); err != nil {
		return err
	}
	time.Sleep(idleFor) // what a start has left behind is over
	before, err := d.cpu()
	if err != nil {
		return err
	}
	time.Sleep(idleFor)
	after, err := d.cpu()
	if err != nil {
		return err
	}
	rss, err := memory(d.cmd.Process.Pid, "VmRSS")
	share := float64(after-before) / float64(idleFor)
	what := fmt.Sprintf("idle daemon with %d finished runs", idleRuns)
	t.rows = append(t.rows,
		row{what + ", memory", "-", mib(rss), mib(rss), "<= " + mib(idleGoal), rss <= idleGoal},
		row{what + ", of a core", "-", fmt.Sprintf("%.2f %%", share*100), fmt.Sprintf("%.2f %%", share*100), fmt.Sprintf("<= %.2f %%", idleShare*100), share <= idleShare})
	return err
}

// cpu is the time that all threads of a daemon have computed, 0 where the system
// does not tell.
func (d *daemon) cpu() (total time.Duration, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", d.cmd.Process.Pid))
	for _, file := range threads {
		text, rerr := os.ReadFile(file)
		if rerr != nil {
			continue // it has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, perr := strconv.ParseInt(first, 10, 64)
		total, err = total+time.Duration(n), errors.Join(err, perr)
	}
	return total, err
}

func (d *daemon) kill() error {
	err := d.cmd.Process.Signal(syscall.SIGKILL)
	_ = d.cmd.Wait() // killed
	return err
}

// rails compares the rails of a young run with those of one that has failed a
// million times.
func (b *bench) rails(t *table) error {
	const n = 16 // whole rounds of what Add does now and then
	after := func(iterations int) func() (time.Duration, error) {
		h := rule.NewHistory(100, 100)
		for i := range iterations {
			h = h.Add(failureOf(i))
		}
		return func() (time.Duration, error) {
			d, err := took(func() error {
				g := h
				for i := range n {
					g = g.Add(failureOf(iterations + i))
					_, same := g.Sameness()
					if _, stuck := g.Stuck(3); same || stuck {
						return errors.New("a rail fires on failures that differ")
					}
				}
				return nil
			})
			return d / n, err
		}
	}
	floor, ours, err := turns(500, after(10), after(storeEvents))
	if err != nil {
		return err
	}
	t.ratioOf("sameness and stuck after 10 and 1,000,000 iterations", median(floor), median(ours), 1.5)
	return nil
}

func failureOf(i int) rule.Failure {
	return rule.Failure{Iteration: i, Fingerprint: strconv.Itoa(i), Signature: strconv.Itoa(i)}
}
