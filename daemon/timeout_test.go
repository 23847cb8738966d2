package daemon

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
	"autopilot/projections/when"
)

// within sets limits in milliseconds; zero is the workflow's.
func within(idle, attempt, gate int64) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) {
		r.Timeouts = wire.Timeouts{IdleMS: idle, AttemptMS: attempt, GateMS: gate}
	}
}

// said is what people were told of a run, line by line.
func (s *site) said(st run.State) string {
	s.t.Helper()
	var b strings.Builder
	var at run.State
	for stored, err := range s.d.Log.Read(s.t.Context(), events.Run(st.ID), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		at = run.Evolve(at, stored.Event)
		b.WriteString(explain.Line(at, stored.Event) + "\n")
	}
	return b.String()
}

func hasAll(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("nothing says %q:\n%s", p, text)
		}
	}
}

// Field reports, B-2: an agent that hangs is told from one that takes its time, and costs no
// more than two limits.
func TestAnAgentThatAlwaysHangsHaltsAfterTheSecond(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ agent, says string }{
		"from its start":  {"exec sleep 300", "iteration 1: the agent hung without a change (1 of 2); the attempt does not count, and the next one begins at once"},
		"after some work": {`echo "$AUTOPILOT_EFFECT" >> work; echo said; exec sleep 300`, "iteration 1: fail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"a": "x"})
			st := s.play(s.spec("test -e ok", c.agent, within(400, 0, 0)))
			s.wants(st, "halted:agent-hung")
			text := s.said(st)
			if n := len(regexp.MustCompile(`agent hung, silent for \S+s \(limit --idle 400ms\), and was ended`).FindAllString(text, -1)); n != 2 {
				t.Errorf("%d agents hung:\n%s", n, text)
			}
			hasAll(t, text, c.says, "halted: the agent hung 2 times in a row, without output, CPU time or a changed file; it was silent for ", "and the limit is 400ms (--idle)")
			if v := s.d.api.View(st); v.Exit != wire.ExitLimit || v.Timeouts.IdleMS != 400 || v.Timeouts.AttemptMS != when.DefaultAttempt.Milliseconds() {
				t.Errorf("exit %d, limits %+v", v.Exit, v.Timeouts)
			}
		})
	}
}

func TestTheAgentAfterOneThatHungIsToldAndGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	told := filepath.Join(t.TempDir(), "told")
	st := s.play(s.spec("test -e ok", `if test -e `+told+`; then cat > `+told+`; touch ok; else touch `+told+`; exec sleep 300; fi`, within(400, 0, 0)))
	s.wants(st, "done")
	prompt, err := os.ReadFile(told)
	if err != nil || !strings.Contains(string(prompt), "for 400ms it printed nothing, used no CPU time and changed no file") {
		t.Errorf("%v %s", err, prompt)
	}
	if strings.Contains(string(prompt), "--idle") {
		t.Error("an agent is told the flag")
	}
}

// TestASilentAgentThatWorksIsNotHung: work is CPU time, or files that change.
func TestASilentAgentThatWorksIsNotHung(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]string{
		"it computes":   "while test $(($(date +%s%N)/1000000)) -lt $end; do i=0; while test $i -lt 3000; do i=$((i+1)); done; done",
		"files change":  "n=0; while test $(($(date +%s%N)/1000000)) -lt $end; do n=$((n+1)); echo $n > n; sleep 0.2; done",
		"it prints":     "while test $(($(date +%s%N)/1000000)) -lt $end; do echo tick; sleep 0.2; done",
		"no limit, off": "sleep 2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := int64(800)
			if strings.Contains(name, "off") {
				limit = -1
			}
			s := newSite(t, map[string]string{"a": "x"})
			s.d.Consent.People = proctest.Seat{} // a person may lift limits
			v, err := s.d.api.RunStart(t.Context(), s.seated(), s.spec("test -e ok", "end=$(($(date +%s%N)/1000000+2000)); "+work+"; touch ok", within(limit, 0, 0)))
			if err != nil {
				t.Fatal(err)
			}
			st := s.until(v.ID, settled)
			s.wants(st, "done")
			if st.Last.Agent.DurationMS < 1900 || st.Loop.Attempt != 1 {
				t.Errorf("attempt %d took %d ms", st.Loop.Attempt, st.Last.Agent.DurationMS)
			}
		})
	}
}

// TestAnAgentThatPrintsForEverIsEndedAtItsTimeLimit: what it has changed is judged.
func TestAnAgentThatPrintsForEverIsEndedAtItsTimeLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	told := filepath.Join(t.TempDir(), "told")
	st := s.play(s.spec("test -e ok", `case $AUTOPILOT_ITERATION in 1) touch b; while :; do echo busy; sleep 0.05; done;; 2) cat > `+told+`; touch ok;; esac`, within(0, 700, 0)))
	s.wants(st, "done")
	hasAll(t, s.said(st), "iteration 1: agent was ended at its time limit of 700ms (--iteration-timeout) after", "iteration 1: fail")
	prompt, err := os.ReadFile(told)
	if err != nil || !strings.Contains(string(prompt), "The agent before you was ended at its time limit of 700ms.") {
		t.Errorf("%v %s", err, prompt)
	}
}

func TestAGateThatTakesTooLongFailsAndNamesItsLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	st := s.play(s.spec("test -e b || exit 1; test -e ok || sleep 300", `case $AUTOPILOT_ITERATION in 1) touch b;; *) touch ok;; esac`, within(0, 0, 900)))
	s.wants(st, "done")
	hasAll(t, s.said(st), "goal fail (ended at its time limit of 900ms (--gate-timeout))")
	if st.Loop.Iteration != 2 || st.Last.Before[0].Reason != events.ReasonTimeout || st.Last.Before[0].Limit != 900 {
		t.Errorf("iteration %d after %+v", st.Loop.Iteration, st.Last.Before)
	}
	if got := s.d.api.Text(st.Last.Before[0].Excerpt); !strings.HasPrefix(got, "Ended at its time limit of 900ms: it did not finish.\n") || strings.Contains(got, "--gate") {
		t.Errorf("the next agent is told %q", got)
	}
}

// TestALimitOfARunIsKeptByTheNextDaemon: it is stored with the run.
func TestALimitOfARunIsKeptByTheNextDaemon(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	s.configure("limits: {idle: 10m, iteration_timeout: 90m, gate_timeout: 5m}\n")
	v := s.start(s.spec("test -e ok", "while ! test -e go; do sleep 0.05; done; touch ok"))
	st := s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	want := wire.Timeouts{IdleMS: 600_000, AttemptMS: 5_400_000, GateMS: 300_000}
	if v.Timeouts != want || st.Last.Start.IdleMS != want.IdleMS || st.Last.Start.WallMS != want.AttemptMS {
		t.Errorf("shown %+v, agent %+v", v.Timeouts, st.Last.Start)
	}
	s.configure("limits: {idle: 1s}\n")
	s.close()
	s.open()
	if got := s.d.api.View(s.state(v.ID)).Timeouts; got != want {
		t.Errorf("after a restart %+v", got)
	}
	s.write(map[string]string{"go": ""})
	s.wants(s.until(v.ID, settled), "done")
}

func TestAChatLowersLimitsAndRaisesNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	s.configure("limits: {idle: 10m}\n")
	c := s.chat()
	_, err := s.d.api.RunStart(t.Context(), c.request(), s.spec("test -e ok", "touch ok", within(660_000, 0, 0)))
	refusedAs(t, "a chat that wants more", err, wire.Denied, "a chat cannot raise --idle from 10m to 11m")
	_, err = s.d.api.RunPreview(t.Context(), c.request(), s.spec("test -e ok", "touch ok", within(0, 0, 3_600_000)))
	refusedAs(t, "a chat that wants more than the default", err, wire.Denied, "a chat cannot raise --gate-timeout from 30m to 1h")
	v, err := s.d.api.RunStart(t.Context(), c.request(), s.spec("test -e ok", "touch ok", within(60_000, 0, 0)))
	if err != nil || v.Timeouts.IdleMS != 60_000 {
		t.Fatalf("%+v %v", v.Timeouts, err)
	}
	s.wants(s.until(v.ID, settled), "done")
}

// TestTheRunEndsWithinHalfAnHourOfAHang: with the limits that it has by default, however
// often an agent hangs and whatever it changes before.
func TestTheRunEndsWithinHalfAnHourOfAHang(t *testing.T) {
	t.Parallel()
	flow, _, err := workflow.Shipped("converge")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	for _, changes := range []bool{false, true} {
		var s run.State
		seq, now := uint64(0), at
		add := func(d events.Data) {
			seq++
			s = run.Evolve(s, events.Event{Aggregate: events.Run("01R"), Seq: seq, Time: now, Data: d})
		}
		bad := []events.GateResult{{Gate: "goal", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1}}
		add(events.RunStarted{Handle: "k3xq", Phase: "work", Limits: events.Limits{Iterations: 10}, Tree: "t0", Work: "t0", Gates: []events.Gate{{Name: "goal", Kind: events.GateCommand, Role: events.RoleGoal}}})
		add(events.GatesStarted{Phase: "work"})
		add(events.GatesJudged{Phase: "work", Results: bad, Tree: "t0", Work: "t0"})
		for s.Status == run.Live {
			switch act := engine.Next(s, flow, now).(type) {
			case engine.RunAgent:
				add(events.IterationStarted{Phase: "work", Iteration: act.Iteration, Attempt: act.Attempt, Effect: "E", Tree: s.Last.Tree, Work: s.Last.Work, IdleMS: flow.Limits.Agent.Idle.Milliseconds()})
				now = now.Add(flow.Limits.Agent.Idle*9/8 + flow.Limits.Agent.Grace)
				left := s.Last.Tree
				if changes {
					left += "x"
				}
				add(events.AgentEnded{Phase: "work", Iteration: act.Iteration, Attempt: act.Attempt, Effect: "E", Outcome: events.IdleTimeout, Exit: -1, Result: events.ResultIdleTimeout, Tree: left, Work: left})
			case engine.RunGates:
				add(events.GatesStarted{Phase: "work", Iteration: act.Iteration})
				add(events.GatesJudged{Phase: "work", Iteration: act.Iteration, Results: bad, Tree: s.Last.Tree, Work: s.Last.Work})
			case engine.Record:
				add(act.IterationRecorded)
			case engine.Wait:
				now = act.Until
			case engine.Halt:
				add(act.RunHalted)
			default:
				t.Fatalf("%T", act)
			}
		}
		if took := now.Sub(at); took > 30*time.Minute || s.Halt.Reason != events.HaltAgentHung {
			t.Errorf("changes %v: halted as %s after %v", changes, s.Halt.Reason, took)
		}
	}
}
