package daemon

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"autopilot/daemon/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// maxFailing is how many failing tests are named.
const maxFailing = 20

// runWhy explains a run.
func (d *Daemon) runWhy(ctx context.Context, _ bus.Request, ref wire.RunRef) (wire.WhyView, error) {
	s, err := d.find(ctx, ref)
	if err != nil {
		return wire.WhyView{}, err
	}
	return d.why(ctx, s, d.view(s))
}

// why explains a run in the state s, which may be one that it was in.
func (d *Daemon) why(ctx context.Context, s run.State, now wire.RunView) (wire.WhyView, error) {
	v := wire.WhyView{
		Run: now, Seq: s.Log.Seq, Next: explain.Next(s),
		Rows: []wire.WhyRow{}, Failing: []string{}, Files: []string{},
	}
	v.Rule, v.Because = explain.Why(s)
	history, err := d.history(ctx, s)
	if err != nil {
		return v, err
	}
	v.Rows = append(v.Rows, explain.Rows(history)...)
	for _, r := range s.Last.Results {
		if r.Verdict == events.Pass {
			continue
		}
		v.Failing = append(v.Failing, d.lines(r.FailingIDs)...)
		v.Files = append(v.Files, d.lines(r.Files)...)
	}
	if n := len(v.Failing); n > maxFailing {
		v.Failing, v.More = v.Failing[:maxFailing], n-maxFailing
	}
	v.LastError, v.ErrorFrom = d.lastError(s)
	v.Question = d.text(s.Last.Agent.Question)
	v.Claims = claims(s, d.text(s.Last.Agent.Summary))
	if s.Status == run.Over && s.End.State == events.EndRefused && now.Branch != "" {
		v.Next = append(v.Next, explain.Unused(now.Workspace)...)
	}
	if s.Status == run.Over && s.End.State == events.EndDone {
		if now.Branch != "" {
			v.Next = append(v.Next, explain.Worktree(now.Workspace, now.Branch)...)
		}
		v.Evidence, err = d.evidence(ctx, s)
	}
	return v, err
}

// history reads the events of a run up to a state, for folds that need all of
// them.
func (d *Daemon) history(ctx context.Context, s run.State) (iter.Seq[events.Event], error) {
	var es []events.Event
	for stored, err := range d.log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return nil, err
		}
		if stored.Event.Seq > s.Log.Seq {
			break
		}
		es = append(es, stored.Event)
	}
	return slices.Values(es), nil
}

// lastError is the text that tells most: of the halt itself, of the agent where
// that is to blame, else of the gate that settled it or the first that fails.
func (d *Daemon) lastError(s run.State) (text, from string) {
	if h := s.Halt; h != nil {
		if h.Error != "" {
			return d.text(h.Error), "daemon"
		}
		switch h.Reason {
		case events.HaltAgentFailed, events.HaltAgentLost, events.HaltNoop, events.HaltAuthFailed, events.HaltBilling, events.HaltLimit:
			return d.text(s.Last.Agent.Excerpt), "agent"
		default:
		}
	}
	if r, ok := telling(s); ok {
		return d.text(r.Excerpt), "gate " + string(r.Gate)
	}
	return "", ""
}

// telling is the result that explains the present state best.
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

// claims sets what the agent said against what the daemon saw.
func claims(s run.State, summary string) []string {
	a := s.Last.Agent
	if a.Claim == "" && summary == "" {
		return nil
	}
	said := fmt.Sprintf("the agent says %q", a.Claim)
	if summary != "" {
		said += ": " + summary
	}
	out := []string{said}
	if a.Claim != events.ClaimDone {
		return out
	}
	for _, r := range s.Last.Results {
		if r.Verdict != events.Pass {
			out = append(out, "the daemon saw "+explain.Result(r))
		}
	}
	return out
}

// evidence is what done stands on.
func (d *Daemon) evidence(ctx context.Context, s run.State) (*wire.Evidence, error) {
	spec, err := d.worker.Spec(s)
	if err != nil {
		return nil, err
	}
	e := &wire.Evidence{
		Tree: string(s.End.Tree), Checkout: "in place", Gates: gateViews(s, spec),
	}
	if s.Last.Checkout == events.CheckoutClean {
		e.Checkout = "clean"
	}
	if e.Created, err = d.worker.MadePaths(s.Last.Created); err != nil {
		return nil, err
	}
	e.Pinned, e.Allowed, err = d.worker.Proven(ctx, s)
	return e, err
}

func (d *Daemon) lines(ref events.Ref) []string {
	text := strings.TrimSuffix(d.text(ref), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
