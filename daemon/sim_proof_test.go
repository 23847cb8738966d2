package daemon

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/log"
)

// This file reads from a log alone what a run of the workflow of
// sim_cheat_test.go is done by. It uses neither fold nor rules of the engine, so
// that it does not share their mistakes.

// reading is what was read.
type reading struct {
	t  testing.TB
	es []events.Event
}

// proofOf says whether the run of a log is done, and what of its evidence is not
// there; empty if all is.
func proofOf(t testing.TB, l log.Log) (done bool, wrong string) {
	t.Helper()
	p := reading{t: t}
	for st, err := range l.ReadAll(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		p.es = append(p.es, st.Event)
	}
	end, ok := p.es[len(p.es)-1].Data.(events.RunEnded)
	if !ok || end.State != events.EndDone {
		return false, ""
	}
	if err := p.check(end); err != nil {
		var b strings.Builder
		for _, e := range p.es {
			fmt.Fprintf(&b, "%3d %-26s %-22s %+v\n", e.Seq, e.Actor, e.Data.EventType(), e.Data)
		}
		return true, err.Error() + "\n" + b.String()
	}
	return true, ""
}

// evidence that each phase owes, by gate.
var owed = map[events.Name][]events.Name{
	"plan":  {"plan-files", "plan-scope", "clear", "agreed", "approved"},
	"build": {"test", "protected", "there", "calm", "shaky", "inside", "red", "kept", "told"},
	"check": {"covered", "reviewed", "check-scope"},
	"use":   {"test", "protected", "used", "use-scope"},
}

func (p reading) check(end events.RunEnded) error {
	final, at := contentOf(end.Tree), -1
	delete(final.Bad, "plan-scope") // of the phase plan alone, whose gate has judged it
	if len(final.Bad) > 0 || final.Code == 0 || final.Plan == 0 {
		return fmt.Errorf("done on tree %s", end.Tree)
	}
	for _, phase := range []events.Name{"plan", "build", "check", "use"} {
		i, judged := p.judged(phase)
		if i <= at {
			return fmt.Errorf("phase %s was judged last by event %d, the one before it by %d", phase, i+1, at+1)
		}
		at = i
		for _, gate := range owed[phase] {
			if err := p.gate(i, judged, gate); err != nil {
				return fmt.Errorf("phase %s: %w", phase, err)
			}
		}
		if phase != "plan" && judged.Tree != end.Tree {
			return fmt.Errorf("phase %s was judged on %s, and done on %s", phase, judged.Tree, end.Tree)
		}
	}
	if err := p.approved("approved", final.set("approved"), len(p.es)); err != nil {
		return err // the plan that is there is what a person approved
	}
	i := slices.IndexFunc(p.es, func(e events.Event) bool { _, ok := e.Data.(events.IterationStarted); return ok })
	first := contentOf(p.es[i].Data.(events.IterationStarted).Tree)
	return p.approved("wanted", first.set("wanted"), i)
}

// judged is what the gates of a phase said last, seen by the daemon.
func (p reading) judged(phase events.Name) (int, events.GatesJudged) {
	for i, e := range slices.Backward(p.es) {
		if d, ok := e.Data.(events.GatesJudged); ok && d.Phase == phase && d.Iteration > 0 && !d.Entry && strings.HasPrefix(e.Actor, "daemon:") {
			return i, d
		}
	}
	return -1, events.GatesJudged{}
}

// gate finds what a gate passed by: it says so itself, or roles or people said it
// of the very set that it was about.
func (p reading) gate(at int, d events.GatesJudged, name events.Name) error {
	for _, r := range d.Results {
		switch {
		case r.Gate != name:
		case r.Kind == events.GateApproval:
			return p.approved(name, r.Set, len(p.es))
		case r.Kind == events.GateInterview:
			return p.clear(r.Set)
		case r.Verdict == events.Open:
			return p.looked(at, name, r.Set)
		case r.Verdict != events.Pass:
			return fmt.Errorf("gate %s says %s", name, r.Verdict)
		default:
			return nil
		}
	}
	return fmt.Errorf("gate %s was not judged", name)
}

// approved: the last word of people before an event on this set is ok, to a
// question about it, from a terminal.
func (p reading) approved(gate events.Name, set string, before int) error {
	asked, said := map[int]bool{}, events.Choice("")
	for _, e := range p.es[:before] {
		switch d := e.Data.(type) {
		case events.QuestionAsked:
			asked[d.Number] = d.Gate == gate && d.Set == set
		case events.QuestionAnswered:
			if !asked[d.Number] {
				continue
			}
			if d.Set != set || !strings.HasPrefix(e.Actor, "person:") || d.Assurance != events.AssuredTTY {
				return fmt.Errorf("gate %s was answered by %s, %q, about %s", gate, e.Actor, d.Assurance, d.Set)
			}
			said = d.Choice
		}
	}
	if said != events.ChoiceOK {
		return fmt.Errorf("gate %s: people said %q of %s", gate, said, set)
	}
	return nil
}

// clear: the last round that counts is clear enough, and people have answered each
// one before it that was not; rounds that are used up begin anew with what is said.
func (p reading) clear(set string) error {
	rounds, last, open := 0, 100, false
	asked := map[int]bool{}
	for _, e := range p.es {
		switch d := e.Data.(type) {
		case events.RoleEnded:
			if d.Gate != "clear" || d.Void != "" || d.Set != set || !p.announced(d) {
				continue
			}
			if open {
				return fmt.Errorf("gate clear: nobody answered after %d rounds, %d%% unclear", rounds, last)
			}
			rounds, last = rounds+1, d.Opinion.Ambiguity
			open = last > 20 && rounds < 3
		case events.QuestionAsked:
			asked[d.Number] = d.Gate == "clear"
		case events.QuestionAnswered:
			if asked[d.Number] && strings.HasPrefix(e.Actor, "person:") && d.Assurance == events.AssuredTTY {
				open = false
			}
		case events.RunResumed:
			if rounds >= 3 && last > 20 && d.Note+d.Findings != "" {
				rounds = 0
			}
		}
	}
	if last > 20 {
		return fmt.Errorf("gate clear: %d%% unclear after %d rounds", last, rounds)
	}
	return nil
}

// lookers are who has to say it, in order.
var lookers = map[events.Name][]events.Name{
	"agreed": {"architect", "critic"}, "covered": {"critic"}, "reviewed": {"critic"}, "used": {"user"},
}

// looked: the newest word of each role on this set is good, each behind the one
// before, and from a session that the daemon has started for that.
func (p reading) looked(at int, gate events.Name, set string) error {
	from := -1
	for _, role := range lookers[gate] {
		newest, said := -1, events.RoleEnded{}
		for i, e := range p.es {
			if d, ok := e.Data.(events.RoleEnded); ok && d.Gate == gate && d.Role == role && d.Set == set && d.Void == "" {
				newest, said = i, d
			}
		}
		switch {
		case newest <= from:
			return fmt.Errorf("gate %s: role %s has not looked at %s behind event %d", gate, role, set, from+1)
		case !p.announced(said) || !strings.HasPrefix(p.es[newest].Actor, "daemon:"):
			return fmt.Errorf("gate %s: what role %s says is of no session that was started for it", gate, role)
		case !approving(gate, said.Opinion):
			return fmt.Errorf("gate %s: role %s says %+v", gate, role, said.Opinion)
		}
		from = newest
	}
	if len(lookers[gate]) == 0 {
		return fmt.Errorf("gate %s was left open by event %d", gate, at+1)
	}
	return nil
}

func approving(gate events.Name, o events.Opinion) bool {
	switch gate {
	case "agreed":
		return o.Verdict == events.RulingApprove && o.Blocking == 0
	case "covered":
		return o.Covered > 0 && o.Uncovered == 0
	case "reviewed":
		return o.Verdict == events.RulingApprove && o.Architecture == events.RulingClear && o.Findings == 0
	default:
		return o.Verdict == events.RulingPassed && o.Findings == 0
	}
}

// announced: a session was started for exactly that, and it did no work of the
// run.
func (p reading) announced(d events.RoleEnded) bool {
	started := false
	for _, e := range p.es {
		switch a := e.Data.(type) {
		case events.RoleStarted:
			started = started || a.Agent.Effect == d.Agent.Effect && a.Gate == d.Gate && a.Role == d.Role && a.Set == d.Set
		case events.IterationStarted:
			if a.Effect == d.Agent.Effect {
				return false
			}
		}
	}
	return started
}
