package work

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"autopilot/daemon/agent/meter"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/report/draft"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/run/workflow/library"
	"autopilot/daemon/store/blob"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Config configures a Worker. All fields are required unless they say otherwise.
type Config struct {
	State   string // the daemon's state directory
	Program string // path of autopilotd, which runs script agents
	Home    string // of the user, for tool defaults that the run's environment lacks
	Blobs   *blob.Store
	Effects *effect.Runner
	Trees   tree.Config
	// Listen opens a socket; every connection to it is that effect.
	Listen func(effect string) (path string, stop func(), err error)
	// Admit says whether an agent of the run may begin on an account now, and its
	// allowance; an event means no, and says why.
	Admit func(ctx context.Context, s run.State, account string) (Allowance, events.Data, error)
	// FindFlow finds the workflow of a run to start. The workflow is trusted and has no
	// problems.
	FindFlow func(ctx context.Context, q order.Order) (library.Found, error)
	// Refused counts the refused requests of an effect.
	Refused func(effect string) int
	// Sandbox makes the confinement plans of effects.
	Sandbox sandbox.Host
	// Confined returns the user's sandbox settings for gates outside of runs.
	Confined func() (mode events.Sandbox, allow []string, err error)
	// Unhidden says why this host cannot hide paths from an agent; empty if it can. It
	// may be nil.
	Unhidden func() string
	// GateEnv returns gate.env of the settings, at the start of a run.
	GateEnv func() (map[string]string, error)
	// Price is the cost of a model's tokens in millionths of a dollar, from the table of
	// that date; may be nil.
	Price func(model string, u stream.Usage) (microUSD int64, date string, ok bool)
	// Priced says that the table has a price for a model. Over says that an agent must
	// end at a limit beyond its own. Both may be nil.
	Priced func(model string) bool
	Over   func(run, effect string, u events.Usage) events.Cut
	// Draft shows a set where people review changes, before the question about it. It
	// returns an error only if ctx ends. It may be nil.
	Draft func(ctx context.Context, s draft.Set) (draft.Shown, error)
	// Standing says how the machine and other sessions stand, but for sessions of the run by
	// these names; nil knows neither.
	Standing func(ctx context.Context, flow workflow.Workflow, ws tree.Workspace, own []string) Standing
	// Language is the language for texts to a person about a run; nil is the run's own.
	Language func(s run.State) events.Language
	Now      func() time.Time
	Log      *slog.Logger
	Late     *time.Duration // replaces rule.LateWrites; may be nil
	Copies   bool           // controls and held-out gates use copies, as on a host that cannot lay files over the work tree
}

// Worker implements engine.Worker. Its methods may be called from any
// goroutine; for one run the engine calls one at a time.
type Worker struct {
	*records
	*places
	cfg  Config
	late time.Duration // writes so soon after a record of the tree are echoes of it

	mu    sync.Mutex
	live  map[string]meter.Reading      // of agents at work, by run
	chats map[string]*events.AgentEnded // deliveries of chats, by run; nil until the tree is recorded
}

// records reads and stores what runs work by: texts, plans, repositories, secrets.
type records struct {
	cfg    Config
	parsed atomic.Pointer[parsed]

	mu    sync.Mutex
	plans map[string]*Plan
	dirs  map[string]gate.Dir // contents of a PATH directory at a run's last look
	hide  *redact.Set         // of all plans; nil after a change of them
	repos map[string]*opening
}

// places holds the folders of agents and gates.
type places struct {
	cfg    Config
	remove func(dir string) error // effect.RemoveAll; tests replace it
}

var _ engine.Worker = (*Worker)(nil)

// New makes a Worker. It starts nothing.
func New(cfg Config) *Worker {
	late := rule.LateWrites
	if cfg.Late != nil {
		late = *cfg.Late
	}
	return &Worker{
		records: &records{cfg: cfg, plans: map[string]*Plan{}, dirs: map[string]gate.Dir{}, repos: map[string]*opening{}},
		places:  &places{cfg: cfg, remove: effect.RemoveAll},
		cfg:     cfg, late: late, live: map[string]meter.Reading{}, chats: map[string]*events.AgentEnded{},
	}
}

// setLive records the reading of an agent at work; nil removes it.
func (w *Worker) setLive(run string, r *meter.Reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r == nil {
		delete(w.live, run)
		return
	}
	w.live[run] = *r
}

// Live is the reading of the agent at work for a run.
func (w *Worker) Live(run string) (meter.Reading, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.live[run]
	return r, ok
}

func (w *places) newID() string {
	return ulid.MustNew(ulid.Timestamp(w.cfg.Now()), rand.Reader).String()
}

// Text implements engine.Worker. It drops a text that cannot be stored: the halt with the
// text matters more.
func (w *records) Text(ctx context.Context, text string) events.Ref {
	ref, err := w.put(ctx, text)
	if err != nil {
		return ""
	}
	return ref
}

// record records the workspace. It leaves out files that gates made, while they are as
// the gates left them. After a change by an agent they are its work. They never count in
// comparisons.
func (w *Worker) record(ctx context.Context, s run.State, p *Plan, made events.Ref) (tree.Snapshot, error) {
	files, err := w.madeFiles(made)
	if err != nil {
		return tree.Snapshot{}, err
	}
	without := tree.Without{Notes: p.Flow.Notes}
	for _, f := range files {
		without.Made = append(without.Made, f.path)
		if sum, err := fileSum(filepath.Join(p.Repo.Workspace().Path, f.path)); err == nil && sum == f.sum {
			without.Untouched = append(without.Untouched, f.path)
		}
	}
	snap, err := p.Repo.Record(ctx, s.ID, p.Ignore, without)
	failpoint.Hit(failpoint.AfterRecord)
	return snap, gone(err)
}

// ignoring adds exact paths to ignore rules. The last rule wins, so these do.
func ignoring(rules []byte, paths []string) []byte {
	if len(paths) == 0 {
		return rules
	}
	out := append([]byte{}, rules...)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	for _, path := range paths {
		out = append(out, tree.IgnorePath(path)...)
		out = append(out, '\n')
	}
	return out
}

// gone translates the loss of the workspace for the engine.
func gone(err error) error {
	if errors.Is(err, tree.ErrGone) || errors.Is(err, tree.ErrNotRepository) {
		return fmt.Errorf("%w: %w", engine.ErrWorkspaceGone, err)
	}
	return err
}

// Recorded implements engine.Worker: it names the recorded tree, and ends a leftover
// agent. For a finished run it also removes the secrets and the state of its recordings.
// It keeps the plan in memory only while the run goes on.
func (w *Worker) Recorded(ctx context.Context, s run.State) error {
	name, message := "last", fmt.Sprintf("run %s: last", s.Facts.Handle)
	if s.Status == run.Live {
		if s.Last.Record.Verdict == events.Skipped {
			return nil
		}
		name = fmt.Sprint(s.Last.Record.Iteration)
		message = fmt.Sprintf("run %s: iteration %s", s.Facts.Handle, name)
	}
	ended := errors.Join(w.endAgent(ctx, s), w.writeTelemetry(ctx, s))
	if s.Status != run.Live && s.Last.Session.Effect != "" {
		w.scrub(s.ID, s.Last.Session.Effect)
	}
	if s.Status != run.Live {
		ended = errors.Join(ended, w.dropCheckout(s.ID), w.dropPlaceOf(ctx, s))
	}
	if s.Status == run.Over && s.Facts.Land.Commit != "" {
		ended = errors.Join(ended, w.DropLanding(s.ID))
	}
	repo, err := w.Repo(ctx, s)
	if err == nil {
		_, err = repo.Keep(ctx, s.ID, name, s.Last.Tree, "", message)
	}
	err = errors.Join(ended, err)
	if s.Status == run.Halted {
		w.forget(s.ID) // a run may stay halted forever; a resume reads the plan again
	}
	if s.Status != run.Over {
		return err
	}
	if repo != nil {
		err = errors.Join(err, repo.Forget(s.ID))
	}
	return errors.Join(err, w.DropSecret(s.ID))
}

func (w *places) isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// box is the directory that an effect sees as its own.
func (w *places) box(effect string) string { return w.cfg.Effects.Open(effect).Box() }

func (w *places) promptFile(effect string) string { return filepath.Join(w.box(effect), promptName) }

func (w *places) resultFile(effect string) string { return filepath.Join(w.box(effect), resultName) }
