package benchtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/store/durable"
	"autopilot/events"
)

// Goals for what supervision costs.
const (
	startGoal  = 4 * time.Millisecond
	memoryGoal = 3 << 10 // KiB
)

// supervision starts programs under the supervisor.
type supervision struct {
	b   *bench
	r   *effect.Runner
	ids atomic.Int64
}

func (b *bench) supervise(name string) (*supervision, error) {
	shim, err := filepath.Abs(b.program("apshim"))
	if err != nil {
		return nil, err
	}
	r, err := effect.New(effect.Config{Root: b.path(name), Shim: shim})
	return &supervision{b: b, r: r}, err
}

func (s *supervision) spec(dir string, argv ...string) shim.Spec {
	id := fmt.Sprintf("bench-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), s.ids.Add(1))
	return shim.Spec{ID: id, Argv: argv, Dir: dir, Env: s.b.env}
}

func (s *supervision) run(spec shim.Spec, box effect.Box) error {
	out, err := s.r.Run(context.Background(), spec, box, nil)
	if err == nil && out.Outcome != events.Exited {
		err = fmt.Errorf("effect %v: %s %s", spec.Argv, out.Outcome, out.Err)
	}
	return err
}

// effects measures from the wish to run a program to its first instruction,
// which it prints the time of; what is written before for recovery is part of
// ours.
func (b *bench) effects(t *table) error {
	stamp, err := b.build("stamp")
	if err != nil {
		return err
	}
	s, err := b.supervise("effects")
	if err != nil {
		return err
	}
	var plainAll, oursAll, intents []time.Duration
	plain := func() (time.Duration, error) {
		begin := time.Now()
		out, err := output(b.command(b.dir, stamp))
		plainAll = append(plainAll, time.Since(begin))
		d, syncErr := took(func() error { return s.intent() })
		intents = append(intents, d)
		return since(begin, out, errors.Join(err, syncErr))
	}
	ours := func() (time.Duration, error) {
		spec := s.spec(b.dir, stamp)
		begin := time.Now()
		err := s.run(spec, nil)
		oursAll = append(oursAll, time.Since(begin))
		if err != nil {
			return 0, err
		}
		out, err := s.r.Open(spec.ID).Tail(effect.Merged, 64)
		return since(begin, out, err)
	}
	floor, started, err := turns(150, plain, ours)
	if err != nil {
		return err
	}
	t.more("starting an effect under apshim, p50", median(floor), median(started), startGoal)
	t.note("Of a start, what makes its intent survive a power cut takes %s alone: four fsyncs.", ms(median(intents)))
	t.note("An effect from its intent to its outcome on disk: %s, plain fork+exec to exit %s.", ms(median(oursAll)), ms(median(plainAll)))
	return b.memory(t, s)
}

// intent writes what has to be on disk before a program starts: three
// directories and a file.
func (s *supervision) intent() error {
	top := s.b.path("intents")
	path := filepath.Join(top, strconv.FormatInt(s.ids.Add(1), 10))
	ctl, box := filepath.Join(path, "ctl"), filepath.Join(path, "box")
	return errors.Join(os.MkdirAll(box, 0o700), os.MkdirAll(ctl, 0o700),
		durable.Write(filepath.Join(ctl, "spec"), make([]byte, 300)),
		durable.SyncDir(ctl), durable.SyncDir(path), durable.SyncDir(top))
}

func since(begin time.Time, printed []byte, err error) (time.Duration, error) {
	if err != nil {
		return 0, err
	}
	at, err := strconv.ParseInt(string(printed), 10, 64)
	return time.Duration(at - begin.UnixNano()), err
}

// memory reads what live supervisors need for themselves. Pages of the program
// file that they share are not in it.
func (b *bench) memory(t *table, s *supervision) error {
	const n = 4
	end := make(chan struct{})
	done := make(chan error, n)
	var most int
	var errs []error
	var shims []int
	for range n {
		pid, err := s.live(end, done)
		shims, errs = append(shims, pid), append(errs, err)
	}
	for _, pid := range shims { // once all live: what the first one has of its program nobody shares before
		kib, err := private(pid)
		most = max(most, kib)
		errs = append(errs, err)
	}
	close(end)
	for range n {
		errs = append(errs, <-done)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("measure live supervisors: %w", err)
	}
	r := row{"private memory of a live shim", "-", fmt.Sprintf("%d KiB", most), fmt.Sprintf("%.2f MiB", float64(most)/1024), "<= 3.00 MiB", most <= memoryGoal}
	if most == 0 {
		r.ours, r.figure = "not measured here", "-"
	}
	t.rows = append(t.rows, r)
	return nil
}

// live starts one effect that goes on until end, and answers its supervisor once
// the program runs.
func (s *supervision) live(end <-chan struct{}, done chan<- error) (pid int, err error) {
	fifo := s.b.path(fmt.Sprintf("ready-%d", s.ids.Add(1)))
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		done <- nil
		return 0, err
	}
	spec := s.spec(s.b.dir, "/bin/sh", "-c", `echo > "$1"; exec sleep 60`, "sh", fifo)
	go func() {
		_, err := s.r.Run(context.Background(), spec, nil, end)
		done <- err
	}()
	if _, err := os.ReadFile(fifo); err != nil { // waits for the program
		return 0, err
	}
	claim, err := shim.ReadClaim(filepath.Join(s.r.Open(spec.ID).Path(), "ctl"))
	if err != nil {
		return 0, err
	}
	return claim.PID, nil
}

// private is the private memory of a process in KiB, 0 where the system does
// not tell.
func private(pid int) (kib int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && strings.HasPrefix(line, "Private_") {
			n, _ := strconv.Atoi(fields[1]) // the kernel's own number
			kib += n
		}
	}
	return kib, err
}
