package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/durable"
	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/orchestrator"
	"autopilot/projections/run"
)

// A run of sessions owes its project one line in the telemetry. A note in the state
// directory says so from before the first session until the line is there, so a daemon
// that was killed in between leaves it to the next one:
//
//	<state>/series/<run id>

const seriesName = "series"

func (w *places) owedFile(id string) string { return filepath.Join(w.cfg.State, seriesName, id) }

// owesRecord notes that the run owes a line.
func (w *Worker) owesRecord(id string) error {
	file := w.owedFile(id)
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return durable.Write(file, nil)
}

// writeTelemetry writes the line of a run that has ended or halted, in place of one that it has
// already: a run that was resumed has one line too.
func (w *Worker) writeTelemetry(ctx context.Context, s run.State) error {
	if s.Facts.Series.Sessions == 0 || s.Status == run.Live {
		return nil
	}
	flow, err := w.Flow(ctx, s) // the plan of a run that is over is gone
	if err != nil {
		return err
	}
	dir, err := w.text(s.Facts.Workspace)
	if err != nil {
		return err
	}
	if flow.Series.Telemetry == "" {
		return w.paid(s.ID)
	}
	if err := w.owesRecord(s.ID); err != nil {
		return err
	}
	failpoint.Hit(failpoint.BeforeTelemetry)
	id, err := w.text(s.Facts.Series.Name)
	if err != nil {
		return err
	}
	r, err := w.runRecord(s, id)
	if err != nil {
		return err
	}
	if err := appendBelow(dir, flow.Series.Telemetry, id, r.Line()); err != nil {
		return fmt.Errorf("write the telemetry of a run: %w", err)
	}
	failpoint.Hit(failpoint.AfterTelemetry)
	return w.paid(s.ID)
}

// paid says that the line is there.
func (w *places) paid(id string) error {
	if err := os.Remove(w.owedFile(id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// OwedTelemetry writes the lines that a daemon before has left.
func (w *Worker) OwedTelemetry(ctx context.Context, state func(id string) (run.State, bool)) error {
	owed, err := os.ReadDir(filepath.Join(w.cfg.State, seriesName))
	if err != nil {
		return ignoreGone(err)
	}
	var errs []error
	for _, e := range owed {
		s, ok := state(e.Name())
		switch {
		case !ok:
			errs = append(errs, w.paid(e.Name()))
		case s.Status != run.Live:
			errs = append(errs, w.writeTelemetry(ctx, s))
		}
	}
	return errors.Join(errs...)
}

// runRecord is the line of a run.
func (w *Worker) runRecord(s run.State, id string) (orchestrator.RunRecord, error) {
	l := s.Facts.Series
	end := cmp.Or(s.Clock.Latest, s.Clock.Started)
	class, err := w.text(l.HostClass)
	r := orchestrator.RunRecord{
		ID: id, Started: orchestrator.Stamp(s.Clock.Started), Completed: orchestrator.Stamp(end), Seconds: orchestrator.Span(s.Clock.Started, end),
		MaxSessions: l.Sessions, MaxHours: (time.Duration(l.HoursMS) * time.Millisecond).Hours(), Confidence: l.Confidence.Float(),
		Iterations: s.Series.Done, Sessions: w.ownSessions(s), HostClass: orchestrator.OrNull(class),
		Verdict: orchestrator.OrNull(string(s.Series.Began)), Tokens: s.Series.Tokens, StallRecover: s.Series.Stalls,
	}
	r.Manual = s.Halt != nil && s.Halt.Reason == events.HaltManual
	kill := switchOf(s)
	r.Kill = orchestrator.OrNull(string(kill))
	switch {
	case kill == orchestrator.MaxSessions:
		r.Detail = orchestrator.OrNull(orchestrator.CheckBudgets(orchestrator.Before{Sessions: float64(s.Series.Done), MaxSessions: float64(l.Sessions)}).Detail)
	case kill != "" || r.Manual:
		_, because := explain.Why(s)
		r.Detail = orchestrator.OrNull(because)
	}
	if s.Facts.From != "" {
		r.Worktree = orchestrator.OrNull(".") // its own work tree; paths of the host are nobody's business (S35)
	}
	return r, err
}

// switchOf is the kill switch that a run has ended by. What stopped it otherwise is a
// person's abort, or a session that failed.
func switchOf(s run.State) orchestrator.Switch {
	switch {
	case s.End != nil && s.End.State == events.EndGraceful:
		return orchestrator.MaxSessions
	case s.End != nil && s.End.State == events.EndCancelled:
		return orchestrator.UserAbort
	case s.Halt == nil || s.Halt.Reason == events.HaltManual:
		return ""
	}
	if f, ok := orchestrator.Switch(s.Halt.Reason).Facts(); ok {
		return f.Name
	}
	switch s.Halt.Reason {
	case events.HaltStopped:
		return orchestrator.UserAbort
	case events.HaltHours:
		return orchestrator.MaxHours
	case events.HaltTokens, events.HaltCost, events.HaltTurns:
		return orchestrator.TokenBudget
	default:
		return orchestrator.FailedWave
	}
}

// appendBelow adds a line to a file of a work tree, or replaces the line of the same run:
// whole or not at all, and by no link out of the tree. Other lines stay to the byte.
func appendBelow(dir, name, id string, line []byte) (err error) {
	tree, err := os.OpenRoot(dir)
	if err != nil {
		return gone(err)
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	if err := tree.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	now := readBelow(tree, name)
	if now.Err != nil {
		return now.Err
	}
	mode := fs.FileMode(0o644)
	if info, err := tree.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	temp := name + ".autopilot-" + id
	f, err := tree.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(orchestrator.Put(now.Body, id, line))
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = tree.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, ignoreGone(tree.Remove(temp)))
	}
	return durable.SyncDir(filepath.Join(dir, filepath.FromSlash(path.Dir(name))))
}
