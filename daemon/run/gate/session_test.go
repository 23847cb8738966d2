package gate_test

import (
	"strings"
	"testing"
	"time"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/rule"
)

var sessionGate = gate.Session{Name: "how", Limits: rule.SessionLimits{Stall: 10 * time.Minute, Carryover: 50}}

// Seeds 2.1.4: a detail holds the numbers that were compared. DESIGN 9: missing
// data closes a gate.
func TestAGateOnASessionSaysWhatItCompared(t *testing.T) {
	t.Parallel()
	report := events.SessionReport{V: 1, Complete: 3, Partial: 1, Planned: 4, Completed: 2, Carryover: 2}
	edit := func(f func(*events.SessionReport)) events.SessionReport { r := report; f(&r); return r }
	for name, tt := range map[string]struct {
		end     rule.SessionEnd
		bad     string
		verdict events.Verdict
		reason  events.Reason
		says    string
	}{
		"all is well":         {rule.SessionEnd{Report: report}, "", events.Pass, events.ReasonReported, "of 4 planned issues 2 are completed and 2 carried over"},
		"no report":           {rule.SessionEnd{}, "", events.Fail, events.ReasonNoReport, "no report of the session"},
		"a report that is no": {rule.SessionEnd{}, "session lacks agent_summary.failed", events.Fail, events.ReasonBadReport, "cannot be read: session lacks agent_summary.failed"},
		"a stall":             {rule.SessionEnd{Report: report, Silent: 11 * time.Minute}, "", events.Fail, events.ReasonStall, "no progress for 11m0s before its end; the limit is 10m0s"},
		"a spiral":            {rule.SessionEnd{Report: edit(func(r *events.SessionReport) { r.Spiral = 2 })}, "", events.Fail, events.ReasonSpiral, "2 in a spiral"},
		"a failed wave":       {rule.SessionEnd{Report: edit(func(r *events.SessionReport) { r.Failed = 1 })}, "", events.Fail, events.ReasonFailedWave, "1 failed"},
		"a failed session":    {rule.SessionEnd{Failed: true}, "", events.Fail, events.ReasonFailedWave, "The session failed"},
		"a carryover":         {rule.SessionEnd{Report: edit(func(r *events.SessionReport) { r.Carryover = 3 })}, "", events.Fail, events.ReasonCarryover, "3 carried over"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, texts := sessionGate.Judge(tt.end, tt.bad)
			if r.Verdict != tt.verdict || r.Reason != tt.reason || r.Kind != events.GateSession || r.Gate != "how" || (r.OutputSum == "") != (tt.verdict == events.Pass) {
				t.Errorf("%+v", r)
			}
			if !strings.Contains(texts.Excerpt, tt.says) {
				t.Errorf("%q, want %q", texts.Excerpt, tt.says)
			}
		})
	}
}
