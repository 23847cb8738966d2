package effect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/events"
	"autopilot/projections/regex"
)

// Errors that a caller can branch on.
var (
	// ErrRunning means that this Runner is already at work on the effect.
	ErrRunning = errors.New("effect is running")
	// ErrUnfinished means that an effect has no outcome yet.
	ErrUnfinished = errors.New("effect has no outcome yet")
	// ErrSupervisor means that the supervisor itself could not be started.
	ErrSupervisor = errors.New("supervisor did not start")
)

// Config says where effects live and what supervises them.
type Config struct {
	Root   string // directory of effects; made if it is missing
	Shim   string // absolute path of apshim
	BootID string // this boot of the host; empty asks the kernel
	// Orphans makes the process of the Runner the parent of what a dead
	// supervisor leaves behind. That process must start nothing else in a session
	// of its own.
	Orphans bool
}

// Runner performs effects.
type Runner struct {
	cfg  Config
	shim program

	mu   sync.Mutex
	busy map[string]bool    // ids that a Run is at work on
	live map[int]supervisor // by pid, for Owner; may have ended since

	ended map[proc.Process]bool // orphans that had ended at the last Reap; only Reap uses it
}

// New opens the root and looks for effects that an earlier daemon left
// running, so that Live and Owner know them before they are run again.
func New(cfg Config) (*Runner, error) {
	if !filepath.IsAbs(cfg.Shim) || !filepath.IsAbs(cfg.Root) {
		return nil, fmt.Errorf("open effects: root %q and supervisor %q must be absolute paths", cfg.Root, cfg.Shim)
	}
	if cfg.BootID == "" {
		boot, err := proc.Boot()
		if err != nil {
			return nil, fmt.Errorf("open effects: %w", err)
		}
		cfg.BootID = boot
	}
	if cfg.Orphans {
		if err := adoptOrphans(); err != nil {
			return nil, fmt.Errorf("open effects: %w", err)
		}
	}
	if err := os.MkdirAll(cfg.Root, 0o700); err != nil {
		return nil, fmt.Errorf("open effects: %w", err)
	}
	shim, err := hold(cfg.Shim)
	if err != nil {
		return nil, fmt.Errorf("open effects: %w", err)
	}
	r := &Runner{cfg: cfg, shim: shim, busy: map[string]bool{}, live: map[int]supervisor{}}
	if err := r.scan(); err != nil {
		return nil, errors.Join(fmt.Errorf("open effects: %w", err), shim.close())
	}
	return r, nil
}

// Supervisor is the path by which this process, and others of this user while it lives,
// start the supervisor's program as it was when the Runner was opened.
func (r *Runner) Supervisor() string { return r.shim.exe() }

// Close lets go of the supervisor's program. Effects live on.
func (r *Runner) Close() error { return r.shim.close() }

// Box is what is placed into box/ before the effect starts: contents by file
// name.
type Box map[string][]byte

// Outcome is how an effect ended.
type Outcome struct {
	Outcome   events.Outcome
	Exit      int // -1 unless Outcome is events.Exited
	Signal    int // that ended the program, also if it was ours
	Started   time.Time
	Ended     time.Time
	Active    time.Duration // without the time that the host slept
	Suspended time.Duration
	Silent    time.Duration // before its end: no output, and nothing that its spec names changed
	Bytes     int64         // of output, kept or not
	Truncated bool          // some of it was not kept
	Killed    int           // processes of the tree that were signalled to end
	Left      int           // processes that could not be ended
	LeftPIDs  []int         // the first of them
	// OutOfMemory says that the system ended the program, or one below it, for
	// want of memory. Err then says who counted it.
	OutOfMemory bool
	Cgroup      bool     // it had a control group of its own
	Redacted    int      // secrets that were kept out of the output
	Lacking     []string // words of package confine: what of its confinement could not be enforced
	Err         string   // why the program could not be started, or what else went wrong
	Dir         Dir
}

// Run performs the effect named spec.ID as often as is needed to learn its
// outcome, which is once: it starts it, adopts a running one, or takes the
// record of a finished one, whose spec then wins over this one. Run fills V
// and Boot of the spec and adds the effect's marker to its environment.
//
// The end of ctx lets go of the effect: it runs on, and Run returns ctx.Err().
// A receive on end, which may be nil, ends its process tree; the outcome is then
// events.Stopped unless the program was quicker.
func (r *Runner) Run(ctx context.Context, spec shim.Spec, box Box, end <-chan struct{}) (Outcome, error) {
	if err := check(spec, box); err != nil {
		return Outcome{}, err
	}
	if err := r.enter(spec.ID); err != nil {
		return Outcome{}, err
	}
	defer r.leave(spec.ID)
	spec.V, spec.Boot = shim.Version, r.cfg.BootID
	spec.Env = mark(spec.Env, spec.ID)

	t := &task{r: r, dir: r.Open(spec.ID), spec: spec, box: box, end: end}
	exit, err := t.perform(ctx)
	if err == nil {
		err = t.dir.dropSpecs()
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("run effect %s: %w", spec.ID, err)
	}
	return outcome(exit, t.dir), nil
}

var idPattern = regex.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

func check(spec shim.Spec, box Box) error {
	if !idPattern.MatchString(spec.ID) {
		return fmt.Errorf("run effect %q: not a usable id", spec.ID)
	}
	if len(spec.Argv) == 0 {
		return fmt.Errorf("run effect %s: no command", spec.ID)
	}
	for name := range box {
		if name == outbox || !filepath.IsLocal(name) || strings.ContainsRune(name, '/') {
			return fmt.Errorf("run effect %s: %q is not a file name for its box", spec.ID, name)
		}
	}
	return nil
}

// mark adds the effect's marker and takes out any other one.
func mark(env []string, id string) []string {
	prefix := proc.EffectVariable + "="
	marked := []string{prefix + id}
	for _, entry := range env {
		if !strings.HasPrefix(entry, prefix) {
			marked = append(marked, entry)
		}
	}
	return marked
}

func (r *Runner) enter(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[id] {
		return fmt.Errorf("run effect %s: %w", id, ErrRunning)
	}
	r.busy[id] = true
	return nil
}

func (r *Runner) leave(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, id)
}

func outcome(e shim.Exit, d Dir) Outcome {
	return Outcome{
		Outcome: events.Outcome(e.Outcome), Exit: e.Exit, Signal: e.Signal,
		Started: e.Started, Ended: e.Ended,
		Active:    time.Duration(e.ActiveMS) * time.Millisecond,
		Suspended: time.Duration(e.SuspendedMS) * time.Millisecond,
		Silent:    time.Duration(e.SilentMS) * time.Millisecond,
		Bytes:     e.Bytes, Truncated: e.Truncated,
		Killed: e.Killed, Left: e.Left, LeftPIDs: e.LeftPIDs, OutOfMemory: e.OutOfMemory, Cgroup: e.Cgroup,
		Redacted: e.Redacted, Lacking: e.Lacking, Err: e.Error, Dir: d,
	}
}
