package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"autopilot/daemon/exec/shim"
	"autopilot/daemon/host/budget"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// View shows a run as it is now, with the signs of life that no log has.
func (a *Views) View(s run.State) wire.RunView {
	v := a.ViewAt(a.Machine.Placed(s), time.Now())
	v.Driver = a.Sessions.Driver(s, true)
	if s.Status != run.Live || s.Log.Broken != 0 {
		return v
	}
	// An agent may still be at work. The daemon cannot record its work until there is
	// room.
	if a.noRoom(s) {
		v.State, v.Reason = rule.StateWaiting, reasonDisk
	}
	switch s.Stage {
	case run.Started, run.Gates:
		for _, e := range s.Last.Gates.Effects {
			a.lastOutput(&v, e.Effect)
		}
	case run.Agent, run.Looking:
		a.usageNow(&v, s)
		a.lastOutput(&v, s.Last.Session.Effect)
		v.Life = a.life(s.Last.Session.Effect)
		if s.Driven() && s.Stage == run.Agent {
			v.Life = a.Chats.Life(s.ID, s.Last.Start.Effect)
		}
	case run.Ended, run.Judged, run.Ready, run.Asking:
	}
	return v
}

// reasonDisk is the reason of a run's wait for room on the disk.
const reasonDisk = "disk"

// reasonSession is the reason of a run's wait for the work of a chat.
const reasonSession = "session"

// ViewAt shows a run as it was at a moment, from its log alone.
func (a *Views) ViewAt(s run.State, now time.Time) wire.RunView {
	f := s.Facts
	v := wire.RunView{
		ID: s.ID, Handle: f.Handle, Exit: -1,
		Task: begin(a.Text(f.Task), taskBytes), Workspace: a.Text(f.Workspace), Workflow: string(f.Workflow), Branch: a.Text(f.Branch),
		Phase: string(s.Loop.Phase), Iteration: s.Loop.Iteration, Attempt: s.Loop.Attempt,
		Iterations: s.LastIteration(), Budgets: work.BudgetViews(f.Budgets), Timeouts: wire.Timeouts(work.Timeouts(f.Limits)),
		Started: s.Clock.Started, ActiveMS: s.Clock.Active(now).Milliseconds(), LimitMS: f.Limits.ActiveMS,
		Stopping: string(s.Stop), Files: s.Last.Agent.Files, Tree: string(s.Last.Tree),
		Seq: s.Log.Seq, Unknown: s.Log.Unknown, Account: f.Account, Changed: a.Lines(s.Changed),
	}
	if f.Priority != events.PriorityNormal {
		v.Priority = f.Priority.String()
	}
	if f.Limits.UntilMS > 0 {
		v.Until = at(time.UnixMilli(f.Limits.UntilMS))
	}
	if p := s.Published; p != nil && p.Landing == "" && (p.Commit != "" || p.Problem != "" || p.Ready) {
		v.Published = &wire.PublishedView{Commit: p.Commit, Link: a.Text(p.Link), Problem: a.Text(p.Problem), Ready: p.Ready}
	}
	v.Handoff = handed(slices.DeleteFunc(slices.Clone(f.Gates), func(g events.Gate) bool { return !s.HandsOver(g.Name) }))
	v.Language = string(a.Language(s))
	v.HeadMoved = a.headMoved(a.Language(s), s.Moved)
	spec, err := a.Worker.Spec(s)
	if err == nil {
		if viewAgent(&v, s, spec); spec.Land != nil {
			v.Agent = "" // git, in the place of one
		}
		v.Issue, v.Land = spec.Issue, a.landView(s, spec.Land)
	}
	if s.Driven() {
		v.Agent, v.Driver = string(f.Driver), a.Sessions.Driver(s, false)
	}
	v.Imported = a.Fleet.IsImported(s.ID)
	v.Gone = a.Removal.Gone(s)
	budget.View(&v, s, now)
	v.Gates = gateViews(a.Language(s), s, spec)
	switch s.Status {
	case run.Live:
		a.viewLive(&v, s, now)
		if s.Log.Broken != 0 {
			// The run is about to be halted. Its log may not even take the halt, so the
			// view shows it now.
			v.State, v.Reason = rule.StateHalted, string(events.HaltLogIntegrity)
			v.Exit = rule.ExitCode(v.State, events.HaltLogIntegrity)
		}
	case run.Halted:
		v.State, v.Reason = rule.StateHalted, string(s.Halt.Reason)
		v.Exit = rule.ExitCode(v.State, s.Halt.Reason)
		v.Halted = at(s.Clock.Latest)
	case run.Over:
		v.State, v.Reason = string(s.End.State), string(s.End.Reason)
		v.Exit = rule.ExitCode(v.State, "")
		v.Ended = at(s.Clock.Latest)
	case run.None:
	}
	return v
}

// taskBytes bounds the task in a view. A stream sends a view in one frame, and its JSON
// may take six bytes for one.
const taskBytes = 16 << 10

// begin cuts a text between characters.
func begin(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// viewLive adds the fields of a live run.
func (a *Views) viewLive(v *wire.RunView, s run.State, now time.Time) {
	v.State = rule.StateRunning
	if end, ok := engine.Deadline(s, now); ok {
		v.EndsBy = at(end)
	}
	switch s.Stage {
	case run.Started, run.Gates:
		v.Stage = "gates"
		if s.Loop.Iteration == 0 {
			v.Stage = "baseline"
		}
	case run.Agent:
		if v.Stage = "agent"; s.Driven() {
			v.State, v.Reason = rule.StateWaiting, reasonSession
		}
	case run.Looking:
		v.Stage = "looking"
	case run.Asking:
		v.Stage, v.State, v.Reason, v.Question = "asking", rule.StateWaiting, "answer", a.QuestionView(s, questionBytes)
	case run.Ended, run.Judged, run.Ready:
		v.Stage = "deciding"
		if flow, err := a.Worker.Flow(context.Background(), s); err == nil {
			if w, ok := engine.Next(s, flow, now).(engine.Wait); ok && !w.Until.IsZero() {
				v.State, v.Reason, v.NextWake = rule.StateWaiting, w.Why, at(w.Until)
				v.Waiting = waitView(s, w)
			}
		}
	}
}

// waitView shows a run's wait, if it waits for a limit.
func waitView(s run.State, w engine.Wait) *wire.WaitView {
	if s.Waiting == nil || w.Why != string(s.Waiting.Cause) {
		return nil
	}
	v := &wire.WaitView{
		Cause: w.Why, Account: s.Waiting.Account, Until: w.Until, Source: string(s.Waiting.Source),
		Place: s.Waiting.Place, Limit: s.Waiting.Limit, Used: s.Waiting.Used, By: string(s.Waiting.By),
	}
	if g := s.Waiting.Signal; g.Of != "" {
		v.Signal = &wire.Pressure{Of: string(g.Of), Value: g.Value, Limit: g.Limit}
	}
	if ms := s.Waiting.ResetMS; ms > 0 {
		v.Reset = at(time.UnixMilli(ms))
	}
	return v
}

// lastOutput takes the later of the logged output time and the effect's own.
func (a *Views) lastOutput(v *wire.RunView, effect string) {
	t, err := a.Effects.Open(effect).LastOutput()
	if err == nil && !t.IsZero() && (v.LastOutput == nil || t.After(*v.LastOutput)) {
		v.LastOutput = &t
	}
}

// life is the last sign of life of an agent, unless it was output.
func (a *Views) life(effect string) *wire.LifeView {
	l, err := a.Effects.Open(effect).LastLife()
	if err != nil || l.At.IsZero() || l.Kind == shim.LifeOutput {
		return nil
	}
	kind := l.Kind
	if kind == shim.LifeWatch {
		kind = "transcript" // the watched log of an agent
	}
	return &wire.LifeView{At: l.At, Kind: kind}
}

func at(t time.Time) *time.Time { return &t }

func agentName(a stored.Agent) string {
	switch {
	case a.Script != "":
		return "script"
	case a.Profile != "" && a.Model != "":
		return a.Profile + " (" + a.Model + ")"
	case a.Profile != "":
		return a.Profile
	}
	return a.Command
}

// viewAgent shows the agent at work or next; of a finished run, the last one.
func viewAgent(v *wire.RunView, s run.State, spec stored.Spec) {
	who := s.Worker()
	l := s.Last.Session
	last := l.Effect != "" && (s.AtWork() || s.Status == run.Over || slices.Contains(s.Facts.Idle, s.Loop.Phase))
	if last {
		who = run.Worker{Role: roleOf(s, l), Agent: l.Agent, Level: l.Level, Account: s.AccountOf(l)}
	}
	a := work.AgentOf(spec, who.Agent)
	v.Agent, v.Permissions, v.Account = agentName(a), a.Permissions, cmp.Or(who.Account, s.Facts.Account)
	for _, c := range s.Facts.Crews {
		if c.Role == who.Role && who.Level > 0 {
			v.Role, v.Level, v.Levels = string(c.Role), who.Level, len(c.Hands)
		}
	}
}

// roleOf is the role of a session: the one that looks, or the one that works in the
// phase.
func roleOf(s run.State, l events.IterationStarted) events.Name {
	if s.Last.Role.Agent.Effect == l.Effect {
		return s.Last.Role.Role
	}
	return s.WorkerIn(l.Phase).Role
}

// gateViews lists the gates of a run with their latest verdicts.
func gateViews(l events.Language, s run.State, spec stored.Spec) []wire.GateView {
	asked := map[events.Name]stored.Gate{}
	for _, g := range spec.Gates {
		asked[g.Name] = g
	}
	before := map[events.Name]events.GateResult{}
	for _, r := range s.Last.Before {
		before[r.Gate] = r
	}
	latest, base := map[events.Name]events.GateResult{}, map[events.Name]events.GateResult{}
	for _, r := range s.Last.Baseline {
		base[r.Gate] = r
	}
	for _, r := range slices.Concat(s.Last.Seen, s.Last.Results) {
		latest[r.Gate] = r
	}
	out := []wire.GateView{}
	for _, g := range s.Facts.Gates {
		v := wire.GateView{
			Name: string(g.Name), Kind: string(g.Kind), Role: string(s.Role(g.Name)),
			Command: asked[g.Name].Command, Files: asked[g.Name].Files,
		}
		r, ok := latest[g.Name]
		if !ok {
			r, ok = base[g.Name]
			v.Baseline = ok
		}
		if ok {
			v.Verdict, v.Reason, v.Exit = string(r.Verdict), string(r.Reason), r.Exit
			v.Says = phrase.Reason(l, r)
			v.Failing, v.Before, v.DurationMS = r.Failing, before[g.Name].Failing, r.DurationMS
			v.Used, v.Of, v.Limit = r.Used, r.Of, r.Limit
			v.Rate, v.After = r.Rate, r.After
			v.Tests, v.TestsWas = r.Tests, base[g.Name].Tests
		}
		out = append(out, v)
	}
	return out
}

// usageNow adds the usage that the agent at work has reported.
func (a *Views) usageNow(v *wire.RunView, s run.State) {
	if r, ok := a.Worker.Live(s.ID); ok && r.Usage != (events.Usage{}) {
		budget.AddTold(v, r.Usage)
	}
}

// Text reads a blob for a view; a missing blob is empty. Names of files may be invalid
// UTF-8.
func (a *Views) Text(ref events.Ref) string {
	if ref == "" {
		return ""
	}
	b, err := a.Blobs.Get(ref)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
