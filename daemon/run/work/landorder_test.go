package work

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
)

func TestGatesOfSeveralRunsAreNamedApart(t *testing.T) {
	t.Parallel()
	taken := map[events.Name]string{}
	of := func(name events.Name, command string) stored.Gate { return stored.Gate{Name: name, Command: command} }
	long := events.Name(strings.Repeat("n", 64))
	got := distinct(taken, "aaaa", []stored.Gate{of("test", "make test"), of(long, "one")})
	got = append(got, distinct(taken, "bbbb", []stored.Gate{of("test", "make test"), of("lint", "make lint"), of(long, "two")})...)
	got = append(got, distinct(taken, "cccc", []stored.Gate{of("test", "npm test"), of("test", "npm run all")})...)
	want := []stored.Gate{of("test", "make test"), of(long, "one"), of("lint", "make lint"), of(long[:59]+"-bbbb", "two"), of("test-cccc", "npm test"), of("test-cccc-2", "npm run all")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, g := range got {
		if !g.Name.Valid() {
			t.Errorf("%q is no name", g.Name)
		}
	}
}

func TestTheCommandsOfAWorkflowJudgeALandingToo(t *testing.T) {
	t.Parallel()
	src := `
name: own
version: 1
description: x
phases:
  - name: work
    prompt: converge.md
    gates:
      - goals
      - {name: unit, kind: command, run: make unit}
      - {name: calm, kind: repeat, run: make calm, times: 3}
      - {name: looked, kind: review, role: reader}
roles:
  reader: {prompt: look.md}
`
	flow, err := workflow.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	got := flowCommands(flow)
	if len(got) != 2 || got[0].Command != "make unit" || got[1].Name != "calm" || got[1].Role != events.RoleGoal {
		t.Fatalf("gates: %+v", got)
	}
	for command, want := range map[string]string{
		repeated("echo x", 3): "x\nx\nx\n", repeated("echo x; false", 3): "x\n", repeated("echo x", 1): "x\n", repeated("# none", 2): "",
	} {
		out, _ := exec.Command("/bin/sh", "-c", command).Output() // how it ends is part of the table
		if string(out) != want {
			t.Errorf("%s\nprints %q, want %q", command, out, want)
		}
	}
}
