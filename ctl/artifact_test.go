package ctl

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/wire"
)

func TestArtifactsAreGoalsBehindTheOtherGates(t *testing.T) {
	t.Parallel()
	files := func(name events.Name, globs ...string) wire.GateSpec {
		return wire.GateSpec{Name: name, Kind: events.GateArtifact, Role: events.RoleGoal, Files: globs}
	}
	for name, c := range map[string]struct {
		goals, artifacts []string
		want             []wire.GateSpec
		bad              bool
	}{
		"a name and a glob":           {artifacts: []string{"report=docs/*.md"}, want: []wire.GateSpec{files("report", "docs/*.md")}},
		"a glob alone":                {artifacts: []string{"docs/Report.md", "other/report.txt"}, want: []wire.GateSpec{files("report", "docs/Report.md"), files("report-2", "other/report.txt")}},
		"two globs of one name":       {artifacts: []string{"a=x", "a=y"}, want: []wire.GateSpec{files("a", "x", "y")}},
		"a folder":                    {artifacts: []string{"dist/"}, want: []wire.GateSpec{files("dist", "dist/")}},
		"a glob with an equals sign":  {artifacts: []string{"out/a=b.txt"}, want: []wire.GateSpec{files("a-b", "out/a=b.txt")}},
		"a name that a command has":   {goals: []string{"a=true"}, artifacts: []string{"a=x"}, bad: true},
		"a derived name that one has": {goals: []string{"report=true"}, artifacts: []string{"report.md"}, want: []wire.GateSpec{{Name: "report", Role: events.RoleGoal, Command: "true"}, files("report-2", "report.md")}},
		"a bad name":                  {artifacts: []string{"My_Report=x"}, bad: true},
		"no glob":                     {artifacts: []string{"report="}, bad: true},
		"no name":                     {artifacts: []string{"=x"}, bad: true},
		"nothing":                     {artifacts: []string{" "}, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseGates(c.goals, nil, c.artifacts...)
			if c.bad != (err != nil) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" && !c.bad {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
