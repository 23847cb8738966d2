package api

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// maxFailing bounds the failing tests in an explanation.
const maxFailing = 20

// maxTried bounds the resumes, waits and attempts in an explanation: it has the latest.
const maxTried = 50

// RunWhy explains a run.
func (a *Looks) RunWhy(ctx context.Context, q auth.Request, ref wire.RunRef) (wire.WhyView, error) {
	s, err := a.Find(ctx, ref)
	if err != nil {
		return wire.WhyView{}, err
	}
	v, err := a.Why(ctx, a.Machine.Placed(s), a.View(s))
	if lock := lockedSince(ctx, s.Facts.Language, v.Run.Workspace); lock != "" && s.Status != run.Over {
		v.Claims = append(v.Claims, lock)
	}
	if err == nil && a.looksBehind(q) {
		v.HeldOut, err = a.HeldOut(s)
	}
	return forCaller(q, v), err
}

// lockedSince says which program holds git's index lock in a work tree, and since when;
// empty without a lock.
func lockedSince(ctx context.Context, l events.Language, dir string) string {
	lock, ok := indexLock(ctx, dir)
	if !ok {
		return ""
	}
	return explain.IndexLocked(l, lock.Path, lock.Since.UTC().Format(time.RFC3339), lock.PID)
}

// indexLock finds the lock on git's index in a work tree.
func indexLock(ctx context.Context, dir string) (tree.IndexLock, bool) {
	ws, err := tree.Find(ctx, dir)
	if err != nil {
		return tree.IndexLock{}, false
	}
	return ws.IndexLock()
}

// guided says that the caller may see how to resume a halted run. It is a process of the
// user that no effect started. The bus knows that from the kernel, by the connecting
// process and its ancestors, or from the socket of one effect.
func guided(q auth.Request) bool { return q.Kind == auth.KindLocal }

// forCaller removes from an explanation what would lead an agent astray: commands that
// change something, and texts of people that are not for agents.
func forCaller(q auth.Request, v wire.WhyView) wire.WhyView {
	if guided(q) {
		return v
	}
	v.Next = explain.ForAgents(v.Next)
	for i := range v.Tried {
		v.Tried[i].Note = ""
	}
	return v
}

// Why explains a run in the state s, now or earlier.
func (a *Looks) Why(ctx context.Context, s run.State, now wire.RunView) (wire.WhyView, error) {
	h, err := a.history(ctx, s)
	if err != nil {
		return wire.WhyView{}, err
	}
	return a.whyBy(ctx, s, now, h)
}

// whyBy is Why, with the history of the run up to that state.
func (a *Looks) whyBy(ctx context.Context, s run.State, now wire.RunView, h explain.History) (v wire.WhyView, err error) {
	s = a.Spoken(s)
	v = wire.WhyView{
		Run: now, Seq: s.Log.Seq, Next: explain.Next(s), Left: explain.Left(s, s.Clock.Latest),
		Rows: []wire.WhyRow{}, Failing: []string{}, Files: []string{},
	}
	v.Rule, v.Because = explain.Why(s)
	if s.Status == run.Live && now.Reason == reasonDisk {
		v.Rule, v.Because = explain.FullDisk(s.Facts.Language)
	}
	a.addHistory(&v, h, s)
	a.addVerdict(&v, s)
	v.Git = a.git(s)
	v.Next = slices.Concat(saves(s, v.Git), v.Next, afterwards(s, now, v.Git))
	if a.bare(s) {
		v.Next = explain.WithoutRecords(v.Next)
	}
	if s.Status == run.Over && s.End.State == events.EndDone {
		v.Evidence, err = a.evidence(ctx, s)
	}
	if err == nil {
		v.Summary, err = a.summarised(ctx, s)
	}
	return v, err
}

// addVerdict adds the results of the latest gates and the claims of the latest agent.
func (a *Looks) addVerdict(v *wire.WhyView, s run.State) {
	for _, r := range s.Last.Results {
		if r.Verdict == events.Pass {
			continue
		}
		v.Failing = append(v.Failing, a.Lines(r.FailingIDs)...)
		v.Files = append(v.Files, a.Lines(r.Files)...)
	}
	if n := len(v.Failing); n > maxFailing {
		v.Failing, v.More = v.Failing[:maxFailing], n-maxFailing
	}
	if s.Halt != nil && s.Halt.Reason == events.HaltForeign {
		v.Files = append([]string{}, a.Lines(s.Halt.Files)...)
	}
	v.Fault = explain.Fault(s, a.Text(s.Last.End.Fault))
	v.LastError, v.ErrorFrom = a.lastError(s)
	v.Question = a.Text(s.Last.Agent.Question)
	if explain.Asks(s) {
		v.Question = begin(a.Text(s.Question.Text), taskBytes)
	}
	l := s.Facts.Language
	v.Claims = claims(s, a.Text(s.Last.Agent.Summary))
	if left := explain.Behind(l, s.Last.Agent); left != "" {
		v.Claims = append(v.Claims, phrase.Say(l, "the daemon saw of the agent: %s", "デーモンの確認: エージェントについて、%s", left))
	}
	if asked := explain.MisaskedSays(l, a.Text(s.Last.Agent.Misasked)); asked != "" {
		v.Claims = append(v.Claims, asked)
	}
	v.Claims = append(v.Claims, a.others(s)...)
	if refused := explain.Refused(l, s.Refused); refused != "" {
		v.Claims = append(v.Claims, refused)
	}
}

// addHistory adds the facts that need all events.
func (a *Looks) addHistory(v *wire.WhyView, h explain.History, s run.State) {
	h.Compared(s)
	v.Rows = append(v.Rows, h.Rows...)
	if h.Settled.Seq > 0 {
		v.Settled, v.Seq = &h.Settled, h.Settled.Seq
	}
	if n := len(h.Tried) - maxTried; n > 0 {
		h.Tried, v.TriedMore = h.Tried[n:], n
	}
	for _, t := range h.Tried {
		if t.Note = a.Text(t.Text); t.Kind == explain.TriedFindings {
			t.Note = work.ListFindings(t.Note)
		}
		v.Tried = append(v.Tried, t.WhyTried)
	}
}

// history folds the events of a run up to a state. It leaves out damaged events: the
// state says that the log is not whole.
func (a *Looks) history(ctx context.Context, s run.State) (h explain.History, err error) {
	h.Language = a.Language(s)
	for stored, err := range a.Log.Read(ctx, events.Run(s.ID), 0) {
		switch {
		case errors.Is(err, log.ErrDamaged):
			continue
		case err != nil:
			return h, err
		case stored.Event.Seq > s.Log.Seq:
			return h, nil
		}
		h.Add(stored.Event)
	}
	return h, nil
}

// lastError is the most telling error text. It is the text of the halt, or of an agent at
// fault. Else it is the text of the gate that settled the run, or of the first failing
// gate.
func (a *Views) lastError(s run.State) (text, from string) {
	if s.End != nil && s.End.Error != "" {
		return a.Text(s.End.Error), "daemon"
	}
	if h := s.Halt; h != nil {
		if h.Error != "" {
			return a.Text(h.Error), "daemon"
		}
		switch h.Reason.Facts().Output {
		case events.OutputAgent:
			return a.Text(s.Last.Agent.Excerpt), "agent"
		case events.OutputSession:
			return a.Text(s.Last.End.Excerpt), "agent"
		case events.OutputGate:
		}
	}
	if r, ok := telling(s); ok {
		text := a.Text(r.Excerpt)
		if r.Kind == events.GateApproval {
			text = work.ListFindings(text)
		}
		return text, "gate " + string(r.Gate)
	}
	return "", ""
}

// telling finds the result that explains the present state best.
func telling(s run.State) (events.GateResult, bool) {
	var settled events.Name
	switch {
	case s.Halt != nil:
		settled = s.Halt.Gate
	case s.End != nil:
		settled = s.End.Gate
	}
	var first events.GateResult
	for _, r := range s.Last.Results {
		switch {
		case r.Verdict == events.Pass || r.Excerpt == "":
		case r.Gate == settled:
			return r, true
		case first.Gate == "":
			first = r
		}
	}
	return first, first.Gate != ""
}

// claims compares the agent's claims with what the daemon saw.
func claims(s run.State, summary string) []string {
	a := s.Last.Agent
	if a.Claim == "" && summary == "" {
		return nil
	}
	l := s.Facts.Language
	said := phrase.Say(l, "the agent says %q", "エージェントの申告は %q", a.Claim)
	if summary != "" {
		said += ": " + summary
	}
	out := []string{said}
	if a.Claim != events.ClaimDone {
		return out
	}
	for _, r := range s.Last.Results {
		if r.Verdict != events.Pass {
			out = append(out, phrase.Say(l, "the daemon saw %s", "デーモンの確認は %s", explain.Result(l, r)))
		}
	}
	return out
}

// bare says that output and recorded trees of a run are not here, and maybe not its
// texts. A person erased or pruned them, or the run was imported.
func (a *Views) bare(s run.State) bool {
	return a.Removal.Gone(s) != nil || a.Fleet.IsImported(s.ID)
}

// evidence is what done stands on. For a bare run it has the facts of events, and the
// texts that are left.
func (a *Views) evidence(ctx context.Context, s run.State) (*wire.Evidence, error) {
	bare := a.bare(s)
	spec, err := a.Worker.Spec(s)
	if err != nil && !bare {
		return nil, err
	}
	e := &wire.Evidence{
		Tree: string(s.End.Tree), Checkout: "in place", Gates: gateViews(a.Language(s), s, spec), Bare: bare,
	}
	if s.Last.Checkout == events.CheckoutClean {
		e.Checkout = "clean"
	}
	e.Controls, e.Weaker = a.controls(s, spec)
	e.Added = a.added(s)
	if e.Created, err = a.Worker.MadePaths(s.Last.Created); err != nil && !bare {
		return nil, err
	}
	if bare {
		return e, nil
	}
	e.Pinned, e.Allowed, err = a.Worker.Proven(ctx, s)
	return e, err
}

// controls lists the outcomes of the controls of a done run. The proof is weaker if a
// control was off, could not be tried, or a person accepted the work without it.
func (a *Views) controls(s run.State, spec stored.Spec) (list []wire.Control, weaker bool) {
	for _, r := range s.Last.Results {
		if r.Kind != events.GateControl {
			continue
		}
		c := wire.Control{Name: string(r.Gate), Verdict: string(r.Verdict), Reason: string(r.Reason), Says: phrase.Reason(a.Language(s), r), Files: a.Lines(r.Files)}
		c.Accepted = r.Verdict == events.Fail
		weaker = weaker || c.Accepted || r.Reason == events.ReasonNotTried
		list = append(list, c)
	}
	return list, weaker || spec.NoControls
}

// Lines reads a text with one name a line.
func (a *Views) Lines(ref events.Ref) []string {
	text := strings.TrimSuffix(a.Text(ref), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
