package shim

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
)

// Kinds of signs of life.
const (
	LifeOutput = "output" // it printed
	LifeCPU    = "cpu"    // its tree computes
	LifeWatch  = "watch"  // what Spec.Watch names grows
	LifeFiles  = "files"  // files below Spec.Work change
	// LifeUnclear is the benefit of the doubt: the host slept or its clock was
	// set, so that times of files cannot be placed. It is given to an effect
	// with Work or Watch, until the next look.
	LifeUnclear = "unclear"
)

// What counts as a sign of life. A program that waits and wakes up now and
// then to see whether it still has to wait uses less than 1 % of a core: a
// shell that polls once a second 0.3 %, an event loop at rest a tenth of that.
// One that compiles or tests uses ten times what is asked for here.
const (
	cpuShare = 50                    // one part in this many of one core
	cpuLeast = 50 * time.Millisecond // five ticks of the kernel's clock: less may be rounding
)

// jumpLeast is from where on two clocks that disagree mean that the host slept
// or that one was set.
const jumpLeast = time.Second

// Life is the last sign of life of an effect.
type Life struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
}

// pulse decides whether an effect lives. It looks several times within the idle
// limit, so that what falls silent ends a step or two after the limit.
type pulse struct {
	idle  time.Duration
	work  string
	watch []string
	cpu   func() time.Duration
	walk  func(roots []string, since, until time.Time) (newest time.Time)

	at     time.Time // of the last sign that has a time of its own: output, a changed file
	shown  time.Time // of the last sign, as people see it
	kind   string
	used   []usage                      // CPU time at each look, from one that is an idle limit old on
	looked struct{ at, wall time.Time } // both clocks at the last look
}

// usage is the CPU time that a tree had used at a moment. The monotonic clock counts.
type usage struct {
	at  time.Time
	cpu time.Duration
}

// How often a silent effect is looked at: so often within its limit, but not more
// often than stepLeast, as a look reads the list of processes.
const (
	steps     = 16
	stepLeast = time.Second
)

// step is the time between two looks.
func (p *pulse) step() time.Duration { return min(p.idle, max(p.idle/steps, stepLeast)) }

// newPulse begins with the start of the program.
func newPulse(s Spec, start time.Time, cpu func() time.Duration) *pulse {
	p := &pulse{
		idle: s.Idle, work: s.Work, watch: s.Watch, cpu: cpu, walk: newestBelow,
		at: start, shown: start, kind: LifeOutput, used: []usage{{at: start}},
	}
	p.looked.at, p.looked.wall = start, start.Round(0)
	return p
}

// look returns when to look again after what is seen now, nothing if the effect
// shows no sign of life. wall is now by the clock that files have their times
// from; output is when the effect last printed.
func (p *pulse) look(now, wall, output time.Time) time.Duration {
	if output.After(p.at) {
		p.sign(output, LifeOutput)
	}
	p.count(now)
	if p.placeless(now, wall) {
		p.sign(now, LifeUnclear)
	}
	if p.left(now) > 0 {
		return min(p.left(now), p.step())
	}
	if p.computes(now) {
		p.shown, p.kind = now, LifeCPU
		return p.step()
	}
	if !p.grown(now, wall, LifeWatch, p.watch) && p.work != "" {
		p.grown(now, wall, LifeFiles, []string{p.work})
	}
	return min(p.left(now), p.step())
}

// left is how much of the limit is left since the last sign with a time.
func (p *pulse) left(now time.Time) time.Duration { return p.idle - now.Sub(p.at) }

func (p *pulse) sign(at time.Time, kind string) { p.at, p.shown, p.kind = at, at, kind }

// count notes the CPU time, and drops what is older than a limit but for the newest.
// While the effect prints nobody asks for it: to read it takes the list of processes.
func (p *pulse) count(now time.Time) {
	if step := p.step(); step < p.idle && now.Sub(p.at) < step {
		p.used = p.used[:0]
		return
	}
	p.used = append(p.used, usage{now, p.cpu()})
	for len(p.used) > 1 && now.Sub(p.used[1].at) >= p.idle {
		p.used = p.used[1:]
	}
}

// computes says that the silent tree has computed, on the average of the last limit: a
// program that wakes up now and then does not work.
func (p *pulse) computes(now time.Time) bool {
	if len(p.used) == 0 {
		return false
	}
	first, last := p.used[0], p.used[len(p.used)-1]
	return last.cpu-first.cpu > max(cpuLeast, now.Sub(first.at)/cpuShare)
}

// placeless says that the host slept or a clock was set since the last look, so that
// times of files cannot be placed.
func (p *pulse) placeless(now, wall time.Time) bool {
	drift := wall.Sub(p.looked.wall) - now.Sub(p.looked.at)
	p.looked.at, p.looked.wall = now, wall
	return drift.Abs() >= jumpLeast && (p.work != "" || len(p.watch) > 0)
}

// grown says whether one of the trees has changed since the last sign, and
// notes when.
func (p *pulse) grown(now, wall time.Time, kind string, roots []string) bool {
	if len(roots) == 0 {
		return false
	}
	since := wall.Add(-now.Sub(p.at))
	newest, ok := within(lookMost, func() time.Time { return p.walk(roots, since, wall) })
	if !ok || newest.IsZero() {
		return false
	}
	p.sign(now.Add(-max(0, wall.Sub(newest))), kind)
	return true
}

// within returns what work does if that takes no longer than d. A file system
// that does not answer must not keep the supervisor from its other duties.
func within[T any](d time.Duration, work func() T) (T, bool) {
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case t := <-done:
		return t, true
	case <-time.After(2 * d): // work keeps to d by itself where it can
		var none T
		return none, false
	}
}

// beat looks for signs of life, records the latest if there was one, and returns how
// long to wait before the next look.
func (s *supervisor) beat() time.Duration {
	now := time.Now()
	wall := now.Round(0)
	rest := s.pulse.look(now, wall, s.start.mono.Add(time.Duration(s.last.Load())))
	if !s.pulse.shown.After(s.start.mono) {
		return rest // there was none yet
	}
	// For people only: without it the effect is as well.
	_ = writeLife(s.dir, Life{At: wall.Add(-now.Sub(s.pulse.shown)).UTC(), Kind: s.pulse.kind})
	return rest
}

// still is how long nothing has moved: no output, and no change in what the
// effect works on or writes its transcript to. CPU time is none: what spins gets
// nowhere.
func (s *supervisor) still() time.Duration {
	roots := s.spec.Watch
	if s.spec.Work != "" {
		roots = append(slices.Clip(roots), s.spec.Work)
	}
	return stillFor(s.silence(), time.Now().Round(0), roots, newestBelow)
}

// stillLeast is from where on silence is worth a look at files.
const stillLeast = 10 * time.Second

// stillFor takes silence for stillness as far as no file is newer. Where that
// cannot be told, nothing is said to be still.
func stillFor(silent time.Duration, wall time.Time, roots []string, walk func(roots []string, since, until time.Time) time.Time) time.Duration {
	if silent < stillLeast || len(roots) == 0 {
		return silent
	}
	newest, ok := within(lookMost, func() time.Time { return walk(roots, wall.Add(-silent), wall) })
	switch {
	case !ok:
		return 0
	case newest.IsZero():
		return silent
	}
	return min(silent, max(0, wall.Sub(newest)))
}

// cpuTime is the CPU time of the tree, with that of processes that have ended:
// the larger of what the control group and the list of processes show, as each
// may miss some.
func (s *supervisor) cpuTime() time.Duration {
	group, _ := s.group.CPU()
	var ru unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_CHILDREN, &ru) // fails on no system that this is built for
	listed := time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	for _, p := range s.tree() {
		listed += proc.CPU(p.PID)
	}
	return max(group, listed)
}

// writeLife notes the last sign of life. It appears whole or not at all, and
// is not synced: it is of no use after the host was started again.
func writeLife(dir string, l Life) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	made := filepath.Join(dir, lifeFile+".new")
	if err := os.WriteFile(made, b, 0o600); err != nil {
		return err
	}
	return os.Rename(made, filepath.Join(dir, lifeFile))
}

// ReadLife reads the sign of life that the supervisor saw last. One that has
// not looked yet has left none: fs.ErrNotExist.
func ReadLife(dir string) (Life, error) {
	var l Life
	err := readRecord(dir, lifeFile, &l)
	return l, err
}
