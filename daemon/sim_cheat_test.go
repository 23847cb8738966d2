package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// This file plays runs of a workflow with every kind of gate against who works
// and who looks: they do, say and send whatever they can, at any time. What made
// a run done is then read from its log alone (sim_proof_test.go).

// trick is what an agent side sends to the daemon besides.
type trick string

var tricks = []trick{
	"join", "join-other", "leave", "submit", "submit", "submit", "submit-forged", "submit-again",
	"answer-bare", "answer-session", "answer-other-set", "answer-old", "answer-next", "answer-text", "answer-choice", "skip",
	"edit", "edit-plan", "edit-back", "resume", "resume-plan", "stop", "stop-now", "again",
}

// cheat carries a trick out. That it is refused is no error: what matters is what
// a run is done by.
func (w *crook) cheat(ctx context.Context, f *fleet.Fleet, s run.State, k trick, n int) {
	do := func(c engine.Command) { _, _ = f.Do(ctx, s.ID, c, "session:claude-7@sim", fmt.Sprintf("cheat-%d", n)) }
	chat := func(pid int) events.SessionJoined { return events.SessionJoined{PID: pid, Start: 1, Boot: "b"} }
	number, set := s.Questions, "none"
	if s.Question != nil {
		set = s.Question.Set
	}
	answer := func(number int, set string, c events.Choice, a events.Assurance) {
		do(engine.Answer{QuestionAnswered: events.QuestionAnswered{Number: number, Choice: c, Set: set, Assurance: a, Text: "t", Gate: "approved"}})
	}
	turn := func(effect string) {
		l := s.Last.Start
		l.Effect = effect
		do(engine.Report{Data: w.ended(l, true)})
	}
	switch k {
	case "join":
		do(engine.Join{SessionJoined: chat(7)})
	case "join-other":
		do(engine.Join{SessionJoined: chat(8), Gone: chat(9)})
	case "leave":
		do(engine.Leave{SessionJoined: chat(7)})
	case "submit":
		if w.driven {
			turn(s.Last.Start.Effect)
		}
	case "submit-forged":
		turn("a-99-1")
	case "submit-again":
		turn(s.Last.Agent.Effect)
	case "answer-bare":
		answer(number, set, events.ChoiceOK, "")
	case "answer-session":
		answer(number, set, events.ChoiceOK, events.AssuredSession)
	case "answer-other-set":
		answer(number, "set-plan9", events.ChoiceOK, events.AssuredSession)
	case "answer-old":
		answer(number-1, set, events.ChoiceOK, events.AssuredSession)
	case "answer-next":
		answer(number+1, set, events.ChoiceOK, events.AssuredSession)
	case "answer-text":
		answer(number, set, events.ChoiceText, events.AssuredSession)
	case "answer-choice":
		answer(number, set, "a", "")
	case "skip":
		answer(number, set, events.ChoiceSkip, events.AssuredSession)
	default:
		w.meddle(s, k, do)
	}
}

// meddle changes the work tree, or steers the run as any program of the user can.
func (w *crook) meddle(s run.State, k trick, do func(engine.Command)) {
	w.mu.Lock()
	switch k {
	case "edit":
		w.live.Code++
	case "edit-plan":
		w.live.Plan++
	case "edit-back":
		w.live = contentOf(s.Last.Tree)
	}
	w.mu.Unlock()
	switch k {
	case "resume":
		do(engine.Resume{Note: "n"})
	case "resume-plan":
		do(engine.Resume{Findings: "f", Count: 1, Phase: "plan"})
	case "stop":
		do(engine.Stop{Mode: events.StopAfterIteration})
	case "stop-now":
		do(engine.Stop{Mode: events.StopNow})
	}
}

// person answers as one who looks at what there is. What has changed since it was
// shown is presented again.
func (w *crook) person(ctx context.Context, f *fleet.Fleet, s run.State, no bool) bool {
	if s.Status != run.Live || s.Stage != run.Asking {
		return false
	}
	q := *s.Question
	a := events.QuestionAnswered{Number: q.Number, Set: q.Set, Assurance: events.AssuredTTY, Choice: events.ChoiceOK}
	var c engine.Command
	w.mu.Lock()
	changed := q.Gate != "" && w.live.set(q.Gate) != q.Set
	w.mu.Unlock()
	switch {
	case changed:
		c = engine.Outdated{Number: q.Number}
	case q.Kind == events.AskText:
		a.Choice, a.Text = events.ChoiceText, "t"
	case q.Kind == events.AskChoice:
		a.Choice = "a"
	case no:
		a.Choice, a.Findings, a.Count = events.ChoiceNo, "f", 1
	}
	if c == nil {
		c = engine.Answer{QuestionAnswered: a}
	}
	after, err := f.Do(ctx, s.ID, c, "person:1@sim/pts/1", fmt.Sprintf("answer-%d", q.Number))
	return err == nil && after.Log.Seq > s.Log.Seq
}

// played is a game of such a crook: its tricks, and a person if there is one.
type played struct {
	*crook
	tricks  []trick
	replies []bool // of a person, true for no; none without a person
}

// play serves the log until the run is over.
func (p *played) play(t *testing.T) log.Log {
	t.Helper()
	l := log.NewMemory(log.MemoryConfig{})
	ctx, die := context.WithCancel(t.Context())
	f := fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: p.crook, Flow: p.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	s, err := f.Begin(ctx, "01SIMR", p.start(), "local:0@sim/1", "req")
	if err != nil {
		t.Fatal(err)
	}
	for turn := 0; s.Status != run.Over; turn++ {
		changed := f.Wait()
		s, _ = f.State(s.ID)
		switch k, has := p.trick(); {
		case s.Status == run.Over:
		case has:
			p.cheat(ctx, f, s, k, turn)
		case len(p.replies) > 0 && p.person(ctx, f, s, nth(p.replies, max(s.Questions-1, 0))):
		case p.driven && s.Status == run.Live && s.Stage == run.Agent && turn < 100:
			p.cheat(ctx, f, s, "submit", turn)
		case s.Status == run.Halted || turn > 400 || s.Stage == run.Asking:
			_, _ = f.Do(ctx, s.ID, engine.Stop{Mode: events.StopCancel}, "local:0@sim/1", fmt.Sprintf("cancel-%d", turn))
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
		}
	}
	die()
	f.Close()
	return l
}

// trick is the next one; "again" is none, and lets time pass.
func (p *played) trick() (trick, bool) {
	if len(p.tricks) == 0 {
		return "", false
	}
	k := p.tricks[0]
	p.tricks = p.tricks[1:]
	return k, k != "again"
}

// good is what an honest worker does, says and tells.
func good() (deed, word) {
	return deed{content: content{Prd: 1, Plan: 1, Code: 1}, Claim: events.ClaimDone, Report: events.SessionReport{V: 1, Complete: 1, Planned: 1, Completed: 1}},
		word{Opinion: events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingClear, Covered: 1}}
}

func deedOf(t *rapid.T) deed {
	d, _ := good()
	d.Plan, d.Code = rapid.IntRange(0, 2).Draw(t, "plan"), rapid.IntRange(0, 3).Draw(t, "code")
	d.Bad = bad{}
	if rapid.IntRange(0, 2).Draw(t, "spoils") == 0 {
		d.Bad[rapid.SampledFrom(spoiled).Draw(t, "bad")] = true
	}
	d.Asks, d.Fails = rapid.IntRange(0, 5).Draw(t, "asks") == 0, rapid.IntRange(0, 7).Draw(t, "fails") == 0
	d.Claim = rapid.SampledFrom([]events.Claim{events.ClaimDone, events.ClaimDone, events.ClaimProgress, events.ClaimBlocked}).Draw(t, "claim")
	d.Report = rapid.SampledFrom([]events.SessionReport{d.Report, d.Report, d.Report, {}, {V: 1, Spiral: 1}}).Draw(t, "report")
	return d
}

func wordOf(t *rapid.T) word {
	w := word{
		Opinion: events.Opinion{
			Verdict:      rapid.SampledFrom([]events.Ruling{events.RulingApprove, events.RulingApprove, events.RulingPassed, events.RulingReject, ""}).Draw(t, "verdict"),
			Architecture: rapid.SampledFrom([]events.Ruling{events.RulingClear, events.RulingClear, events.RulingBlock}).Draw(t, "architecture"),
			Findings:     rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "findings"),
			Covered:      1, Uncovered: rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "uncovered"),
			Ambiguity: rapid.SampledFrom([]int{0, 20, 21, 90}).Draw(t, "ambiguity"), Question: "q",
		},
		Void:  rapid.SampledFrom([]events.Void{"", "", "", "", "", "", events.VoidNoResult, events.VoidBadResult}).Draw(t, "void"),
		Spoil: rapid.IntRange(0, 15).Draw(t, "spoil") == 0,
	}
	return w
}

// cheating draws a game. Most of what is done is right: who wants to cheat does
// what is needed until it matters.
func cheating(t *rapid.T, person bool) *played {
	honest, nice := good()
	deeds := append(rapid.SliceOfN(rapid.Custom(deedOf), 0, 4).Draw(t, "deeds"), honest)
	words := append(rapid.SliceOfN(rapid.Custom(wordOf), 0, 5).Draw(t, "words"), nice)
	p := &played{
		crook:  &crook{live: content{Prd: 1}, deeds: deeds, words: words, driven: rapid.Bool().Draw(t, "driven")},
		tricks: rapid.SliceOfN(rapid.SampledFrom(tricks), 0, 24).Draw(t, "tricks"),
	}
	if person {
		p.replies = append(rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, true}), 0, 3).Draw(t, "replies"), false)
	}
	return p
}

// An honest run is done, so that the properties below say something.
func TestAnHonestRunWithEveryKindOfGateIsDone(t *testing.T) {
	t.Parallel()
	for _, driven := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, w := good()
			p := &played{crook: &crook{live: content{Prd: 1}, deeds: []deed{d}, words: []word{w}, driven: driven}, replies: []bool{false}}
			done, wrong := proofOf(t, p.play(t))
			if !done || wrong != "" {
				t.Fatalf("driven by a chat %v: done %v, %s", driven, done, wrong)
			}
		})
	}
}

// Seeds 9, invariants 1 and 3; DESIGN 9: evidence is what the daemon saw itself.
// Lessons A19 and A29; seeds 3.6 AL-3 and AL-4: no word of an agent decides.
func TestNothingThatAnAgentSideDoesMakesARunDoneWithoutAllItsEvidence(t *testing.T) {
	t.Parallel()
	dones := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := cheating(rt, true)
		synctest.Test(t, func(t *testing.T) {
			done, wrong := proofOf(t, p.play(t))
			if wrong != "" {
				t.Fatal(wrong)
			}
			if done {
				dones++
			}
		})
	})
	if dones == 0 {
		t.Error("no game was won, so nothing was proven")
	}
	t.Logf("%d were done", dones)
}

func TestNothingThatAnAgentSideDoesMakesARunDoneWithoutAPerson(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := cheating(rt, false)
		synctest.Test(t, func(t *testing.T) {
			if done, _ := proofOf(t, p.play(t)); done {
				t.Fatal("done, and nobody has approved anything")
			}
		})
	})
}
