package work

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/orchestrator"
	"autopilot/projections/run"
)

// Standing is how machine and other sessions stand before a session.
type Standing struct {
	Verdict string // empty is unknown
	Cap     int    // of sub-agents, less than 0 for none
	Peers   int    // other sessions, -1 is unknown
}

// SelectMode implements engine.Worker. On an overloaded machine no selector is asked.
func (w *Worker) SelectMode(ctx context.Context, s run.State, act engine.SelectMode) (_ events.ModeSelected, err error) {
	defer func() { err = noRoom(err) }()
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.ModeSelected{}, err
	}
	if err := w.owesRecord(s.ID); err != nil {
		return events.ModeSelected{}, err
	}
	d := events.ModeSelected{Session: act.Session, Peers: -1, Cap: -1}
	if w.cfg.Standing != nil {
		at := w.cfg.Standing(ctx, p.Flow, p.Repo.Workspace(), w.ownSessions(s))
		d.Verdict, d.Peers, d.Cap = events.Name(at.Verdict), at.Peers, max(at.Cap, -1)
	}
	m, records, err := w.leftBySessions(p)
	if d.Records = records; err != nil {
		return d, err
	}
	if d.Peers > s.Facts.Series.Peers && d.Verdict == critical {
		return d, nil
	}
	if p.Flow.Series.Selector != "" {
		return w.askSelector(ctx, s, p, d)
	}
	d.Mode, d.Confidence = events.Name(m.Mode), events.RatioOf(m.Confidence)
	d.Why, err = w.put(ctx, m.Rationale)
	return d, err
}

// leftBySessions is the mode that follows from what sessions have left, and the number of
// their records.
func (w *Worker) leftBySessions(p *Plan) (m orchestrator.Selection, records int, err error) {
	tree, err := os.OpenRoot(p.Repo.Workspace().Path)
	if err != nil {
		return m, 0, gone(fmt.Errorf("read what sessions have left: %w", err))
	}
	defer func() { _ = tree.Close() }()
	from := orchestrator.Look(func(path string) orchestrator.Text { return readBelow(tree, path) }, "")
	if p.Flow.Series.Ledger != orchestrator.LedgerFile {
		from.Ledger = readBelow(tree, p.Flow.Series.Ledger)
	}
	signals, _ := orchestrator.Gather(from, w.cfg.Now())
	return orchestrator.Select(&signals), lines(from.Ledger.Body), nil
}

// previewSeries is what a run of sessions would begin with.
func (w *Worker) previewSeries(ctx context.Context, q order.Order, p *Plan) (*wire.SeriesPreview, error) {
	if !p.Flow.Series.On() {
		return nil, nil
	}
	l := series(q, p.Flow)
	m, _, err := w.leftBySessions(p)
	v := &wire.SeriesPreview{
		Sessions: l.Sessions, Hours: (time.Duration(l.HoursMS) * time.Millisecond).Hours(), Threshold: l.Confidence.Float(), Tokens: l.Tokens,
		Mode: string(m.Mode), Confidence: m.Confidence, Rationale: m.Rationale, Runs: m.Confidence >= l.Confidence.Float(), Cap: -1, Peers: -1,
	}
	if p.Flow.Series.Selector != "" {
		v.Selector, v.Mode, v.Confidence, v.Rationale, v.Runs = p.Flow.Series.Selector, "", 0, "", false
	}
	if w.cfg.Standing != nil {
		at := w.cfg.Standing(ctx, p.Flow, p.Repo.Workspace(), nil)
		v.Verdict, v.Cap, v.Peers = at.Verdict, max(at.Cap, -1), at.Peers
	}
	return v, err
}

const critical = "critical"

// ownSessions are the names of the sessions that the run has had.
func (w *Worker) ownSessions(s run.State) []string {
	var out []string
	for _, ref := range s.Series.Records {
		if name, err := w.text(ref); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// selectorWall is how long a selector may take.
const selectorWall = time.Minute

// askSelector runs the command of the workflow, and reads mode and confidence from what it
// prints last. One that fails, or hangs, has failed; what it names badly is none.
//
// Source: session-orchestrator, seeds 2.1.3 rows 5 and 6.
func (w *Worker) askSelector(ctx context.Context, s run.State, p *Plan, d events.ModeSelected) (events.ModeSelected, error) {
	id := fmt.Sprintf("%s-mode-%d", s.ID, s.Log.Seq)
	dir := p.Repo.Workspace().Path
	out, err := w.cfg.Effects.Run(ctx, shim.Spec{
		ID: id, Argv: []string{"/bin/sh", "-c", p.Flow.Series.Selector}, Dir: dir, Env: p.AgentEnv,
		Wall: selectorWall, Grace: p.Flow.Limits.Agent.Grace, Secrets: p.Secrets,
		Confine: w.cfg.Sandbox.Plan(sandbox.Request{
			Mode: events.SandboxReadOnly, Allow: p.Spec.SandboxAllow, Env: p.AgentEnv, Work: dir, Show: []string{w.box(id)},
		}),
	}, nil, nil)
	if err != nil {
		return d, err
	}
	printed, perr := w.cfg.Effects.Open(id).Tail(effect.Merged, excerptBytes)
	if err := errors.Join(w.cfg.Effects.Remove(id), ignoreGone(perr)); err != nil {
		return d, err
	}
	why := ""
	switch m, ok := lastObject(printed); {
	case out.Outcome == events.WallTimeout:
		d.Failed, why = true, fmt.Sprintf("the selector took longer than %v and was ended", selectorWall)
	case out.Outcome != events.Exited || out.Exit != 0:
		d.Failed, why = true, fmt.Sprintf("the selector ended with exit code %d\n%s", out.Exit, printed)
	case !ok:
		d.Failed, why = true, "the selector printed no JSON object\n"+string(printed)
	default:
		if mode := events.Name(m.Text("mode")); mode.Valid() {
			d.Mode = mode
		}
		if c := m.Number("confidence"); !math.IsNaN(c) && !math.IsInf(c, 0) {
			d.Confidence = events.RatioOf(c)
		}
		why = m.Text("rationale")
	}
	d.Why, err = w.put(ctx, why)
	return d, err
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// lastObject is the last line that is a JSON object; of the answer of apctl mode --json it
// is what it holds.
func lastObject(text []byte) (orchestrator.Record, bool) {
	found := orchestrator.LastRecords(text, 1, func(orchestrator.Record) bool { return true })
	if len(found) == 0 {
		return nil, false
	}
	if data := found[0].Object("data"); data != nil && found[0].Text("schema") != "" {
		return data, true
	}
	return found[0], true
}

// sessionRecord reads the record that a session has added to the ledger. A session that
// failed, or added none, has none.
//
// Source: session-orchestrator, seeds 2.1.7.
func (w *Worker) sessionRecord(ctx context.Context, s run.State, p *Plan, d *events.AgentEnded) error {
	if !p.Flow.Series.On() || s.Series.Ran == nil {
		return nil
	}
	if d.Report = (events.SessionReport{}); failedSession(*d) {
		return nil
	}
	tree, err := os.OpenRoot(p.Repo.Workspace().Path)
	if err != nil {
		return gone(fmt.Errorf("read the ledger: %w", err))
	}
	defer func() { _ = tree.Close() }()
	body := readBelow(tree, p.Flow.Series.Ledger).Body
	if lines(body) <= s.Series.Ran.Records {
		return nil
	}
	all := orchestrator.LastRecords(body, 1, func(orchestrator.Record) bool { return true })
	if len(all) == 0 {
		return nil
	}
	r, end := all[0], all[0].Ended()
	agents, effective := r.Object("agent_summary"), r.Object("effectiveness")
	d.Report = events.SessionReport{
		V: 1, Complete: whole(agents.Count("complete")), Partial: whole(agents.Count("partial")),
		Failed: whole(end.Failed), Spiral: whole(end.Spiral),
		Planned: whole(end.Planned), Completed: whole(effective.Count("completed")), Carryover: whole(end.Carryover),
		Tokens: int64(whole(r.Tokens())),
	}
	if id := r.Text("session_id"); id != "" {
		d.Report.ID, err = w.put(ctx, id)
	}
	return err
}

// whole is a count as an event has it: a part of one counts as one, and what is no number
// as none.
func whole(f float64) int {
	if math.IsNaN(f) || f <= 0 {
		return 0
	}
	return int(math.Ceil(math.Min(f, 1e9)))
}

// mostLedger bounds a file of sessions that is read.
const mostLedger = 256 << 20

// readBelow reads a regular file of a work tree. It leaves the tree by no link, and waits
// for nobody.
func readBelow(tree *os.Root, path string) orchestrator.Text {
	f, err := tree.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return orchestrator.Text{}
	}
	if err != nil {
		return orchestrator.Text{There: true, Err: err}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	case info.Size() > mostLedger:
		err = fmt.Errorf("%s has %d bytes; the limit is %d", path, info.Size(), mostLedger)
	}
	if err != nil {
		return orchestrator.Text{There: true, Err: err}
	}
	body, err := io.ReadAll(io.LimitReader(f, mostLedger))
	return orchestrator.Text{Body: body, There: true, Err: err}
}

// lines counts the lines of a file that are not blank.
func lines(body []byte) (n int) {
	for line := range bytes.Lines(body) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

// checkSeries refuses bounds of sessions that no session has, or out of their range: the
// caller clamps them and says so.
func checkSeries(q order.Order, flow workflow.Workflow) error {
	r := q.Series
	typed := r.Sessions != 0 || r.Hours != 0 || r.Confidence != nil
	if !flow.Series.On() {
		if typed {
			return wire.Errorf(wire.Usage, "workflow %s has no sessions in a row, so --max-sessions, --max-hours and --confidence-threshold bound nothing", flow.Name).
				WithHint("leave them out, or --workflow sessions")
		}
		return nil
	}
	if q.Spec.MaxIterations > 0 {
		return wire.Errorf(wire.Usage, "an iteration of workflow %s is a whole session", flow.Name).WithHint("--max-sessions %d", q.Spec.MaxIterations)
	}
	for _, b := range []struct {
		flag  string
		value float64
		typed bool
	}{
		{"max-sessions", float64(r.Sessions), r.Sessions != 0},
		{"max-hours", r.Hours, r.Hours != 0},
		{"confidence-threshold", value(r.Confidence), r.Confidence != nil},
	} {
		bound, _ := orchestrator.FindBound(b.flag)
		if _, moved := bound.Clamp(b.value); b.typed && moved {
			return wire.Errorf(wire.Usage, "--%s is %g", b.flag, b.value).WithHint("write a number from %g to %g", bound.Min, bound.Max)
		}
	}
	return nil
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// series are the bounds of a run of sessions.
func series(q order.Order, flow workflow.Workflow) events.Series {
	if !flow.Series.On() {
		return events.Series{}
	}
	o := orchestrator.DefaultOptions()
	hours := cmp.Or(q.Series.Hours, o.MaxHours)
	l := events.Series{
		Sessions: cmp.Or(q.Series.Sessions, o.MaxSessions), HoursMS: int64(hours * float64(time.Hour.Milliseconds())),
		Confidence: events.RatioOf(o.Confidence), Tokens: q.MaxTokens, Peers: orchestrator.PeerLimitDefault,
	}
	if c := q.Series.Confidence; c != nil {
		l.Confidence = events.RatioOf(*c)
	}
	return l
}

// tokens is the limit of all agents of a run. Those of sessions are counted between them.
func tokens(q order.Order, flow workflow.Workflow) int64 {
	if flow.Series.On() {
		return 0
	}
	return q.MaxTokens
}

// nameSeries gives a run of sessions the name that its records have.
func (w *Worker) nameSeries(ctx context.Context, id string, p *Plan, d *events.RunStarted, branch string) error {
	if d.Series.Sessions == 0 {
		return nil
	}
	name := orchestrator.RunID(strings.TrimPrefix(branch, "refs/heads/"), w.cfg.Now(), strings.ToLower(id[max(0, len(id)-4):]))
	var err error
	if d.Series.Name, err = w.put(ctx, name); err != nil {
		return err
	}
	tree, err := os.OpenRoot(p.Repo.Workspace().Path)
	if err != nil {
		return gone(err)
	}
	defer func() { _ = tree.Close() }()
	if host, ok := orchestrator.ParseRecord(readBelow(tree, orchestrator.HostFile).Body); ok {
		d.Series.HostClass, err = w.put(ctx, host.Text("host_class"))
	}
	return err
}
