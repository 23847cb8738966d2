package stream

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// reports are lines in which programs tell of their usage.
var reports = map[Format]func(in, out int64, cost float64, id int) string{
	Claude: func(in, out int64, cost float64, id int) string {
		if id%2 == 0 {
			return fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","usage":{"input_tokens":%d,"output_tokens":%d}}}`, id, in, out)
		}
		return fmt.Sprintf(`{"type":"result","subtype":"success","total_cost_usd":%f,"usage":{"input_tokens":%d,"output_tokens":%d}}`, cost, in, out)
	},
	Codex: func(in, out int64, _ float64, _ int) string {
		return fmt.Sprintf(`{"type":"turn.completed","usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d}}`, in, in/2, out)
	},
	Gemini: func(in, out int64, _ float64, _ int) string {
		return fmt.Sprintf(`{"type":"result","status":"success","stats":{"input_tokens":%d,"output_tokens":%d,"cached":%d}}`, in, out, in/3)
	},
	Opencode: func(in, out int64, cost float64, id int) string {
		return fmt.Sprintf(`{"type":"step_finish","part":{"id":"p%d","reason":"stop","cost":%f,"tokens":{"input":%d,"output":%d}}}`, id, cost, in, out)
	},
	Cursor: func(in, out int64, _ float64, _ int) string {
		return fmt.Sprintf(`{"type":"result","subtype":"success","usage":{"inputTokens":%d,"outputTokens":%d}}`, in, out)
	},
	Goose: func(in, out int64, _ float64, _ int) string {
		return fmt.Sprintf(`{"type":"complete","input_tokens":%d,"output_tokens":%d}`, in, out)
	},
	Aider: func(in, out int64, cost float64, _ int) string {
		return fmt.Sprintf(`Tokens: %d sent, %d received. Cost: $0.01 message, $%.2f session.`, in, out, cost)
	},
	Text: func(in, out int64, cost float64, _ int) string {
		return fmt.Sprintf(`::autopilot {"v":1,"type":"usage","input_tokens":%d,"output_tokens":%d,"cost_usd":%f}`, in, out, cost)
	},
}

// Whatever a program reports, in any order: no total of a turn goes down.
func TestNoReportTakesAnythingAway(t *testing.T) {
	t.Parallel()
	for format, report := range reports {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				r, told, reported := New(format, nil), false, false
				for i := range rapid.IntRange(1, 12).Draw(t, "reports") {
					before := r.Summary()
					in, out := rapid.Int64Range(0, 5000).Draw(t, "in"), rapid.Int64Range(0, 900).Draw(t, "out")
					reported = reported || in+out > 0
					line := report(in, out,
						float64(rapid.IntRange(0, 300).Draw(t, "cents"))/100, rapid.IntRange(0, 3).Draw(t, "id")) + "\n"
					_, _ = r.Write([]byte(line))
					is := r.Summary()
					if is.Usage.atLeast(before.Usage) != is.Usage || is.MicroUSD < before.MicroUSD {
						t.Fatalf("report %d, %s: %+v after %+v, %d after %d", i, line, is.Usage, before.Usage, is.MicroUSD, before.MicroUSD)
					}
					told = told || is.UsageFrom == Reported
				}
				if reported && !told {
					t.Fatal("nothing was read")
				}
			})
		})
	}
}

func TestASecondResultOfZerosChangesNoTotal(t *testing.T) {
	t.Parallel()
	r := New(Claude, nil)
	for _, line := range []string{
		`{"type":"result","subtype":"success","num_turns":3,"total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":5}}`,
		`{"type":"result","subtype":"success","num_turns":0,"total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0}}`,
	} {
		_, _ = r.Write([]byte(line + "\n"))
	}
	if s := r.Summary(); s.MicroUSD != 500_000 || s.Usage != (Usage{Input: 10, Output: 5}) || s.Turns != 3 {
		t.Errorf("%+v", s)
	}
}
