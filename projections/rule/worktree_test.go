package rule_test

import (
	"slices"
	"testing"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// Seeds 2.7, GC classes; field reports, B.4 63.
func TestAWorkTreeGoesOnlyIfItIsStaleAndHoldsNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 8, 6, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const day, week = 24 * time.Hour, 7 * 24 * time.Hour
	held := func(list ...wire.TreeHold) (out []wire.TreeHeld) {
		for _, h := range list {
			out = append(out, wire.TreeHeld{Why: h})
		}
		return out
	}
	noted := func(d time.Duration) []rule.TreeNote { return []rule.TreeNote{{Who: "run k3xq", At: ago(d)}} }
	for name, tt := range map[string]struct {
		tree  rule.WorkTree
		class wire.TreeClass
		why   []wire.TreeHold
	}{
		"unused for a week":                       {rule.WorkTree{Used: ago(week)}, wire.TreeStale, nil},
		"used a moment later":                     {rule.WorkTree{Used: ago(week - time.Second)}, wire.TreeYoung, []wire.TreeHold{wire.HoldYoung}},
		"of unknown age":                          {rule.WorkTree{}, wire.TreeStale, nil},
		"used in the future":                      {rule.WorkTree{Used: ago(-day)}, wire.TreeYoung, []wire.TreeHold{wire.HoldYoung}},
		"a record of exactly a week":              {rule.WorkTree{Used: ago(2 * week), Noted: noted(week)}, wire.TreeKept, []wire.TreeHold{wire.HoldRecord}},
		"an older record":                         {rule.WorkTree{Used: ago(2 * week), Noted: noted(week + 1)}, wire.TreeStale, nil},
		"a record without a time":                 {rule.WorkTree{Used: ago(week), Noted: []rule.TreeNote{{Who: "x"}}}, wire.TreeStale, nil},
		"a record and young":                      {rule.WorkTree{Used: ago(day), Noted: noted(day)}, wire.TreeKept, []wire.TreeHold{wire.HoldRecord, wire.HoldYoung}},
		"main":                                    {rule.WorkTree{Held: held(wire.HoldProcess, wire.HoldLocked, wire.HoldMain), Used: ago(week)}, wire.TreeMain, []wire.TreeHold{wire.HoldProcess, wire.HoldLocked, wire.HoldMain}},
		"locked and in use":                       {rule.WorkTree{Held: held(wire.HoldProcess, wire.HoldLocked), Used: ago(week)}, wire.TreeLocked, []wire.TreeHold{wire.HoldProcess, wire.HoldLocked}},
		"git at work":                             {rule.WorkTree{Held: held(wire.HoldGitAtWork), Used: ago(week)}, wire.TreeLocked, []wire.TreeHold{wire.HoldGitAtWork}},
		"a process in it":                         {rule.WorkTree{Held: held(wire.HoldProcess), Used: ago(week)}, wire.TreeInUse, []wire.TreeHold{wire.HoldProcess}},
		"a run that is not over":                  {rule.WorkTree{Held: held(wire.HoldRun), Used: ago(week)}, wire.TreeInUse, []wire.TreeHold{wire.HoldRun}},
		"claimed":                                 {rule.WorkTree{Held: held(wire.HoldClaim), Used: ago(week)}, wire.TreeInUse, []wire.TreeHold{wire.HoldClaim}},
		"of another state directory":              {rule.WorkTree{Held: held(wire.HoldOther), Used: ago(week)}, wire.TreeInUse, []wire.TreeHold{wire.HoldOther}},
		"a session in it, and young":              {rule.WorkTree{Held: held(wire.HoldSession), Used: ago(day)}, wire.TreeInUse, []wire.TreeHold{wire.HoldSession, wire.HoldYoung}},
		"untracked files only":                    {rule.WorkTree{Held: held(wire.HoldUntracked), Used: ago(week)}, wire.TreeStale, []wire.TreeHold{wire.HoldUntracked}},
		"commits of its own, of unknown age":      {rule.WorkTree{Held: held(wire.HoldAlone)}, wire.TreeStale, []wire.TreeHold{wire.HoldAlone}},
		"what cannot be read":                     {rule.WorkTree{Held: held(wire.HoldUnreadable), Used: ago(week)}, wire.TreeStale, []wire.TreeHold{wire.HoldUnreadable}},
		"made by nobody here, and used yesterday": {rule.WorkTree{Held: held(wire.HoldNotOurs), Used: ago(day)}, wire.TreeYoung, []wire.TreeHold{wire.HoldNotOurs, wire.HoldYoung}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			class, got := rule.JudgeTree(tt.tree, now, week)
			var why []wire.TreeHold
			for _, h := range got {
				why = append(why, h.Why)
			}
			if class != tt.class || !slices.Equal(why, tt.why) {
				t.Errorf("%s, held by %v", class, why)
			}
		})
	}
}
