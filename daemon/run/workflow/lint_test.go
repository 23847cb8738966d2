package workflow_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/workflow"
)

func TestEveryMistakeOfAFileIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change []string // old and new texts of the long workflow
		want   []string // in their order
	}{
		"none":                      {nil, nil},
		"no YAML":                   {[]string{"name: long", "name: [long"}, []string{"must be specified"}},
		"of values and of rules":    {[]string{"version: 1", "version: one", "unclean: plan\n  - name: qa", "unclean: plans\n  - name: qa"}, []string{"version: want a whole number", `there is no phase "plans"`}},
		"of rules alone":            {[]string{"weights: {goal: 40", "weights: {goal: 50", "times: 5", "times: 1", "limits: {cycles: 10}", "limits: {cycles: 0}"}, []string{"add up to 110", "times is 1", "without a limit"}},
		"two in one mapping":        {[]string{"times: 5}", "tiems: 5, skipp: x}"}, []string{`did you mean "times"?`, `unknown key "skipp"`}},
		"of a role and of a gate":   {[]string{"wall: 20m", "wall: soon", "kind: repeat", "kind: repeats"}, []string{`did you mean "repeat"?`, `"soon" is not a duration`}},
		"what follows is not said":  {[]string{"name: calm, kind: repeat", "name: 7, kind: repeat"}, []string{"want text, found a number"}},
		"elsewhere is said as well": {[]string{"name: calm, kind: repeat", "name: 7, kind: repeat", "expires: 48h", "expires: -1h"}, []string{"is not a duration", "want text, found a number"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := strings.NewReplacer(tt.change...).Replace(long)
			w, found := workflow.Lint([]byte(src))
			if len(found) != len(tt.want) {
				t.Fatalf("want %d mistakes, found %d: %v", len(tt.want), len(found), found)
			}
			for i, e := range found {
				if !strings.Contains(e.Error(), tt.want[i]) || e.Line < 1 {
					t.Errorf("mistake %d: want %q in\n%v", i, tt.want[i], e)
				}
			}
			again, err := workflow.Parse([]byte(src))
			if (err == nil) != (len(found) == 0) {
				t.Errorf("Parse says %v", err)
			}
			if err == nil && !cmp.Equal(w, again) {
				t.Error(cmp.Diff(w, again))
			}
		})
	}
}

// The place is the edge that leads back, not the top of the file.
func TestACycleWithoutALimitIsNamedAtItsEdge(t *testing.T) {
	t.Parallel()
	src := strings.Replace(long, "limits: {cycles: 10}", "limits: {iterations: 10}", 1)
	_, found := workflow.Lint([]byte(src))
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	line := strings.Split(src, "\n")[found[0].Line-1]
	if !strings.Contains(line, "unclean: ") || !strings.Contains(found[0].Error(), "without a limit: write cycles: 10 below limits") {
		t.Errorf("%v\nat %q", found[0], line)
	}
}

func TestCheckNamesEveryBrokenRule(t *testing.T) {
	t.Parallel()
	err := workflow.Workflow{}.Check()
	for _, want := range []string{"has no version", "has no name", "has no phase", "fingerprint lacks gates"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
