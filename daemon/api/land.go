package api

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/land"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Landings bring the work of done runs onto branches.
type Landings struct{ *Runs }

// LandOrder asks for a landing.
type LandOrder struct {
	Runs   []string        // ids of done runs, in order: several are one batch
	Target string          // local branch, without refs/heads/; made at Base where it does not exist
	Base   string          // branch or commit
	How    string          // merge, rebase or squash; empty is land.how of the settings
	Gates  []wire.GateSpec // more invariants
	Env    []string        // of the gates, as in wire.StartRequest

	Message string // of the commit that a merge or squash makes; empty is made of the task
}

// RunError says why the work of a run cannot land.
type RunError struct {
	Run string // handle
	Why string // predicate of a sentence about the run
	Fix string // the next command; may be empty
}

func (e *RunError) Error() string { return "run " + e.Run + " " + e.Why }

// Begin starts a landing run: it brings the work onto the newest tip of the target in a
// repository of its own, and lets the gates of the runs judge that tree. A repeated request
// finds its run. Errors that a caller can act on are *land.ConflictError,
// *land.MergesError, land.ErrNoGates, land.ErrNothing, land.ErrNoTarget, and *RunError of a
// run whose work cannot land.
func (a *Landings) Begin(ctx context.Context, q auth.Request, o LandOrder) (run.State, error) {
	if s, ok := a.Fleet.Requested(ctx, q.ID); ok {
		return s, nil
	}
	ctx = context.WithoutCancel(ctx)
	if a.Daemon.Draining() {
		return run.State{}, wire.Errorf(wire.Conflict, "the daemon is draining and takes no new run").WithHint("apctl daemon restart")
	}
	// One at a time for a request: the first may still merge when it comes again.
	release, err := a.Fleet.Hold("land-"+q.ID, q.ID, "")
	if err != nil {
		return run.State{}, err
	}
	defer release()
	l, err := a.plan(ctx, o)
	if err != nil {
		return run.State{}, err
	}
	if err := a.commits(ctx, l, a.Worker.Commit); err != nil {
		return run.State{}, err
	}
	return l.start(ctx, a, q)
}

// landing is a landing that is about to begin.
type landing struct {
	work.Landing
	ws     tree.Workspace // of From
	checks work.Checks
	parts  []land.Part
	how    land.How
	o      LandOrder
	redact []string
	source []byte // the project's configuration
}

// plan gathers all that a landing is made of, but for the commits of the work.
func (a *Landings) plan(ctx context.Context, o LandOrder) (*landing, error) {
	l := &landing{o: o, Landing: work.Landing{Env: o.Env}}
	for _, id := range o.Runs {
		s, err := a.landable(ctx, id)
		if err != nil {
			return nil, err
		}
		l.Runs = append(l.Runs, s)
	}
	if len(l.Runs) == 0 {
		return nil, wire.Errorf(wire.Usage, "a landing needs a run")
	}
	if err := a.place(ctx, l); err != nil {
		return nil, err
	}
	layers, err := a.projects.Usable(l.ws, nil, false)
	if err != nil {
		return nil, err
	}
	var settings config.Land
	if l.redact = layers.Redacted(); layers.Project != nil {
		settings, l.source = layers.Project.Land, layers.Project.Source
	}
	l.More = append(settings.Specs(), order.Gates(o.Gates)...)
	if l.how, err = howOf(cmp.Or(o.How, settings.How)); err != nil {
		return nil, err
	}
	l.checks, err = a.Worker.Checks(ctx, l.Landing)
	return l, err
}

func howOf(how string) (land.How, error) {
	switch h := land.How(cmp.Or(how, string(land.Merge))); h {
	case land.Merge, land.Rebase, land.Squash:
		return h, nil
	}
	return "", wire.Errorf(wire.Usage, "how %.40q is not known", how).WithHint("--how %s", strings.Join(land.Hows(), ", "))
}

// landable finds a run whose work can land.
func (a *Landings) landable(ctx context.Context, id string) (run.State, error) {
	s, err := a.Find(ctx, wire.RunRef{Run: id})
	if err != nil {
		return s, err
	}
	h := s.Facts.Handle
	switch {
	case a.Fleet.IsImported(s.ID):
		return s, &RunError{h, "was imported: its work is elsewhere", ""}
	case s.Facts.Land.Commit != "":
		return s, &RunError{h, "is a landing itself", "name the run whose work it is"}
	case s.Status == run.Live:
		return s, &RunError{h, "is not done: it goes on", "apctl watch " + h + "   follows it"}
	case s.Status == run.Halted:
		return s, &RunError{h, "is not done: it is halted (" + string(s.Halt.Reason) + ")", "apctl why " + h + "   says what it needs; apctl diff " + h + "   shows its work"}
	case s.Status != run.Over || s.End.State != events.EndDone:
		return s, &RunError{h, "is not done: it is " + a.View(s).State, "apctl diff " + h + "   shows its work"}
	}
	return s, a.Removal.Whole(s, "the recorded work")
}

// place finds the repository that all runs share, and the work tree with the settings.
func (a *Landings) place(ctx context.Context, l *landing) error {
	common := ""
	for i, s := range l.Runs {
		spec, err := a.Worker.Spec(s)
		if err != nil {
			return err
		}
		dir := cmp.Or(spec.From, a.Text(s.Facts.Workspace))
		ws, err := tree.Find(ctx, dir)
		if err != nil {
			return &RunError{s.Facts.Handle, "has no repository any more: " + err.Error(), ""}
		}
		of, err := ws.Common()
		switch {
		case err != nil:
			return &RunError{s.Facts.Handle, "has no repository any more: " + err.Error(), ""}
		case i == 0:
			l.ws, l.From, common = ws, dir, of
		case of != common:
			return &RunError{s.Facts.Handle, "is of another repository than run " + l.Runs[0].Facts.Handle, ""}
		}
	}
	return nil
}

// commits makes the commits of the work.
func (a *Landings) commits(ctx context.Context, l *landing, of func(context.Context, run.State) (commit.Made, error)) error {
	for _, s := range l.Runs {
		h := s.Facts.Handle
		made, err := of(ctx, s)
		if err != nil {
			return &RunError{h, "cannot be committed: " + err.Error(), "apctl diff " + h + "   shows its work"}
		}
		if len(made.Left) > 0 {
			return &RunError{
				h, "has files that git converts on the way into a commit, and that are not committed: " + strings.Join(tree.Printable(made.Left), ", "),
				"git commit   them in " + a.Text(s.Facts.Workspace) + ", then try again",
			}
		}
		subject, err := a.Worker.Subject(s)
		if err != nil {
			return err
		}
		l.parts = append(l.parts, land.Part{Run: h, Commit: made.Commit, Subject: subject, Message: l.o.Message, Gates: l.checks.GateNames()})
	}
	return nil
}

// start merges the work in a repository of the daemon and begins the run that judges it.
func (l *landing) start(ctx context.Context, a *Landings, q auth.Request) (_ run.State, err error) {
	id := journal.NewID(time.Now())
	top := filepath.Join(a.Worker.LandDir(id), filepath.Base(l.ws.Path))
	defer func() {
		if err != nil {
			err = dropped(err, a.Worker.DropLanding(id))
		}
	}()
	scratch, err := land.Make(ctx, top, l.ws)
	if err != nil {
		return run.State{}, fmt.Errorf("make a place for the landing: %w", err)
	}
	to, tip, err := l.merge(ctx, scratch)
	if err != nil {
		return run.State{}, err
	}
	if err := scratch.Lay(ctx, tip); err != nil {
		return run.State{}, fmt.Errorf("check out the target branch: %w", err)
	}
	ws, err := tree.Find(ctx, top)
	if err != nil {
		return run.State{}, err
	}
	handle := a.Fleet.NewHandle(id)
	release, err := a.hold(ctx, ws.ID, ws.Path, id, handle, q.ID, "")
	if err != nil {
		return run.State{}, err
	}
	defer release()
	conf := configured{Source: l.source}
	conf.Order, conf.Redact = l.checks.Order(l.Landing, to, ws.Path, l.task(to)), l.redact
	return a.announce(ctx, q, id, handle, conf, func(*events.RunStarted) {})
}

// merge brings the work onto the tip of the target, or of Base where there is no target.
func (l *landing) merge(ctx context.Context, s *land.Scratch) (to stored.Land, tip string, err error) {
	if err := s.CheckBranch(ctx, l.o.Target); err != nil {
		return to, "", wire.Errorf(wire.Usage, "%v", err).WithHint("--into BRANCH")
	}
	to = stored.Land{Target: l.o.Target, How: string(l.how)}
	for _, r := range l.Runs {
		to.Of = append(to.Of, r.ID)
	}
	if to.Onto, err = s.Tip(ctx, l.o.Target); err != nil {
		return to, "", err
	}
	if tip = to.Onto; tip == "" {
		if l.o.Base == "" {
			return to, "", fmt.Errorf("%w: %q", land.ErrNoTarget, l.o.Target)
		}
		if tip, err = s.Resolve(ctx, l.o.Base); err != nil {
			return to, "", err
		}
	}
	to.Commit, err = s.Onto(ctx, tip, l.parts, l.how)
	return to, tip, err
}

// dropped is the first error, which a caller acts on, unless there is none.
func dropped(err, drop error) error {
	if err == nil {
		return drop
	}
	return err
}

// try merges the work as start does, and leaves nothing behind.
func (l *landing) try(ctx context.Context, a *Landings) (err error) {
	id := journal.NewID(time.Now())
	defer func() { err = dropped(err, a.Worker.DropLanding(id)) }()
	scratch, err := land.Make(ctx, filepath.Join(a.Worker.LandDir(id), filepath.Base(l.ws.Path)), l.ws)
	if err == nil {
		_, _, err = l.merge(ctx, scratch)
	}
	return err
}

func (l *landing) task(to stored.Land) string {
	if len(l.parts) == 1 {
		return "Land run " + l.parts[0].Run + " on " + to.Target + ": " + l.parts[0].Subject
	}
	var names, lines []string
	for _, p := range l.parts {
		names, lines = append(names, p.Run), append(lines, p.Run+": "+p.Subject)
	}
	return "Land runs " + strings.Join(names, ", ") + " on " + to.Target + "\n\n" + strings.Join(lines, "\n")
}

// Problems of landings that are over, for callers that act on them.
const (
	LandTargetRed   = "target-red"   // an invariant fails on the target as it is, without the work
	LandRed         = "gates-red"    // gates fail on the merged tree
	LandTargetMoved = "target-moved" // others have moved the target: land again on its new tip
	LandMoveFailed  = "move-failed"  // git refused to move the target
	LandCheckedOut  = "checked-out"  // the target is checked out: refs/autopilot/land/HANDLE keeps the commit
	LandCancelled   = "cancelled"
)

// Landed says what became of a landing run. It is not ok while the run goes on. With an
// empty problem the target has the commit. A problem is one of the constants, or the reason
// of a refusal or halt. A halted landing can be resumed, and may still land then.
func Landed(s run.State) (commit, problem string, ok bool) {
	commit = s.Facts.Land.Commit
	switch {
	case commit == "" || s.Status == run.Live || s.Status == run.None:
		return "", "", false
	case s.Status == run.Halted:
		return commit, string(s.Halt.Reason), true
	case s.Published != nil && s.Published.Landing != "":
		return commit, map[events.LandState]string{
			events.LandMoved: LandTargetMoved, events.LandFailed: LandMoveFailed, events.LandKept: LandCheckedOut,
		}[s.Published.Landing], true
	case s.End.Reason == events.RefusedInvariantRed:
		return commit, LandTargetRed, true
	case s.End.State == events.EndFailed:
		return commit, LandRed, true
	case s.End.State == events.EndCancelled:
		return commit, LandCancelled, true
	}
	return commit, cmp.Or(string(s.End.Reason), string(s.End.State)), true
}
