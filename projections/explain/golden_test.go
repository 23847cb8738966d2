package explain_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	texts "autopilot/ctl/golden"
	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

var update = flag.Bool("update", false, "write the golden files")

// What every halt, end and gate that asks reads as, with what to do next.
func TestHaltsAndQuestionsReadAsTheyDid(t *testing.T) {
	t.Parallel()
	for _, l := range enum[events.Language](t) {
		var b strings.Builder
		tell := func(s run.State) {
			_, because := explain.Why(in(s, l))
			fmt.Fprintln(&b, because)
			for _, n := range explain.Next(in(s, l)) {
				fmt.Fprintf(&b, "    %s   %s\n", n.Command, n.Why)
			}
		}
		for _, h := range enum[events.Halt](t) {
			tell(halted(events.RunHalted{Reason: h, Gate: "test", Phase: "build", Iteration: 3, Iterations: []int{2, 3}, Limit: 10, Used: 11, Of: 12}))
		}
		for _, e := range enum[events.End](t) {
			tell(ended(events.RunEnded{State: e, Reason: events.RefusedGoalGreen, Iteration: 2, Tree: "0123456789ab"}))
		}
		for _, k := range enum[events.QuestionKind](t) {
			q := run.Question{QuestionAsked: events.QuestionAsked{Gate: "agreed", Phase: "plan", Kind: k, Again: k == events.AskApproval}}
			tell(state(func(s *run.State) { s.Stage, s.Question = run.Asking, &q }))
		}
		byHandOff := func(s *run.State) {
			s.Handed = []run.Question{{QuestionAsked: events.QuestionAsked{Gate: "wanted"}}, {QuestionAsked: events.QuestionAsked{Gate: "agreed"}}}
		}
		tell(state(byHandOff))
		done := ended(events.RunEnded{State: events.EndDone, Iteration: 2, Tree: "0123456789ab"})
		byHandOff(&done)
		tell(done)
		lands := func(s *run.State) { s.Facts.Land.Commit = "c" }
		for _, e := range []events.RunEnded{{State: events.EndFailed, Tree: "0123456789ab"}, {State: events.EndRefused, Reason: events.RefusedInvariantRed, Gate: "suite"}, {State: events.EndCancelled}} {
			s := ended(e)
			lands(&s)
			tell(s)
		}
		kept := ended(events.RunEnded{State: events.EndDone})
		kept.Published = &events.WorkPublished{Commit: "c", Landing: events.LandKept, Problem: "ab"}
		lands(&kept)
		tell(kept)
		for _, d := range []events.Data{
			events.QuestionAsked{Gate: "agreed"},
			events.QuestionAnswered{Gate: "agreed", Choice: events.ChoiceNo},
			events.QuestionAsked{Gate: "agreed", Handoff: true},
			events.QuestionAnswered{Gate: "agreed", Choice: events.ChoiceOK, Assurance: events.AssuredHandoff},
			events.QuestionAnswered{Gate: "agreed", Choice: events.ChoiceNo, Assurance: events.AssuredTTY, Phase: "plan"},
			events.WorkPublished{Commit: "c", Link: "ab"},
			events.WorkPublished{Commit: "c", Problem: "ab"},
			events.WorkPublished{Problem: "ab"},
			events.WorkPublished{},
			events.WorkPublished{Commit: "c", Link: "ab", Ready: true},
			events.WorkPublished{Ready: true},
			events.WorkPublished{Commit: "c", Landing: events.LandDone},
			events.WorkPublished{Commit: "c", Landing: events.LandKept, Problem: "ab"},
			events.WorkPublished{Commit: "c", Landing: events.LandMoved, Problem: "ab"},
			events.WorkPublished{Commit: "c", Landing: events.LandFailed, Problem: "ab"},
			events.QuestionExpired{Changed: true},
			events.PhaseEntered{Phase: "build", From: "review", Way: events.WayBack, Cycle: 2},
			events.RunResumed{Note: "ab"},
			events.RoleEnded{Gate: "reviewed", Role: "critic", Opinion: events.Opinion{Verdict: events.RulingChanges, Findings: 2}},
			events.GatesJudged{Iteration: 2, Checkout: events.CheckoutClean, Results: []events.GateResult{{Gate: "test", Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1, Failing: 3}}},
			events.AgentEnded{Iteration: 2, Outcome: events.Exited, DurationMS: 4200, Files: 3, Claim: events.ClaimDone, Usage: events.Usage{Output: 950}},
		} {
			fmt.Fprintln(&b, explain.Line(in(state(func(*run.State) {}), l), events.Event{Data: d}))
		}
		texts.Compare(t, *update, "sentences."+string(l), b.String())
	}
}
