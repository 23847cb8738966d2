package summary_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/summary"
)

var update = flag.Bool("update", false, "write the golden files anew")

var start = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

// told is a run of these events.
func told(actor string, data ...events.Data) *summary.Fold {
	f := &summary.Fold{}
	for i, d := range data {
		f.Add(events.Event{
			Aggregate: events.Run("R1"), Seq: uint64(i + 1), Time: start.Add(time.Duration(i) * time.Minute), Actor: actor, Data: d,
		})
	}
	return f
}

func check(name events.Name, kind events.GateKind, phase events.Name, roles ...events.Name) events.Gate {
	return events.Gate{Name: name, Kind: kind, Role: events.RoleCheck, Phase: phase, Roles: roles, Most: 5, Clear: 20}
}

// many is a run with every part, as it was started.
func many() events.RunStarted {
	return events.RunStarted{
		Handle: "r1", Phase: "talk", Workflow: "many", Limits: events.Limits{Iterations: 10}, Tree: "t0", Work: "t0",
		Gates: []events.Gate{
			{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal},
			{Name: "protected", Kind: events.GateProtected, Role: events.RoleInvariant},
			check("clear", events.GateInterview, "talk", "asker"),
			check("plan-files", events.GateArtifact, "plan"), check("agreed", events.GateConsensus, "plan", "architect", "critic"),
			check("approved", events.GateApproval, "plan"),
			check("covered", events.GateCoverage, "build", "auditor"), check("build-scope", events.GateScope, "build"),
			check("reviewed", events.GateReview, "review", "critic"), check("accepted", events.GateApproval, "review"),
			check("used", events.GateQA, "qa", "tester"),
		},
	}
}

func work(phase events.Name, iteration int, tree events.Tree, claim events.Claim) []events.Data {
	effect := string(phase) + string(rune('0'+iteration))
	return []events.Data{
		events.IterationStarted{Phase: phase, Iteration: iteration, Attempt: 1, Effect: effect},
		events.AgentEnded{Phase: phase, Iteration: iteration, Attempt: 1, Effect: effect, Outcome: events.Exited, Claim: claim, Tree: tree, Work: tree, Files: iteration, Evidence: "refs"},
	}
}

func gates(phase events.Name, iteration int, tree events.Tree, results ...events.GateResult) []events.Data {
	return []events.Data{
		events.GatesStarted{Phase: phase, Iteration: iteration},
		events.GatesJudged{Phase: phase, Iteration: iteration, Results: results, Tree: tree, Work: tree},
	}
}

func open(name events.Name, kind events.GateKind, set string) events.GateResult {
	return events.GateResult{Gate: name, Kind: kind, Role: events.RoleCheck, Verdict: events.Open, Reason: events.ReasonNobody, Exit: -1, Set: set}
}

func said(name events.Name, kind events.GateKind, v events.Verdict, reason events.Reason, exit int) events.GateResult {
	return events.GateResult{Gate: name, Kind: kind, Role: events.RoleCheck, Verdict: v, Reason: reason, Exit: exit}
}

func looks(gate, role events.Name, set string, o events.Opinion) []events.Data {
	o.Source = "s-" + string(role)
	return []events.Data{
		events.RoleStarted{Gate: gate, Role: role, Set: set},
		events.RoleEnded{Gate: gate, Role: role, Set: set, Opinion: o, Agent: events.AgentEnded{Outcome: events.Exited, Result: events.ResultEnded}},
	}
}

func asks(n int, gate events.Name, set string, choice events.Choice, findings int) []events.Data {
	a := events.QuestionAnswered{Number: n, Gate: gate, Set: set, Choice: choice, Assurance: events.AssuredTTY, Count: findings}
	return []events.Data{events.QuestionAsked{Number: n, Gate: gate, Kind: events.AskApproval, Set: set, Assurance: events.AssuredTTY}, a}
}

func into(phase, from events.Name, way events.Way, iteration int) events.Data {
	return events.PhaseEntered{Phase: phase, From: from, Way: way, Iteration: iteration}
}

func record(phase events.Name, iteration int, v events.Verdict) events.Data {
	return events.IterationRecorded{Phase: phase, Iteration: iteration, Attempt: 1, Verdict: v}
}

var approve = events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingClear}

// played is that run to its end: the first plan is rejected by a critic, the
// first build fails, and everything is approved then.
func played() []events.Data {
	var out []events.Data
	add := func(lists ...[]events.Data) {
		for _, l := range lists {
			out = append(out, l...)
		}
	}
	one := func(d ...events.Data) []events.Data { return d }
	test := said("test", events.GateCommand, events.Fail, events.ReasonExit, 1)
	green := said("test", events.GateCommand, events.Pass, events.ReasonExit, 0)
	pins := said("protected", events.GateProtected, events.Pass, events.ReasonUnchanged, -1)
	files := said("plan-files", events.GateArtifact, events.Pass, events.ReasonWritten, -1)
	files.Set = "f1"
	scope := said("build-scope", events.GateScope, events.Pass, events.ReasonUnchanged, -1)
	add(one(many()), gates("talk", 0, "t0", test, pins))
	add(gates("talk", 1, "t0", open("clear", events.GateInterview, "task")), looks("clear", "asker", "task", events.Opinion{Ambiguity: 15}), one(record("talk", 1, events.Pass)))
	add(one(into("plan", "talk", events.WayOn, 1)), work("plan", 2, "p1", events.ClaimDone),
		gates("plan", 2, "p1", files, open("agreed", events.GateConsensus, "p1"), open("approved", events.GateApproval, "p1")),
		looks("agreed", "architect", "p1", approve), looks("agreed", "critic", "p1", events.Opinion{Verdict: events.RulingReject, Findings: 1}), one(record("plan", 2, events.Fail)))
	add(work("plan", 3, "p2", events.ClaimDone),
		gates("plan", 3, "p2", files, open("agreed", events.GateConsensus, "p2"), open("approved", events.GateApproval, "p2")),
		looks("agreed", "architect", "p2", approve), looks("agreed", "critic", "p2", approve), asks(1, "approved", "p2", events.ChoiceOK, 0), one(record("plan", 3, events.Pass)))
	add(one(into("build", "plan", events.WayOn, 3)), work("build", 4, "b1", events.ClaimDone), gates("build", 4, "b1", test, pins, open("covered", events.GateCoverage, "b1"), scope), one(record("build", 4, events.Fail)))
	add(work("build", 5, "b2", events.ClaimDone), gates("build", 5, "b2", green, pins, open("covered", events.GateCoverage, "b2"), scope),
		looks("covered", "auditor", "b2", events.Opinion{Covered: 3}), one(record("build", 5, events.Pass)))
	add(one(into("review", "build", events.WayOn, 5)), gates("review", 6, "b2", open("reviewed", events.GateReview, "b2"), open("accepted", events.GateApproval, "b2")),
		looks("reviewed", "critic", "b2", approve), asks(2, "accepted", "b2", events.ChoiceOK, 0), one(record("review", 6, events.Pass)))
	add(one(into("qa", "review", events.WayOn, 6)), gates("qa", 7, "b2", said("used", events.GateQA, events.Skipped, events.ReasonDocsOnly, -1)),
		one(record("qa", 7, events.Pass), events.RunEnded{State: events.EndDone, Iteration: 7, Tree: "b2"}))
	return out
}

func refs(events.Ref) []string { return []string{"out.txt:12"} }

func golden(t *testing.T, name string, parts []wire.SummaryPart) {
	t.Helper()
	b, err := json.MarshalIndent(parts, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	file := "testdata/" + name + ".json"
	if *update {
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(b)); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func TestARunOfManyPhasesNamesEachPartWithItsEvidence(t *testing.T) {
	t.Parallel()
	golden(t, "many", told("person:0@host/pts/3", played()...).Parts(refs))
}

// What was never judged is there, and an approval of another plan is none.
func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	all := played()
	for i, d := range all {
		if g, ok := d.(events.GatesJudged); ok && g.Phase == "plan" && g.Iteration == 3 {
			golden(t, "cut", told("daemon:host", all[:i+1]...).Parts(nil))
		}
	}
}

func TestEveryPrefixHasTheSamePartsInOrder(t *testing.T) {
	t.Parallel()
	all := played()
	for n := 1; n <= len(all); n++ {
		parts := told("daemon:host", all[:n]...).Parts(refs)
		last := -1
		for _, p := range parts {
			at := map[string]int{"clarification": 0, "plan": 1, "implementation": 2, "verification": 3, "review": 4, "qa": 5}[p.Part]
			if at <= last {
				t.Fatalf("after %d events: %s out of its order", n, p.Part)
			}
			last = at
		}
	}
}

func TestAWorkflowWithoutGatesOfItsOwnHasNoSummary(t *testing.T) {
	t.Parallel()
	plain := many()
	plain.Gates = plain.Gates[:2]
	if told("a", plain).Has() || !told("a", many()).Has() {
		t.Error("only gates of phases make one")
	}
}

// part is one part of what a run went through.
func part(f *summary.Fold, name string) (p wire.SummaryPart) {
	for _, p = range f.Parts(nil) {
		if p.Part == name {
			return p
		}
	}
	return wire.SummaryPart{}
}

func TestWorkThatWasCutShortIsOfThePartThatItWasFor(t *testing.T) {
	t.Parallel()
	s := many()
	s.Proves = []events.Name{"build"}
	f := told("daemon:h", append([]events.Data{s}, work("build", 3, "t3", "")...)...)
	if p := part(f, summary.Implementation); len(p.Work) != 1 || p.Work[0].Phase != "build" || p.Absent {
		t.Errorf("got %+v", p)
	}
	if p := part(f, summary.Plan); len(p.Work) != 0 {
		t.Errorf("it passes for a plan: %+v", p)
	}
}

func TestAPartThatTheWorkflowHasNotIsToldFromOneForWhichNothingWasDone(t *testing.T) {
	t.Parallel()
	s := events.RunStarted{
		Handle: "r1", Phase: "build", Proves: []events.Name{"build"}, Idle: []events.Name{"review"},
		Gates: []events.Gate{{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal}, check("reviewed", events.GateReview, "review", "critic")},
	}
	f := told("daemon:h", s, events.GatesJudged{Phase: "build", Results: []events.GateResult{{Gate: "test", Kind: events.GateCommand, Verdict: events.Fail, Exit: 1}}})
	for name, absent := range map[string]bool{
		summary.Clarification: true, summary.Plan: true, summary.Implementation: false, summary.Verification: false, summary.Review: false, summary.QA: true,
	} {
		if p := part(f, name); p.Part != name || p.Absent != absent {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if p := part(f, summary.Verification); len(p.Gates) != 1 || !p.Gates[0].Baseline || p.Gates[0].Verdict != "fail" {
		t.Errorf("before any work: %+v", p)
	}
}
