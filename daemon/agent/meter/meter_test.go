package meter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent/meter"
	"autopilot/daemon/agent/stream"
	"autopilot/events"
)

const (
	initLine   = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`
	resultLine = `{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"usage":{"input_tokens":9,"output_tokens":1}}`
	toolLine   = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}`
)

// message is the line of a message that used so many tokens.
func message(id string, tokens int) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"%s","model":"m","content":[{"type":"text","text":"on"}],"usage":{"input_tokens":%d,"output_tokens":0}}}`, id, tokens)
}

// ramp is a script that prints such a line for each token in the pipe.
const ramp = `i=0; while :; do read x < "$GO"; i=$((i+1))
printf '{"type":"assistant","message":{"id":"m%s","model":"m","content":[{"type":"text","text":"on"}],"usage":{"input_tokens":100000,"output_tokens":0}}}\n' $i; done`

func TestB71ALimitCutsWithTheLineThatReachesIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits meter.Limits
		lines  int
		cut    events.Cut
	}{
		"tokens": {meter.Limits{Tokens: 350_000}, 4, events.CutTokens},
		"cost":   {meter.Limits{MicroUSD: 200_000}, 2, events.CutCost},
		"turns":  {meter.Limits{Turns: 3}, 4, events.CutTurns},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, ramp)
			f := a.follow(stream.Claude, c.limits)
			a.start()
			for i := range c.lines {
				a.token()
				f.until(func(r meter.Reading) bool { return r.Turns == i+1 })
			}
			// The program prints nothing more until the test lets it.
			if got := <-f.cut; got != c.cut {
				t.Errorf("cut by %q after %d lines, want %q", got, c.lines, c.cut)
			}
			a.stop()
			_, u, err := f.m.Summary()
			if want := int64(c.lines) * 100_000; err != nil || u.Tokens() != want || u.MicroUSD != want {
				t.Errorf("used %+v, %v, want %d tokens", u, err, want)
			}
		})
	}
}

func TestALimitCutsInTheMiddleOfWhatCameAtOnce(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 50 {
		b.WriteString(message(fmt.Sprint("m", i), 100_000) + "\n")
	}
	a := newAgent(t, "cat <<'E'\n"+b.String()+"E\nsleep 300")
	f := a.follow(stream.Claude, meter.Limits{Tokens: 350_000})
	a.start()
	if got := <-f.cut; got != events.CutTokens {
		t.Errorf("cut by %q", got)
	}
	if r := f.m.Reading(); r.Usage.Tokens() != 400_000 {
		t.Errorf("%d tokens were read at the cut, want 400000", r.Usage.Tokens())
	}
	a.stop()
	if _, u, err := f.m.Summary(); err != nil || u.Tokens() != 5_000_000 {
		t.Errorf("used %+v, %v, want all that was told", u, err)
	}
}

func TestB39AToolThatIsUsedOverAndOverIsCut(t *testing.T) {
	t.Parallel()
	a := newAgent(t, "while :; do echo '"+toolLine+"'; done")
	f := a.follow(stream.Claude, meter.Limits{Repeats: 40})
	a.start()
	if got := <-f.cut; got != events.CutRepetition {
		t.Errorf("cut by %q", got)
	}
	if r := f.m.Reading(); r.InRow != 40 || r.Repeat.Input != "ls" {
		t.Errorf("the reading is %+v, want 40 times ls", r)
	}
	a.stop()
}

func TestB38TwoToolsInTurnAreCut(t *testing.T) {
	t.Parallel()
	a := newAgent(t, "while :; do echo '"+toolLine+"'; echo '"+strings.ReplaceAll(toolLine, "ls", "pwd")+"'; done")
	f := a.follow(stream.Claude, meter.Limits{Repeats: 5})
	a.start()
	if got := <-f.cut; got != events.CutRepetition {
		t.Errorf("cut by %q", got)
	}
	if r := f.m.Reading(); r.Tools != 12 {
		t.Errorf("%d uses at the cut, want 2 new ones and 10 that were there", r.Tools)
	}
	a.stop()
}

func TestB1AProcessThatStaysAfterItsLastEventIsCut(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"silent":                      "sleep 300",
		"with something on stderr":    "while :; do echo noise >&2; sleep 0.02; done",
		"B-13 with a task that ended": `echo '{"type":"system","subtype":"task_notification","task_id":"1"}'; sleep 300`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := ""
			if strings.HasPrefix(name, "B-13") {
				task = `echo '{"type":"system","subtype":"task_started","task_id":"1"}'; `
			}
			a := newAgent(t, task+"echo '"+initLine+"'; echo '"+resultLine+"'; "+script)
			f := a.follow(stream.Claude, meter.Limits{Tokens: 1, Linger: 100 * time.Millisecond})
			a.start()
			if got := <-f.cut; got != events.CutLinger {
				t.Errorf("cut by %q", got)
			}
			a.stop()
			if s, u, err := f.m.Summary(); err != nil || !s.Ended || u.Tokens() != 10 {
				t.Errorf("the result is not kept: %+v, %+v, %v", s, u, err)
			}
		})
	}
}

func TestAnAgentThatOnlyTriesAgainIsCut(t *testing.T) {
	t.Parallel()
	const retry = `{"type":"system","subtype":"api_retry","session_id":"s","attempt":1,"max_retries":10,"retry_delay_ms":600,"error_status":529,"error":"overloaded"}`
	a := newAgent(t, "echo '"+message("m1", 10)+"'; echo '"+retry+"'; sleep 300")
	f := a.follow(stream.Claude, meter.Limits{Trying: 100 * time.Millisecond})
	a.start()
	if got := <-f.cut; got != events.CutTrying {
		t.Errorf("cut by %q", got)
	}
	a.stop()
}

func TestAnAgentThatWaitsForAnAnswerIsCut(t *testing.T) {
	t.Parallel()
	a := newAgent(t, "echo '"+message("m1", 10)+"'; printf 'Do you want to proceed? (y/n) '; sleep 300")
	f := a.follow(stream.Claude, meter.Limits{Prompt: 100 * time.Millisecond})
	a.start()
	if got := <-f.cut; got != events.CutPrompt {
		t.Errorf("cut by %q", got)
	}
	a.stop()
}

func TestWhatComesAfterALastEventTakesItBack(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{
		"work":              toolLine,
		"a background task": `{"type":"system","subtype":"task_started","task_id":"1"}` + "\n" + message("m2", 5),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, "echo '"+initLine+"'; echo '"+resultLine+"'; read x < $GO; echo '"+more+"'; read x < $GO")
			f := a.follow(stream.Claude, meter.Limits{Linger: time.Hour})
			a.start()
			f.until(func(r meter.Reading) bool { return r.Ended })
			a.token()
			f.until(func(r meter.Reading) bool { return !r.Ended })
			a.token()
			if got := <-f.cut; got != "" {
				t.Errorf("cut by %q", got)
			}
			<-a.done
		})
	}
}

func TestFollowEndsWithTheEffectAndWithItsContext(t *testing.T) {
	t.Parallel()
	a := newAgent(t, "echo '"+initLine+"'")
	f := a.follow(stream.Claude, meter.Limits{}) // before it begins
	a.start()
	if got := <-f.cut; got != "" {
		t.Errorf("cut by %q", got)
	}
	<-a.done
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := newAgent(t, "true")
	m := meter.New(meter.Config{Dir: never.dir, Format: stream.Claude})
	if cut, err := m.Follow(ctx); cut != "" || err != nil {
		t.Errorf("follow without an effect: %q, %v", cut, err)
	}
	s, u, err := m.Summary()
	if s.Lines != 0 || u.TokensFrom != events.Guessed || err != nil {
		t.Errorf("an effect that never began: %+v, %+v, %v", s, u, err)
	}
}

func TestB75WhatWasUsedIsToldBySource(t *testing.T) {
	t.Parallel()
	codexLine := `{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":30}}`
	before := events.Usage{Input: 10, CacheRead: 100, Output: 10, TokensFrom: events.Reported}
	sub := `{"type":"assistant","parent_tool_use_id":"t9","message":{"id":"sub","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":7,"output_tokens":0}}}`
	for name, c := range map[string]struct {
		format stream.Format
		lines  []string
		before events.Usage
		want   events.Usage
	}{
		"a total of the program replaces the sum of its lines": {
			stream.Claude,
			[]string{initLine, message("a", 5), resultLine},
			before,
			events.Usage{Input: 9, Output: 1, TokensFrom: events.Reported, MicroUSD: 10, CostFrom: events.Computed, Prices: "2026-11-01", Turns: 1},
		},
		"lines count where the total never came, sub-agents and parts of a message once": {
			stream.Claude,
			[]string{initLine, message("a", 5), message("a", 5), sub, sub},
			events.Usage{},
			events.Usage{Input: 12, TokensFrom: events.Reported, MicroUSD: 12, CostFrom: events.Computed, Prices: "2026-11-01", Turns: 1},
		},
		"a reported cost is not computed": {
			stream.Claude,
			[]string{initLine, strings.Replace(resultLine, `"num_turns"`, `"total_cost_usd":0.5,"num_turns"`, 1)},
			events.Usage{},
			events.Usage{Input: 9, Output: 1, TokensFrom: events.Reported, MicroUSD: 500_000, CostFrom: events.Reported, Turns: 1},
		},
		"what a session had used before is taken off, and never more than there is": {
			stream.Codex,
			[]string{codexLine},
			before,
			events.Usage{Input: 30, Output: 20, TokensFrom: events.Reported, CostFrom: events.SourceUnknown},
		},
		"an agent that worked and told nothing is unknown": {
			stream.Claude,
			[]string{initLine, toolLine},
			events.Usage{},
			events.Usage{TokensFrom: events.SourceUnknown, CostFrom: events.SourceUnknown},
		},
		"an agent that did nothing used nothing": {
			stream.Codex,
			[]string{`{"type":"thread.started","thread_id":"0199"}`, `{"type":"turn.failed","error":{"message":"unexpected status 401"}}`},
			before,
			events.Usage{TokensFrom: events.Guessed, CostFrom: events.Guessed},
		},
		"the silence of a program without a stream says nothing": {
			stream.Text, nil, events.Usage{}, events.Usage{TokensFrom: events.SourceUnknown, CostFrom: events.SourceUnknown},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, "cat <<'E'\n"+strings.Join(c.lines, "\n")+"\nE\n")
			a.start()
			<-a.done
			m := meter.New(meter.Config{Dir: a.dir, Format: c.format, Before: c.before, Price: price})
			_, got, err := m.Summary()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if again := must(m.Summary()); again != got {
				t.Errorf("asked again: %+v", again)
			}
		})
	}
}

func must(_ stream.Summary, u events.Usage, err error) events.Usage {
	if err != nil {
		panic(err)
	}
	return u
}

// burst is a script that prints 700 KB of steps for each token, each of 10
// tokens, three times.
const burst = `n=0; for b in 1 2 3; do read x < "$GO"; i=0; while [ $i -lt 1000 ]; do n=$((n+1)); i=$((i+1))
printf '{"type":"step_finish","part":{"id":"p%s","reason":"tool-calls","tokens":{"input":10,"output":0},"x":"%0600d"}}\n' $n 0; done; done`

func TestAMeterGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	a := newAgent(t, burst)
	a.spec.Head, a.spec.Tail = 4<<10, 5<<18
	a.start()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reads := make(chan meter.Reading, 10000)
	first := meter.New(meter.Config{Dir: a.dir, Format: stream.Opencode, Live: func(r meter.Reading) { reads <- r }})
	over := make(chan error, 1)
	go func() {
		_, err := first.Follow(ctx)
		over <- err
	}()
	for _, tokens := range []int64{10_000, 20_000} {
		a.token()
		for r := range reads {
			if r.Usage.Tokens() == tokens {
				break
			}
		}
	}
	cancel() // the daemon dies
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	a.token()
	if out := <-a.done; !out.Truncated {
		t.Fatal("nothing was dropped")
	}

	second := meter.New(meter.Config{Dir: a.dir, Format: stream.Opencode, Limits: meter.Limits{Tokens: 25_000}})
	cut, err := second.Follow(t.Context())
	if err != nil || cut != events.CutTokens || second.Reading().Usage.Tokens() != 25_000 {
		t.Errorf("cut by %q at %+v, %v, want at 25000 tokens", cut, second.Reading(), err)
	}
	s, u, err := second.Summary()
	if err != nil || u.Tokens() != 30_000 || s.Lines != 3000 || second.Reading().Partial {
		t.Errorf("after a restart: %d tokens of %d lines, %v, want all", u.Tokens(), s.Lines, err)
	}

	if err := os.Remove(filepath.Join(a.dir.Path(), "meter.json")); err != nil {
		t.Fatal(err)
	}
	third := meter.New(meter.Config{Dir: a.dir, Format: stream.Opencode})
	_, u, err = third.Summary()
	if err != nil || u.Tokens() >= 30_000 || u.Tokens() == 0 || u.TokensFrom != events.SourceUnknown || !third.Reading().Partial {
		t.Errorf("without a checkpoint: %+v, partial %v, %v", u, third.Reading().Partial, err)
	}
}

func TestAClockThatIsPutForwardAndBackCutsNothing(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"forward": 8 * time.Hour, "back": -8 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, "echo '"+initLine+"'; echo '"+resultLine+"'; read x < $GO; echo '"+toolLine+"'; read x < $GO")
			var shift atomic.Int64
			reads := make(chan meter.Reading, 100)
			m := meter.New(meter.Config{
				Dir: a.dir, Format: stream.Claude, Limits: meter.Limits{Linger: time.Hour},
				Now:  func() time.Time { return time.Now().Add(time.Duration(shift.Load())) },
				Live: func(r meter.Reading) { reads <- r },
			})
			cut := make(chan events.Cut, 1)
			go func() {
				c, err := m.Follow(t.Context())
				if err != nil {
					t.Error(err)
				}
				cut <- c
			}()
			a.start()
			for r := <-reads; !r.Ended; r = <-reads {
			}
			shift.Store(int64(by)) // as it lingers
			a.token()
			for r := <-reads; r.Tools == 0; r = <-reads {
			}
			a.token()
			if got := <-cut; got != "" {
				t.Errorf("cut by %q", got)
			}
			<-a.done
		})
	}
}
