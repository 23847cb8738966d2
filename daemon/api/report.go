package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/ledger"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// A report reads the heads of all runs, and the states only of those that it shows. Runs
// that are not over are in memory.

// lineBytes bounds the task of a run in a list.
const lineBytes = 200

// ReportMake reports the outcomes of runs.
func (a *Reports) ReportMake(ctx context.Context, q auth.Request, body wire.ReportRequest) (wire.ReportView, error) {
	project, err := a.projectAt(ctx, body.Workspace)
	if err != nil {
		return wire.ReportView{}, err
	}
	r := reporter{a: a, q: q, since: body.Since, limit: body.Limit, now: time.Now()}
	for _, h := range a.Fleet.Heads() {
		if project == "" || h.Belongs(project) {
			r.sort(h)
		}
	}
	v, err := r.report()
	if project == "" && err == nil {
		v.Blocks = append(a.Trust.Untrusted(ctx, q), a.queuesInNeed()...)
	}
	return v, err
}

// projectAt is the workspace id of a directory; empty for none.
func (a *Reports) projectAt(ctx context.Context, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	ws, err := a.Worker.Workspace(ctx, dir)
	return ws.ID, err
}

// reporter sorts runs into the parts of a report.
type reporter struct {
	a      *Reports
	q      auth.Request
	since  time.Time
	limit  int
	now    time.Time
	parts  [len(partNames)][]snapshot.Head
	before int // runs that were halted before, and still are
	total  wire.UsageSum
	counts wire.Counts
}

var partNames = [...]string{wire.PartNeedsYou, wire.PartDone, wire.PartHalted, wire.PartWaiting, wire.PartRunning, wire.PartEnded}

// sort puts a run into its part.
func (r *reporter) sort(h snapshot.Head) {
	r.total = addUsed(r.total, h, r.since)
	part := r.a.standing(h, r.now)
	recent := r.recent(h)
	count(&r.counts, h, part, recent)
	switch {
	case h.Status == run.Over && !recent:
		return
	case part == wire.PartHalted && !recent:
		r.before++
		return
	}
	i := slices.Index(partNames[:], part)
	r.parts[i] = append(r.parts[i], h)
}

// standing is the part of a report for a run.
func (a *Reports) standing(h snapshot.Head, now time.Time) string {
	switch h.Status {
	case run.Over:
		if h.Settled == string(events.EndDone) {
			return wire.PartDone
		}
		return wire.PartEnded // the history of other runs is incomplete
	case run.Halted:
		if s, ok := a.Fleet.State(h.ID); ok && explain.Needs(s, now) != "" {
			return wire.PartNeedsYou
		}
		return wire.PartHalted
	default:
	}
	s, ok := a.Fleet.State(h.ID)
	switch {
	case ok && a.noRoom(s):
		return wire.PartWaiting // no run can store an answer
	case ok && explain.Asks(s):
		return wire.PartNeedsYou
	case ok && explain.Waits(s):
		return wire.PartWaiting
	}
	return wire.PartRunning
}

// recent says that a run may have events in the report's time. After a clock went back,
// it still counts what an agent used.
func (r *reporter) recent(h snapshot.Head) bool {
	if r.since.IsZero() || h.Status == run.Live {
		return true
	}
	return h.Latest >= r.since.UnixMilli() || h.Spent.Within(quarter(r.since), quarter(r.now)+1)
}

func quarter(t time.Time) int64 { return t.Unix() / int64(run.Quarter/time.Second) }

// addUsed adds the usage of a run's agents since a moment.
func addUsed(sum wire.UsageSum, h snapshot.Head, since time.Time) wire.UsageSum {
	first := int64(0)
	if !since.IsZero() {
		first = quarter(since)
	}
	if !h.Spent.Within(first, 1<<62) {
		return sum
	}
	for s := range h.Spent.All() {
		if s.Quarter >= first {
			sum = ledger.Add(sum, s)
		}
	}
	return sum
}

func count(c *wire.Counts, h snapshot.Head, part string, recent bool) {
	switch part {
	case wire.PartNeedsYou:
		c.Needs++
		if h.Status == run.Live {
			c.Live++
			c.Asking++
		} else {
			c.Halted++
		}
	case wire.PartHalted:
		c.Halted++
	case wire.PartWaiting:
		c.Live++
		c.Waiting++
	case wire.PartRunning:
		c.Live++
		c.Running++
	case wire.PartDone:
		if recent {
			c.Done++
		}
	case wire.PartEnded:
		if recent && (h.Settled == string(events.EndFailed) || h.Settled == string(events.EndRefused)) {
			c.Failed++
		}
	}
}

func (r *reporter) report() (wire.ReportView, error) {
	v := wire.ReportView{Since: r.since, At: r.now, Language: string(r.a.ScreenLanguage()), Parts: []wire.ReportPart{}, Total: r.total, Counts: r.counts}
	for i, heads := range r.parts {
		p := wire.ReportPart{Name: partNames[i], Runs: []wire.ReportRun{}}
		if p.Name == wire.PartHalted {
			p.Before = r.before
		}
		slices.SortStableFunc(heads, func(a, b snapshot.Head) int {
			if p.Name == wire.PartNeedsYou {
				a, b = b, a // oldest first
			}
			return cmp.Or(cmp.Compare(b.Latest, a.Latest), cmp.Compare(b.ID, a.ID))
		})
		if n := len(heads) - r.limit; r.limit > 0 && n > 0 {
			heads, p.More = heads[:r.limit], n
		}
		for _, h := range heads {
			s, err := r.a.Fleet.Read(h)
			if err != nil {
				return v, err
			}
			p.Runs = append(p.Runs, r.run(h, s))
		}
		v.Parts = append(v.Parts, p)
	}
	return v, nil
}

// run makes the entry of a run in a report.
func (r *reporter) run(h snapshot.Head, s run.State) wire.ReportRun {
	s = r.a.Spoken(s)
	out := wire.ReportRun{
		Run: r.a.View(s), At: s.Clock.Latest, Kind: explain.Needs(s, r.now),
		Next: r.a.First(r.q, s, r.now), Usage: addUsed(wire.UsageSum{}, h, r.since), Refused: s.Refused.Sum(),
	}
	out.Run.Git = r.a.gitLines(s)
	if s.Status == run.Over && s.End.State == events.EndDone {
		out.Added = r.a.added(s)
	}
	_, out.What = explain.Why(s)
	if s.Status == run.Live && out.Run.Reason == reasonDisk {
		_, out.What = explain.FullDisk(s.Facts.Language)
	}
	out.Run.Task = OneLine(out.Run.Task)
	return out
}

// First is the best next command for the caller.
func (a *Reports) First(q auth.Request, s run.State, now time.Time) wire.NextCommand {
	list := []wire.NextCommand{explain.First(s, now)}
	n := list[0]
	if n.Command == "" {
		return n
	}
	if a.bare(s) {
		list = explain.WithoutRecords(list)
	}
	if !guided(q) {
		list = explain.ForAgents(list)
	}
	if len(list) == 0 {
		return wire.NextCommand{Command: "apctl why " + s.Facts.Handle, Why: phrase.Say(s.Facts.Language, "the evidence", "証拠")}
	}
	return n
}

// OneLine cuts a text to one line.
func OneLine(text string) string {
	return begin(strings.Join(strings.Fields(begin(text, 4*lineBytes)), " "), lineBytes)
}

// noRoom says that a live run waits for room on the disk.
func (a *Views) noRoom(s run.State) bool {
	return s.Log.Broken == 0 && (a.Fleet.Full(s.ID) || a.Journal.Disk.Low())
}

// InboxList lists items that wait for a person, oldest first.
func (a *Reports) InboxList(ctx context.Context, q auth.Request, body wire.InboxRequest) (wire.InboxView, error) {
	v := wire.InboxView{Items: append(a.Trust.Untrusted(ctx, q), a.queuesInNeed()...), Language: string(a.ScreenLanguage())}
	now := time.Now()
	for _, h := range a.Fleet.Heads() {
		if h.Status == run.Over || h.Settled == string(events.HaltStopped) {
			continue // the caller that stopped it knows
		}
		s, err := a.Fleet.Read(h)
		if err != nil {
			return v, err
		}
		if s.Status == run.Live && !explain.Asks(s) {
			continue
		}
		v.Items = append(v.Items, a.inboxItem(q, s, now))
	}
	slices.SortStableFunc(v.Items, func(a, b wire.InboxItem) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	if body.Limit < 0 {
		return v, wire.Errorf(wire.Usage, "the limit is %d", body.Limit).WithHint("0 is all")
	}
	if n := len(v.Items) - body.Limit; body.Limit > 0 && n > 0 {
		v.Items, v.More = v.Items[:body.Limit], n
	}
	return v, nil
}

func (a *Reports) inboxItem(q auth.Request, s run.State, now time.Time) wire.InboxItem {
	s = a.Spoken(s)
	i := wire.InboxItem{
		Kind: cmp.Or(explain.Needs(s, now), explain.JustHalted), At: s.Clock.Latest, Run: s.Facts.Handle, ID: s.ID,
		Task: OneLine(a.Text(s.Facts.Task)), Workspace: a.Text(s.Facts.Workspace), Next: a.First(q, s, now),
	}
	i.Language = string(s.Facts.Language)
	_, i.What = explain.Why(s)
	if i.Asks = a.QuestionView(s, taskBytes); i.Asks != nil {
		i.At, i.Question = i.Asks.Since, i.Asks.Text
	} else if i.Kind == explain.NeedsAnswer || i.Kind == explain.NeedsHelp {
		i.Question = begin(a.Text(s.Last.Agent.Question), taskBytes)
	}
	return i
}

// StatusLine counts runs, and shows the latest run of a directory. It reads only the state
// of this run from disk.
func (a *Reports) StatusLine(ctx context.Context, _ auth.Request, body wire.LineRequest) (wire.LineView, error) {
	r := reporter{a: a, since: body.Since, now: time.Now()}
	project := ""
	if body.Workspace != "" {
		// A directory outside of a work tree has no run, and still a line.
		project, _ = a.projectAt(ctx, body.Workspace)
	}
	v := wire.LineView{At: r.now, Daemon: wire.LineOn}
	for _, h := range a.Fleet.Heads() {
		count(&r.counts, h, a.standing(h, r.now), r.recent(h))
		v.Usage = addUsed(v.Usage, h, body.Since)
		if v.Run == nil && project != "" && h.Belongs(project) {
			if s, ok := a.Fleet.State(h.ID); ok {
				v.Run = lineRun(a.View(s))
			}
		}
	}
	v.Counts = r.counts
	return v, nil
}

func lineRun(v wire.RunView) *wire.LineRun {
	l := &wire.LineRun{
		Handle: v.Handle, State: v.State, Reason: v.Reason, Stage: v.Stage, Phase: v.Phase,
		Iteration: v.Iteration, Iterations: v.Iterations, LastSign: v.LastOutput,
	}
	if v.Life != nil && (l.LastSign == nil || v.Life.At.After(*l.LastSign)) {
		l.LastSign = &v.Life.At
	}
	return l
}
