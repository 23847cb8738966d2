package shim

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/redact"
)

// Times of the end of an effect.
const (
	lingerSilence = 200 * time.Millisecond // of output that a child left behind still writes
	lingerMost    = 2 * time.Second
	leftoverGrace = time.Second     // longest politeness to what outlived the program
	killMost      = 5 * time.Second // then what still lives is counted as left
	spaceMost     = time.Minute     // wait for room for the exit record
)

// supervisor is the life of one effect. Its fields belong to the goroutine of
// Supervise; readers of pipes only touch their spool and last.
type supervisor struct {
	dir   string
	spec  Spec
	child int // process group too; 0 before the start
	exit  Exit
	ended bool // the program itself has ended
	ours  bool // we are the reason for its end

	self  proc.Process
	home  proc.Cgroup // ours
	group proc.Cgroup // the effect's, empty where there is none

	start clocks
	last  atomic.Int64 // when output was last read: nanoseconds since start
	pipes []*pipe
	pulse *pulse
	want  want

	sigchld   chan os.Signal
	sigterm   chan os.Signal
	signalled map[identity]bool
}

type identity struct {
	pid   int
	start uint64
}

// Supervise runs the effect of a control directory and returns when its exit
// record is written. When the effect is not this process's to start, it
// returns at once without an error.
//
// It must be called on the main thread, with the goroutine locked to it: the
// parent-death signal of the program fires when the thread that started it
// ends, and the main thread is the one that does not end before the process.
func Supervise(dir string) error {
	s := &supervisor{
		dir:       dir,
		sigchld:   make(chan os.Signal, 1),
		sigterm:   make(chan os.Signal, 1),
		signalled: map[identity]bool{},
	}
	s.catchSignals()
	held, ok, err := lock(dir)
	if err != nil || !ok {
		return err
	}
	// Closed by the end of the process only: see the package's promises.
	defer runtime.KeepAlive(held)
	if err := s.claim(); errors.Is(err, ErrTaken) {
		return nil
	} else if err != nil {
		return err
	}
	s.run()
	s.group.Remove()
	return s.record()
}

// catchSignals must come before the claim: from then on a request to stop is
// never the death of the supervisor. What was ignored when this process began,
// as by a shell for its background jobs, is caught here, as an ignored signal
// would stay ignored in the program. (The runtime does so for all the others.)
func (s *supervisor) catchSignals() {
	signal.Notify(s.sigchld, unix.SIGCHLD)
	signal.Notify(s.sigterm, unix.SIGTERM)
	for _, sig := range notForUs {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// notForUs are signals that would end this process and say nothing to it.
var notForUs = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT}

// claim takes the claim, with the name of the control group in it, before that
// is made: so it is found whenever this process dies.
func (s *supervisor) claim() error {
	self, err := proc.Read(os.Getpid())
	if err != nil {
		return err
	}
	boot, err := proc.Boot()
	if err != nil {
		return err
	}
	s.self, s.home = self, proc.OwnCgroup()
	s.group = s.home.Child(self)
	return Claim{PID: self.PID, Start: self.Start, Boot: boot, Cgroup: s.group}.Take(s.dir)
}

// run fills the exit record. A panic would lose the outcome, so nothing here
// may panic on what an effect does.
func (s *supervisor) run() {
	s.exit = Exit{Exit: -1, Started: time.Now().UTC()}
	s.start = readClocks()
	spec, err := ReadSpec(s.dir)
	if err == nil {
		s.spec = spec
		err = s.spawn()
	}
	if err != nil {
		s.closePipes()
		s.exit.Outcome, s.exit.Error = SpawnFailed, redact.Text(s.spec.Secrets, err.Error())
		s.finish()
		return
	}
	// A locked goroutine changes threads with every other one, and it has done
	// what it was locked for.
	runtime.UnlockOSThread()
	// Now that the program has its own. Catching them before would cost a
	// fifth of the time of a start.
	signal.Ignore(notForUs...)
	s.noteMemory()
	s.watch()
	s.linger()
	s.endTree(min(spec.GraceOrDefault(), leftoverGrace))
	s.closePipes()
	s.want.judge(&s.exit, s.ours)
}

// watch returns when the program has ended, by itself or by our doing.
func (s *supervisor) watch() {
	var wall, idle <-chan time.Time
	if s.spec.Wall > 0 {
		wall = time.After(s.spec.Wall)
	}
	s.pulse = newPulse(s.spec, s.start.mono, s.cpuTime)
	idleTimer := time.NewTimer(s.pulse.step())
	defer idleTimer.Stop()
	if s.spec.Idle > 0 {
		idle = idleTimer.C
	}
	for s.reap(); !s.ended; s.reap() {
		select {
		case <-s.sigchld:
		case <-s.sigterm:
			s.stop(Stopped)
		case <-wall:
			s.stop(WallTimeout)
		case <-idle:
			if rest := s.beat(); rest > 0 {
				idleTimer.Reset(rest)
				continue
			}
			s.stop(IdleTimeout)
		}
	}
}

// stop ends the whole tree for a reason of ours.
func (s *supervisor) stop(outcome string) {
	if s.reap(); s.ended {
		return // it was quicker: the outcome is its own
	}
	s.ours, s.exit.Outcome = true, outcome
	s.exit.SilentMS = s.still().Milliseconds() // what it prints when it is told to end is no progress
	s.endTree(s.spec.GraceOrDefault())
	if !s.ended {
		// Not even the final signal ended it; its end will not be seen.
		s.ended = true
		s.finish()
	}
}

// silence is the time since the last output, or since the start.
func (s *supervisor) silence() time.Duration {
	return time.Since(s.start.mono) - time.Duration(s.last.Load())
}

// reap collects every child that has ended and says whether any is left. On
// Linux that covers all descendants, as orphans become our children.
func (s *supervisor) reap() (none bool) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return true
		case pid == 0:
			return false
		case pid == s.child:
			s.childEnded(status)
		}
	}
}

func (s *supervisor) childEnded(status unix.WaitStatus) {
	s.ended = true
	if !s.ours {
		s.exit.SilentMS = s.still().Milliseconds()
	}
	s.finish()
	if status.Signaled() {
		s.exit.Signal = int(status.Signal())
	}
	switch {
	case s.ours:
	case status.Signaled():
		s.exit.Outcome = Signaled
	default:
		s.exit.Outcome, s.exit.Exit = Exited, status.ExitStatus()
	}
}

// finish notes the times of the end.
func (s *supervisor) finish() {
	s.exit.Ended = time.Now().UTC()
	active, suspended := s.start.until(readClocks())
	s.exit.ActiveMS, s.exit.SuspendedMS = active.Milliseconds(), suspended.Milliseconds()
}

// linger gives children that outlived the program the chance to finish what
// they print. They may hold its output for ever, so silence ends it.
func (s *supervisor) linger() {
	ended := time.Now()
	tick := time.NewTicker(lingerSilence / 4)
	defer tick.Stop()
	for !s.ours {
		if s.pipesDone() {
			return
		}
		select {
		case <-s.anyPipe():
		case <-s.sigchld:
			s.reap()
		case <-s.sigterm:
			return
		case <-tick.C:
			waited := time.Since(ended)
			if waited >= lingerMost || min(waited, s.silence()) >= lingerSilence {
				return
			}
		}
	}
}

// record writes the exit record. A full disk may have room again soon, and
// without a record the work of the effect counts as lost.
func (s *supervisor) record() error {
	deadline := time.Now().Add(spaceMost)
	for {
		err := WriteExit(s.dir, s.exit)
		if !errors.Is(err, unix.ENOSPC) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(time.Second)
	}
}

// Main is the program apshim: its one argument is the control directory, or a
// stage of the confinement that it starts itself. It returns the exit code.
func Main(args []string) int {
	if confine.Stage(args) {
		return 1
	}
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "apshim: this program is started by autopilotd and needs one control directory")
		return 2
	}
	nameItself()
	if err := Supervise(args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "apshim:", err)
		return 1
	}
	return 0
}
