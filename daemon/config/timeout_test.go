package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/config"
	"autopilot/daemon/run/order"
	"autopilot/events/stored"
)

const minute = int64(60_000)

func TestLimitsOfProcessesComeFromTheStrongestLayer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		project, user string
		env           map[string]string
		typed, want   stored.Timeouts
		used          []string
	}{
		"nothing says so": {},
		"the user": {
			user: "limits: {idle: 25m, iteration_timeout: 0, gate_timeout: 1h}\n", want: stored.Timeouts{IdleMS: 25 * minute, AttemptMS: -1, GateMS: 60 * minute},
			used: []string{"limits.idle 25m user", "limits.iteration_timeout 0 user", "limits.gate_timeout 1h user"},
		},
		"the project over the user": {
			project: "limits: {idle: off}\n", user: "limits: {idle: 25m, gate_timeout: 1h}\n", want: stored.Timeouts{IdleMS: -1, GateMS: 60 * minute},
			used: []string{"limits.idle off project", "limits.gate_timeout 1h user"},
		},
		"a variable over both": {
			project: "limits: {idle: off}\n", env: map[string]string{"limits.idle": "7m"}, want: stored.Timeouts{IdleMS: 7 * minute},
			used: []string{"limits.idle 7m environment"},
		},
		"what was typed over all": {
			project: "limits: {idle: 5m}\n", env: map[string]string{"limits.idle": "7m"}, typed: stored.Timeouts{IdleMS: 300, AttemptMS: -1},
			want: stored.Timeouts{IdleMS: 300, AttemptMS: -1},
		},
	} {
		q := order.Order{Spec: stored.Spec{Timeouts: c.typed, Agent: stored.Agent{Command: "x"}}}
		a, err := layers("gates: {t: x}\n"+c.project, c.user, c.env).Apply(q, noon)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var used []string
		for _, v := range a.Used {
			if strings.HasPrefix(v.Key, "limits.") {
				used = append(used, v.Key+" "+v.Value+" "+v.Origin)
			}
		}
		if diff := cmp.Diff(c.want, a.Order.Spec.Timeouts) + cmp.Diff(c.used, used); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	for key, text := range map[string]string{"limits.idle": "20", "limits.iteration_timeout": "soon", "limits.gate_timeout": "off"} {
		_, err := layers("", "", map[string]string{key: text}).Apply(order.Order{}, noon)
		if err == nil || !strings.Contains(err.Error(), "AUTOPILOT_") {
			t.Errorf("%s %s: %v", key, text, err)
		}
	}
}

// TestAChatKeepsToTheLowerLimitOfTheFiles: what it says itself is looked at elsewhere.
func TestAChatKeepsToTheLowerLimitOfTheFiles(t *testing.T) {
	t.Parallel()
	l := layers("limits: {idle: 25m, gate_timeout: 10m}\n", "limits: {idle: 15m, iteration_timeout: off, gate_timeout: 20m}\n", nil)
	trusted := stored.Timeouts{IdleMS: 15 * minute, AttemptMS: -1, GateMS: 10 * minute}
	if diff := cmp.Diff(trusted, l.Trusted()); diff != "" {
		t.Error(diff)
	}
	filled := stored.Timeouts{IdleMS: 25 * minute, AttemptMS: 90 * minute, GateMS: 5 * minute}
	got := config.Kept(stored.Timeouts{GateMS: 5 * minute}, filled, trusted, map[string]string{"limits.iteration_timeout": "90m"})
	if diff := cmp.Diff(stored.Timeouts{IdleMS: 15 * minute, AttemptMS: 90 * minute, GateMS: 5 * minute}, got); diff != "" {
		t.Error(diff)
	}
}
