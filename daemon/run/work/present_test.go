package work

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	texts "autopilot/ctl/golden"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
)

var update = flag.Bool("update", false, "write the golden texts anew")

const planText = "# Plan\n\nWhat is built, and where.\n\n## Key decisions\n\n- Rows are kept in the store that is there (`store/db.go:40`): one writer, no lock.\n" +
	"- The old command stays, as scripts call it: cmd/old/main.go:12\n\n```\nFAIL store/db_test.go:99\n```\n\n## Order\n\nfirst the store at 12:30, then http://localhost:8080\n"

// messages has the texts of gates, first and again, from the shipped atdd and from a
// workflow without its own texts.
func messages(t *testing.T, l events.Language) string {
	t.Helper()
	atdd, _, err := workflow.Shipped("atdd")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := workflow.Parse([]byte("name: x\nversion: 1\nphases:\n  - {name: plan, prompt: p.md, entry: [{name: wanted, kind: approval, of: [prd.md]}], gates: [{name: agreed, kind: approval, of: [docs/*.md]}]}\n" +
		"  - {name: last, prompt: p.md, gates: [goals, {name: ready, kind: approval, of: [docs/*.md]}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	set := []page{{path: "docs/issues/24-x/plan.md", text: planText}, {path: "docs/issues/24-x/acceptance-tests.md", text: "# AC1\n\ngiven, when, then\n"}}
	say := func(title, text string) { fmt.Fprintf(&b, "=== %s\n%s\n", title, text) }
	first := func(title string, w workflow.Workflow, phase, gate string, pages ...page) {
		var paths []string
		for _, p := range pages {
			paths = append(paths, p.path)
		}
		say(title, asking(l, w, phase, gateIn(t, w, gate), paths)+called(l, pages)+shownWhole(l, pages))
	}
	first("atdd, requirements", atdd, "stories", "requirements", page{path: "docs/issues/24-x/prd.md", text: "# Search\n\n## Why\n\n## Scope\n"})
	first("atdd, design", atdd, "design", "design-approved", set...)
	flaky, _, err := workflow.Shipped("atdd-flaky")
	if err != nil {
		t.Fatal(err)
	}
	rates := []events.GateResult{
		{Gate: "fails-at-times", Kind: events.GateFlaky, Verdict: events.Pass, Reason: events.ReasonFlaky, Rate: events.Rate{Failed: 2, Runs: 20}},
		{Gate: "bug-kept", Kind: events.GateAnchor, Verdict: events.Pass, Reason: events.ReasonUnchanged},
	}
	cause := []page{{path: "docs/issues/31-x/diagnosis.md", text: "timing, type C: the reader does not wait (store/db.go:40)\n"}, {path: "tests/acceptance/AT-31.sh", text: "#!/bin/sh\ngo test -count=1 -run TestRace ./store\n"}}
	say("atdd-flaky, diagnosis", asking(l, flaky, "diagnose", gateIn(t, flaky, "diagnosis-approved"), []string{cause[0].path, cause[1].path})+(&Plan{Flow: flaky}).measured(l, rates)+called(l, cause)+shownWhole(l, cause))
	first("at the entry, without words", plain, "plan", "wanted", page{path: "prd.md", text: "no heading\n"})
	first("in a phase, without words", plain, "plan", "agreed", page{path: "docs/a.md", text: ""})
	first("in the last phase", plain, "last", "ready", page{path: "docs/a.md", text: strings.Repeat("see a/b.go:7\n", 14)})
	diff := "diff --git a/docs/issues/24-x/plan.md b/docs/issues/24-x/plan.md\n--- a/docs/issues/24-x/plan.md\n+++ b/docs/issues/24-x/plan.md\n" +
		"@@ -6,3 +6,3 @@\n \n-- Rows are kept in the store that is there (`store/db.go:40`): one writer, no lock.\n+- Rows are kept in a file of their own (`store/file.go:1`).\n - The old command stays, as scripts call it: cmd/old/main.go:12\n"
	say("atdd, design, again", asking(l, atdd, "design", gateIn(t, atdd, "design-approved"), []string{set[0].path, set[1].path})+became(l, []stored.Finding{
		{Section: "docs/issues/24-x/plan.md:7", Detail: "two writers, in fact"},
		{Section: "Order", Detail: "the store comes last", Priority: 1},
		{Section: "tone", Detail: "kinder"},
	}, set, diff))
	return b.String()
}

func gateIn(t *testing.T, w workflow.Workflow, name string) workflow.Gate {
	t.Helper()
	for _, ph := range w.Phases {
		for _, g := range slices.Concat(ph.Entry, ph.Gates) {
			if g.Name == name {
				return g
			}
		}
	}
	t.Fatalf("there is no gate %s", name)
	return workflow.Gate{}
}

// Seeds 3.7: the first presentation has the key decisions with their places, and the
// effect of an approval. The next one has real hunks at the place of each finding. A35:
// never a summary alone.
func TestGatesSayWhatIsDecidedInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range []events.Language{events.English, events.Japanese} {
		texts.Compare(t, *update, "gate."+string(l), messages(t, l))
	}
}

func TestKeyDecisionsAreLinesThatNameAPlace(t *testing.T) {
	t.Parallel()
	for line, is := range map[string]bool{
		"store/db.go:40": true, "見る: `cmd/a.go:7`。": true, "Makefile is built": false, "at 12:30": false, "http://localhost:8080": false,
		"bin/run:3": true, "a.go:0": false, "a.go": false, "db.go:40-60": true, "ratio 3.5:1": false,
	} {
		if got := codePlace.MatchString(line); got != is {
			t.Errorf("%q: %v", line, got)
		}
	}
	long := called(events.English, []page{{path: "a.md", text: "x.go:1 " + strings.Repeat("語", 500) + "\n"}})
	if !strings.Contains(long, " ...\n") || len([]rune(long)) > 300 {
		t.Errorf("a line is not cut: %q", long)
	}
	if got := called(events.English, nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
