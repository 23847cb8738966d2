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
	"autopilot/daemon/run/workflow/library"
	"autopilot/daemon/store/blob"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Config is what a Worker works with. All fields are needed that do not say
// otherwise.
type Config struct {
	State   string // the daemon's state directory
	Program string // path of autopilotd, which script agents run in
	Home    string // of the user, for defaults of tools that are not in the run's environment
	Blobs   *blob.Store
	Effects *effect.Runner
	Trees   tree.Config
	// Listen opens a socket on which every connection is that effect.
	Listen func(effect string) (path string, stop func(), err error)
	// Admit says whether an agent of the run that works on an account may begin now, and what it may use;
	// with an event it may not, and the event says why.
	Admit func(ctx context.Context, s run.State, account string) (Allowance, events.Data, error)
	// FindFlow finds the workflow of a run that is to be started; nobody may have
	// to agree to it any more, and it has no problems.
	FindFlow func(ctx context.Context, q wire.StartRequest) (library.Found, error)
	// Refused is how many requests of an effect the daemon has refused.
	Refused func(effect string) int
	// Sandbox makes the plans by which effects are confined.
	Sandbox sandbox.Host
	// Confined is what the user's settings say of gates that belong to no run.
	Confined func() (mode events.Sandbox, allow []string, err error)
	// Unhidden says why this host hides no path from an agent; empty: it does. It may
	// be nil.
	Unhidden func() string
	// GateEnv is gate.env of the settings, as it is when a run starts.
	GateEnv func() (map[string]string, error)
	// Price is what tokens of a model cost, in millionths of a dollar, by the
	// table of that date; may be nil.
	Price func(model string, u stream.Usage) (microUSD int64, date string, ok bool)
	// Priced says that the table has a price for a model, and Over that an agent
	// which has used so much has to end for a limit beyond its own. Both may be nil.
	Priced func(model string) bool
	Over   func(run, effect string, u events.Usage) events.Cut
	// Draft shows a set where people read changes, before they are asked about it; it
	// returns an error where ctx ends alone. It may be nil.
	Draft func(ctx context.Context, s draft.Set) (draft.Shown, error)
	// Language is that in which a person is told of a run now; nil is that of the run.
	Language func(s run.State) events.Language
	Now      func() time.Time
	Log      *slog.Logger
	Late     *time.Duration // in the place of rule.LateWrites; may be nil
	Copies   bool           // controls and held-out gates work on copies, as on a host that lays nothing over the work tree
}

// Worker implements engine.Worker. Its methods may be called from any
// goroutine; for one run the engine calls one at a time.
type Worker struct {
	*records
	*places
	cfg  Config
	late time.Duration // what is written so long after a tree was recorded is an echo of it

	mu    sync.Mutex
	live  map[string]meter.Reading      // of agents at work, by run
	chats map[string]*events.AgentEnded // what a chat delivers, by run; nil until its tree is recorded
}

// records is what runs work by, as it is stored: texts, plans, repositories, secrets.
type records struct {
	cfg    Config
	parsed atomic.Pointer[parsed]

	mu    sync.Mutex
	plans map[string]*Plan
	dirs  map[string]gate.Dir // what a directory of PATH held when a run looked at it last
	hide  *redact.Set         // of all plans; nil when they have changed
	repos map[string]*opening
}

// places are the folders in which agents and gates run.
type places struct {
	cfg    Config
	remove func(dir string) error // effect.RemoveAll, but in tests of what cannot be removed
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

// setLive notes what is known of an agent at work, nil when it is over.
func (w *Worker) setLive(run string, r *meter.Reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r == nil {
		delete(w.live, run)
		return
	}
	w.live[run] = *r
}

// Live is what is known of the agent that works for a run now.
func (w *Worker) Live(run string) (meter.Reading, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.live[run]
	return r, ok
}

func (w *places) newID() string {
	return ulid.MustNew(ulid.Timestamp(w.cfg.Now()), rand.Reader).String()
}

// Text implements engine.Worker. A text that cannot be stored is lost: the
// halt that it belongs to matters more.
func (w *records) Text(ctx context.Context, text string) events.Ref {
	ref, err := w.put(ctx, text)
	if err != nil {
		return ""
	}
	return ref
}

// record records the workspace. Files that gates have made are left out of it
// as long as they are what the gates left; once an agent has changed them they
// are its work. They never count in comparisons.
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

// ignoring adds exact paths to ignore rules. Rules are read from the last to
// the first, so these win.
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

// Recorded implements engine.Worker: it names the recorded tree, ends an agent
// that was left behind and, when the run is over, forgets its secrets and what
// recording it needed. The plan of a run that does not go on is kept in no memory.
func (w *Worker) Recorded(ctx context.Context, s run.State) error {
	name, message := "last", fmt.Sprintf("run %s: last", s.Facts.Handle)
	if s.Status == run.Live {
		if s.Last.Record.Verdict == events.Skipped {
			return nil
		}
		name = fmt.Sprint(s.Last.Record.Iteration)
		message = fmt.Sprintf("run %s: iteration %s", s.Facts.Handle, name)
	}
	ended := w.endAgent(ctx, s)
	if s.Status != run.Live && s.Last.Session.Effect != "" {
		w.scrub(s.ID, s.Last.Session.Effect)
	}
	if s.Status != run.Live {
		ended = errors.Join(ended, w.dropCheckout(s.ID), w.dropPlaceOf(ctx, s))
	}
	repo, err := w.Repo(ctx, s)
	if err == nil {
		_, err = repo.Keep(ctx, s.ID, name, s.Last.Tree, "", message)
	}
	err = errors.Join(ended, err)
	if s.Status == run.Halted {
		w.forget(s.ID) // a run may stay so for ever; one that is resumed has its plan read again
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
