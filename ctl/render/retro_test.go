package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/retro/sheet"
)

// looped is a run that repeats a failure and waits for a person, with texts that
// steer.
func looped() wire.RetroRun {
	used := wire.UsageSum{Tokens: 12_300, MicroUSD: 420_000, Agents: 1}
	r := wire.RetroRun{
		ID: "01JGFJJZ00000000000000K3XQ", Handle: "k3xq", Task: "make it" + steering + " pass\nat last", Workspace: "/p" + steering, Agent: "claude",
		State: "halted", Reason: "sameness", Started: noon, Latest: noon.Add(time.Hour), Seq: 31, Unknown: 1, Back: 2,
		Time:     wire.RetroTime{Agent: 240_000, Gates: 60_000, Waiting: 600_000, Person: 2_700_000},
		Phases:   []wire.RetroPhase{{Phase: "work", Length: 3_600_000, Iterations: 4}},
		Repeated: &wire.RetroRepeated{First: 3, EqualTo: 2, By: "fingerprint", Iterations: 2, Length: 150_000, Usage: used},
		Findings: []wire.RetroFinding{
			{Gate: "test", Reason: "exit", Open: true},
			{Gate: "test", Test: "TestA" + steering, Seen: 1, At: 90_000, Settled: 3, Until: 270_000},
		},
		Decisions: []wire.RetroDecision{{Kind: "needs-person", Iteration: 3, Began: noon, Took: 2_700_000, Made: "resumed", By: "person:0@h/1", Asked: "which" + steering + "?"}},
		Repeats:   []wire.RetroRepeat{{Iteration: 2, Times: 14, What: "Bash: ls" + steering, Ended: true}},
		Conflicts: []wire.RetroConflict{{Iteration: 2, By: "stream", Result: "ended", Other: "exit", Says: "agent-error"}},
		Spans: []wire.RetroSpan{
			{Kind: "gates", Length: 60_000},
			{Kind: "agent", At: 60_000, Length: 240_000, Iteration: 1},
			{Kind: "waiting", At: 300_000, Length: 600_000, Iteration: 1, Cause: "rate-limited"},
			{Kind: "person", At: 900_000, Length: 2_700_000, Iteration: 3, Cause: "needs-person"},
		},
	}
	for k := range 5 {
		i := wire.RetroIteration{Phase: "work", Iteration: k, Attempts: 1, Files: k, Failing: 4 - k, Verdict: "fail", Gates: []wire.RetroGate{{Gate: "test", Verdict: "fail", Failing: 4 - k}}, Result: "ended"}
		if k == 0 {
			i.Attempts, i.Verdict = 0, ""
		} else {
			i.Usage, i.CostFrom, i.Time = used, "reported", wire.RetroTime{Agent: int64(k) * 20_000}
			r.Usage = wire.UsageSum{Tokens: r.Usage.Tokens + used.Tokens, MicroUSD: r.Usage.MicroUSD + used.MicroUSD, Agents: k}
		}
		if k > 2 {
			i.EqualTo, i.AfterRepeat = 2, true
		}
		r.Iterations = append(r.Iterations, i)
	}
	return r
}

func fleet() wire.RetroFleet {
	f := wire.RetroFleet{
		Since: noon, Runs: 31, Passed: 20, Closed: 26, Done: 18, DoneUSD: 9_000_000, DonePart: 1, Median: 3, Repeats: 9,
		States: []wire.RetroCount{{Key: "done", Count: 20}, {Key: "halted", Count: 6}, {Key: "running", Count: 5}}, ToGreen: []wire.RetroCount{{Key: "1", Count: 7}, {Key: "3", Count: 11}},
		Halts: []wire.RetroCount{{Key: "sameness", Count: 4, Length: 60_000}}, Waits: []wire.RetroCount{{Key: "rate-limited", Count: 2, Length: 7_200_000}},
		Time: wire.RetroTime{Agent: 1_000, Gates: 1_000, Asleep: 500, Other: 10}, Usage: wire.UsageSum{Agents: 9, NoCost: 2, MicroUSD: 5},
		Unknown: 1, Unread: 1, More: 4,
	}
	for i := range 3 {
		f.Days = append(f.Days, wire.RetroDay{Day: fmt.Sprintf("2026-01-0%d", i+1), Runs: 9 + i, Passed: 3 * i, MicroUSD: int64(i) * 1_000_000})
	}
	for i := range 27 {
		f.Rows = append(f.Rows, wire.RetroRow{Handle: fmt.Sprintf("r%03d", i), State: "done", Task: "x" + steering, Started: noon, Iterations: i})
	}
	return f
}

func TestARetroIsReadOnATerminal(t *testing.T) {
	t.Parallel()
	run, many := looped(), fleet()
	for name, v := range map[string]wire.RetroView{"retro-run": {Made: noon, Run: &run}, "retro-many": {Made: noon, Many: &many}} {
		for style, s := range styles {
			got := s.Retro(sheet.Make(v, time.UTC, RetroLimits()))
			golden(t, name+"."+style, got)
			plain := uncoloured(got)
			if strings.Contains(plain, "\u202e") || strings.Contains(plain, "\x1b") {
				t.Errorf("%s, %s lets controls through", name, style)
			}
			for l := range strings.Lines(plain) {
				if columns(strings.TrimRight(l, "\n")) > s.Width {
					t.Errorf("%s, %s is wider than the terminal: %q", name, style, l)
				}
			}
		}
	}
}

func TestWithoutMarksARetroIsASCII(t *testing.T) {
	t.Parallel()
	run := looped()
	for i, r := range styles["ascii"].Retro(sheet.Make(wire.RetroView{Run: &run}, time.UTC, RetroLimits())) {
		if r > 0x7e {
			t.Fatalf("byte %d is %q", i, r)
		}
	}
}
