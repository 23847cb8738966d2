package ultragoal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"autopilot/projections/omx/ultragoal"
)

func TestTheLastStoryNeedsTheWholeGate(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{ultragoal.Aggregate, ultragoal.PerStory} {
		s := begin(t, mode, "a")
		s.next(false)
		if err := s.done("G001-a", "complete", ""); err == nil || !strings.Contains(err.Error(), "--quality-gate-json") {
			t.Errorf("%s: %v", mode, err)
		}
		if err := s.done("G001-a", "active", gate); err == nil {
			t.Errorf("%s: the goal of the host is active at the end", mode)
		}
		if err := s.done("G001-a", "complete", gate); err != nil || !s.plan.Done() || (s.plan.Completion != nil) != (mode == ultragoal.Aggregate) {
			t.Errorf("%s: %v", mode, err)
		}
		if _, _, err := ultragoal.Add(s.plan, ultragoal.Wanted{Title: "x", Objective: "y"}, "", now); err == nil {
			t.Errorf("%s: a complete plan takes a story", mode)
		}
	}
}

func TestEachMemberOfTheGateIsAskedFor(t *testing.T) {
	t.Parallel()
	required := []ultragoal.Invariant{}
	if err := ultragoal.CheckGate(jsontext.Value(gate), required); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"aiSlopCleaner":{"status":"passed"`, `"aiSlopCleaner":{"status":"failed"`},
		{`"aiSlopCleaner":{"status":"passed","evidence":"e"}`, `"aiSlopCleaner":{"status":"passed","evidence":" "}`},
		{`"aiSlopCleaner"`, `"x"`},
		{`"verification":{"status":"passed"`, `"verification":{"status":"skipped"`},
		{`"verification"`, `"x"`},
		{`["go test ./..."]`, `[]`},
		{`["go test ./..."]`, `["go test ./..."," "]`},
		{`["go test ./..."]`, `"go test"`},
		{`"],"evidence":"e"`, `"]`},
		{`"codeReview"`, `"x"`},
		{`APPROVE`, `COMMENT`},
		{`APPROVE`, `REQUEST CHANGES`},
		{`CLEAR`, `WATCH`},
		{`CLEAR`, `BLOCK`},
		{`"CLEAR","evidence":"e"`, `"CLEAR"`},
		{`"independentReview"`, `"x"`},
		{`"code-reviewer"`, `"leader"`},
		{`"agentRole":"code-reviewer","evidence":"e"`, `"agentRole":"code-reviewer"`},
		{`"agentRole":"architect"`, `"agentRole":"executor"`},
		{`"agentRole":"architect","evidence":"e"`, `"agentRole":"architect"`},
		{`"architectureInvariantGate"`, `"x"`},
		{`"architectureInvariantGate":{"status":"passed"`, `"architectureInvariantGate":{"status":"blocked"`},
		{`"evidence":"e","sourceArtifacts"`, `"sourceArtifacts"`},
		{`"sourceArtifacts":[]`, `"sourceArtifacts":[""]`},
		{`"invariants":[]`, `"invariants":[{"invariant":"i","source":"b.md","status":"proved","implementationEvidence":"e","testEvidence":"e","reviewEvidence":"e"}]`},
		{gate, `[]`},
		{gate, `7`},
	} {
		bad := strings.Replace(gate, change[0], change[1], 1)
		if bad == gate {
			t.Fatalf("%s is not in the gate", change[0])
		}
		if ultragoal.CheckGate(jsontext.Value(bad), nil) == nil {
			t.Errorf("%s instead of %s passes", change[1], change[0])
		}
	}
}

func TestInvariantsOfTheBriefHaveToBeProved(t *testing.T) {
	t.Parallel()
	brief := "# B\n- a\n## Architecture invariants\n- The core does **no** I/O\n## More\n- b\n\nDomain constraint: sums are integers.\n"
	rows := []ultragoal.Row{{Event: ultragoal.SteeringAccepted, Steering: &ultragoal.Audit{}, Message: "required architecture invariant: one writer"}}
	required := ultragoal.Required(brief, rows)
	want := []ultragoal.Invariant{
		{Text: "sums are integers", Source: ".omx/ultragoal/brief.md"},
		{Text: "The core does **no** I/O", Source: ".omx/ultragoal/brief.md"},
		{Text: "one writer", Source: ".omx/ultragoal/ledger.jsonl"},
	}
	if diff := cmp.Diff(want, required); diff != "" {
		t.Fatal(diff)
	}
	proof := func(text, source, more string) string {
		return fmt.Sprintf(`{"invariant":%q,"source":%q,"status":"proved","implementationEvidence":"e","testEvidence":"e","reviewEvidence":"e"%s}`, text, source, more)
	}
	full := func(list ...string) jsontext.Value {
		sources := `"sourceArtifacts":[".omx/ultragoal/brief.md",".omx/ultragoal/ledger.jsonl"],"invariants":[` + strings.Join(list, ",") + `]`
		return jsontext.Value(strings.Replace(gate, `"sourceArtifacts":[],"invariants":[]`, sources, 1))
	}
	one, two, three := proof("sums are integers", ".omx/ultragoal/brief.md#x", ""), proof("the core does no i/o", ".omx/ultragoal/brief.md", ""), proof("one writer", ".omx/ultragoal/ledger.jsonl", "")
	if err := ultragoal.CheckGate(full(one, two, three), required); err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]jsontext.Value{
		"one is missing":           full(one, two),
		"its source is another":    full(one, two, proof("one writer", ".omx/ultragoal/brief.md", "")),
		"its source is none":       full(one, two, proof("one writer", "my head", "")),
		"it has blockers":          full(one, two, proof("one writer", ".omx/ultragoal/ledger.jsonl", `,"blockers":["b"]`)),
		"it is not proved":         full(one, two, strings.Replace(three, "proved", "assumed", 1)),
		"it has no test":           full(one, two, strings.Replace(three, `"testEvidence":"e"`, `"testEvidence":""`, 1)),
		"it has no text":           full(one, two, proof("", ".omx/ultragoal/ledger.jsonl", ""), three),
		"there is no gate for any": jsontext.Value(gate),
	} {
		if ultragoal.CheckGate(g, required) == nil {
			t.Errorf("%s: it passes", name)
		}
	}
}
