package queuefile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/config"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
)

func TestAFileOfItems(t *testing.T) {
	t.Parallel()
	got, err := Parse("q.yaml", `
defaults:
  agent: claude
  gates: {test: go test ./...}
items:
  - name: parser
    task: write the parser
    priority: high
    limits: {hours: 2, usd: 3, iterations: 7}
  - file: tasks/printer.md
    after: [parser, issue-7]
    issue: "24"
    gates: {lint: {run: golangci-lint run, role: invariant}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := File{
		Defaults: Item{Agent: "claude", Gates: strictyaml.Map[config.Gate]{{Key: "test", Value: config.Gate{Run: "go test ./...", Role: events.RoleGoal}}}},
		Items: []Item{
			{Name: "parser", Task: "write the parser", Priority: "high", Limits: Limits{For: config.Hours(7200e9), USD: 3e6, Iterations: 7}},
			{
				File: "tasks/printer.md", After: []string{"parser", "issue-7"}, Issue: "24",
				Gates: strictyaml.Map[config.Gate]{{Key: "lint", Value: config.Gate{Run: "golangci-lint run", Role: events.RoleInvariant}}},
			},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if j, err := Parse("q.json", `{"items": [{"task": "one"}]}`); err != nil || j.Items[0].Task != "one" {
		t.Errorf("JSON: %+v, %v", j, err)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"items: []":                   "no items",
		"items: [{name: x}]":          "it needs one",
		"items: [{task: a, file: b}]": "it has 2 of task and file",
		"items: [{task: a, nam: b}]":  "name",
		"items:\n  - task: a\n  - task: b\n    priority: urgent": "q.yaml:3: item 2: priority \"urgent\"",
		"items: [{task: a, name: Not A Name}]":                   "lower-case",
		"items: [{task: a}]\n---\nitems: []":                     "document",
	} {
		if _, err := Parse("q.yaml", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

const list = "# Tonight\n\n- [ ] write the parser\n  with care\n  - [ ] and its tests\r\n* [x] done before\n- [ ] write the printer\n\n```\n- [ ] no task\n```\n"

func TestATaskListIsRead(t *testing.T) {
	t.Parallel()
	got, err := Parse("TODO.md", list)
	if err != nil {
		t.Fatal(err)
	}
	want := []Item{
		{Task: "write the parser\n- and its tests", Line: "- [ ] write the parser"},
		{Task: "write the printer", Line: "- [ ] write the printer"},
	}
	if d := cmp.Diff(want, got.Items); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := Parse("TODO.md", "- [x] one\n"); err == nil || !strings.Contains(err.Error(), "1 are done") {
		t.Errorf("nothing open: %v", err)
	}
}

func TestATickChangesTheTaskAndNothingElse(t *testing.T) {
	t.Parallel()
	got, ok := Tick(list, "- [ ] write the parser")
	want := strings.NewReplacer("- [ ] write the parser", "- [x] write the parser", "- [ ] and", "- [x] and").Replace(list)
	if d := cmp.Diff(want, got); d != "" || !ok {
		t.Errorf("%v (-want +got):\n%s", ok, d)
	}
	if again, ok := Tick(got, "- [ ] write the parser"); ok || again != got {
		t.Error("it was ticked off twice")
	}
	if same, ok := Tick(list, "- [ ] no task"); ok || same != list {
		t.Error("fenced code was changed")
	}
}
