package rule_test

import (
	"testing"
	"time"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Seeds 2.1.4 rows 7 to 10, 2.1.3 row 9: stall, spiral, failed, carryover.
func TestASessionIsJudgedByItsKillSwitchesInTheirOrder(t *testing.T) {
	t.Parallel()
	says := func(edit func(*events.SessionReport)) events.SessionReport {
		r := events.SessionReport{V: 1, Complete: 4, Planned: 4, Completed: 4}
		edit(&r)
		return r
	}
	carried := func(n, of int) events.SessionReport {
		return says(func(r *events.SessionReport) { r.Planned, r.Carryover = of, n })
	}
	whole := carried(0, 4)
	all := says(func(r *events.SessionReport) { r.Spiral, r.Failed, r.Carryover = 2, 3, 4 })
	for name, tt := range map[string]struct {
		end    rule.SessionEnd
		limits rule.SessionLimits
		want   rule.SessionVerdict
	}{
		"all went well": {end: rule.SessionEnd{Report: whole}, want: rule.SessionVerdict{Reason: events.ReasonReported}},
		"nothing was planned": {
			end:  rule.SessionEnd{Report: events.SessionReport{V: 1, Carryover: 3}},
			want: rule.SessionVerdict{Reason: events.ReasonReported},
		},

		"row 7: still for less than the limit": {
			end: rule.SessionEnd{Report: whole, Silent: 10*time.Minute - 1}, want: rule.SessionVerdict{Reason: events.ReasonReported},
		},
		"row 7: still for the limit": {
			end: rule.SessionEnd{Report: whole, Silent: 10 * time.Minute}, want: rule.SessionVerdict{Reason: events.ReasonStall, Used: 600, Limit: 600},
		},
		"row 7: another limit": {
			end: rule.SessionEnd{Report: whole, Silent: time.Minute}, limits: rule.SessionLimits{Stall: time.Minute},
			want: rule.SessionVerdict{Reason: events.ReasonStall, Used: 60, Limit: 60},
		},
		"S4: what moved within 30 s is fresh, whatever the limit": {
			end: rule.SessionEnd{Report: whole, Silent: 30*time.Second - 1}, limits: rule.SessionLimits{Stall: time.Second},
			want: rule.SessionVerdict{Reason: events.ReasonReported},
		},
		"Q1: without a report the daemon saw the stall all the same": {
			end: rule.SessionEnd{Silent: time.Hour, Failed: true}, want: rule.SessionVerdict{Reason: events.ReasonStall, Used: 3600, Limit: 600},
		},
		"a stall outranks a spiral": {
			end: rule.SessionEnd{Report: all, Silent: 11 * time.Minute}, want: rule.SessionVerdict{Reason: events.ReasonStall, Used: 660, Limit: 600},
		},

		"row 8: a spiral outranks what failed": {end: rule.SessionEnd{Report: all}, want: rule.SessionVerdict{Reason: events.ReasonSpiral, Used: 2}},
		"row 8: one is enough": {
			end:  rule.SessionEnd{Report: says(func(r *events.SessionReport) { r.Spiral = 1 })},
			want: rule.SessionVerdict{Reason: events.ReasonSpiral, Used: 1},
		},

		"row 9: what failed outranks a carryover": {
			end:  rule.SessionEnd{Report: says(func(r *events.SessionReport) { r.Failed, r.Carryover = 3, 4 })},
			want: rule.SessionVerdict{Reason: events.ReasonFailedWave, Used: 3},
		},
		"row 9: a session that failed, without a report": {
			end: rule.SessionEnd{Failed: true}, want: rule.SessionVerdict{Reason: events.ReasonFailedWave},
		},
		"one that failed and tells how it went": {
			end: rule.SessionEnd{Report: whole, Failed: true}, want: rule.SessionVerdict{Reason: events.ReasonReported},
		},

		"row 10: exactly half passes": {end: rule.SessionEnd{Report: carried(2, 4)}, want: rule.SessionVerdict{Reason: events.ReasonReported}},
		"row 10: more than half": {
			end: rule.SessionEnd{Report: carried(3, 4)}, want: rule.SessionVerdict{Reason: events.ReasonCarryover, Used: 3, Of: 4, Limit: 50},
		},
		"row 10: one more than half of many": {
			end:  rule.SessionEnd{Report: carried(500_001, 1_000_000)},
			want: rule.SessionVerdict{Reason: events.ReasonCarryover, Used: 500_001, Of: 1_000_000, Limit: 50},
		},
		"row 10: more than was planned": {
			end: rule.SessionEnd{Report: carried(5, 4)}, want: rule.SessionVerdict{Reason: events.ReasonCarryover, Used: 5, Of: 4, Limit: 50},
		},
		"row 10: another limit": {
			end: rule.SessionEnd{Report: carried(2, 4)}, limits: rule.SessionLimits{Carryover: 49},
			want: rule.SessionVerdict{Reason: events.ReasonCarryover, Used: 2, Of: 4, Limit: 49},
		},

		"S5: what is absent kills nothing, and passes nothing": {want: rule.SessionVerdict{Reason: events.ReasonNoReport}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := rule.SessionLimits{Stall: rule.StallDefault, Carryover: rule.CarryoverDefault}
			if tt.limits.Stall > 0 {
				l.Stall = tt.limits.Stall
			}
			if tt.limits.Carryover > 0 {
				l.Carryover = tt.limits.Carryover
			}
			if got := rule.Session(tt.end, l); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestOfTwoSessionGatesTheStrongerSwitchHalts(t *testing.T) {
	t.Parallel()
	of := func(v events.Verdict, r events.Reason) events.GateResult {
		return events.GateResult{Gate: events.Name("g-" + r), Kind: events.GateSession, Verdict: v, Reason: r}
	}
	for name, tt := range map[string]struct {
		results []events.GateResult
		want    events.Halt
	}{
		"none":                  {nil, ""},
		"one that passes":       {[]events.GateResult{of(events.Pass, events.ReasonReported)}, ""},
		"one without a report":  {[]events.GateResult{of(events.Fail, events.ReasonNoReport)}, ""},
		"the stronger one":      {[]events.GateResult{of(events.Fail, events.ReasonCarryover), of(events.Fail, events.ReasonSpiral)}, events.HaltSpiral},
		"only of session gates": {[]events.GateResult{{Kind: events.GateCommand, Verdict: events.Fail, Reason: events.ReasonSpiral}}, ""},
	} {
		if got, _, ok := rule.Killed(tt.results); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
