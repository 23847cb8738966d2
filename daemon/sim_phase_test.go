package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// This file plays runs of more than one phase, with sessions of roles and
// people who answer, or do not.

const phasedSource = `name: phased
version: 1
phases:
  - name: plan
    prompt: plan.md
    entry: [{name: wanted, kind: approval, of: [prd.md]}]
    produces: [plan.md]
    gates:
      - {name: agreed, kind: consensus, roles: [architect, critic], of: [plan.md]}
      - {name: approved, kind: approval, of: [plan.md]}
  - {name: work, prompt: work.md, gates: [goals, protected, {name: how, kind: session, carryover: 50}]}
  - {name: review, gates: [{name: reviewed, kind: review, role: critic}], unclean: plan}
roles: {architect: {prompt: a.md}, critic: {prompt: c.md}}
rails: {plan: {cycles: 2}}
limits: {cycles: 3}
`

func phasedFlow() workflow.Workflow {
	w, err := workflow.Parse([]byte(phasedSource))
	if err != nil {
		panic(err)
	}
	return w
}

// phases is what happens at gates: the n-th look has the n-th opinion, and the
// n-th question the n-th reply; the last ones repeat.
type phases struct {
	looks   []glance
	replies []reply
	sends   bool            // a run that was halted is sent back with findings, once
	told    []events.Reason // by the gate of kind session, one for each of its iterations
}

// glance is how a session of a role ends.
type glance struct {
	Lost    bool
	Void    events.Void
	Approve bool
}

// reply is what a person does with a question.
type reply string

const (
	replyOK      reply = "ok"
	replyNo      reply = "no"
	replyNever   reply = "never"
	replyChanged reply = "changed" // what it is about has changed
)

func nth[T any](list []T, n int) T { return list[min(n, len(list)-1)] }

func (w *script) start() events.RunStarted {
	d := simStart()
	if d.Crews = w.crews; w.phases == nil {
		return d
	}
	d.Idle = []events.Name{"review"}
	d.Phase = "plan"
	check := func(g events.Gate) events.Gate { g.Role = events.RoleCheck; return g }
	d.Gates = append(d.Gates,
		check(events.Gate{Name: "wanted", Kind: events.GateApproval, Phase: "plan"}),
		check(events.Gate{Name: "agreed", Kind: events.GateConsensus, Phase: "plan", Roles: []events.Name{"architect", "critic"}}),
		check(events.Gate{Name: "approved", Kind: events.GateApproval, Phase: "plan"}),
		check(events.Gate{Name: "how", Kind: events.GateSession, Phase: "work"}),
		check(events.Gate{Name: "reviewed", Kind: events.GateReview, Phase: "review", Roles: []events.Name{"critic"}}))
	return d
}

func waits(gate events.Name, kind events.GateKind, set events.Tree) events.GateResult {
	return events.GateResult{Gate: gate, Kind: kind, Role: events.RoleCheck, Verdict: events.Open, Reason: events.ReasonNobody, Set: string(set)}
}

// judge is what the gates of a phase say before anybody looks.
func (p *phases) judge(s run.State, st step) events.GatesJudged {
	d := events.GatesJudged{
		Phase: s.Loop.Phase, Iteration: s.Last.Gates.Iteration, Entry: s.Last.Gates.Entry, Tree: s.Last.Tree, Work: s.Last.Work,
	}
	switch {
	case d.Entry:
		// Each change that a person is told of makes another set.
		d.Results = []events.GateResult{waits("wanted", events.GateApproval, events.Tree(fmt.Sprintf("prd-%d", s.Questions/3)))}
	case d.Phase == "plan":
		d.Results = []events.GateResult{
			{Gate: "plan-files", Kind: events.GateArtifact, Role: events.RoleCheck, Verdict: events.Pass, Reason: events.ReasonWritten, Set: string(d.Work)},
			waits("agreed", events.GateConsensus, d.Work), waits("approved", events.GateApproval, d.Work),
		}
	case d.Phase == "work":
		test := events.GateResult{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Pass, Reason: events.ReasonExit}
		if st.Failing > 0 {
			test.Verdict, test.Exit, test.FailingSum = events.Fail, 1, fmt.Sprint(st.Failing)
		}
		how := events.GateResult{Gate: "how", Kind: events.GateSession, Role: events.RoleCheck, Verdict: events.Fail, Reason: nth(p.told, d.Iteration-1), Used: 3, Of: 4, Limit: 50}
		if how.Reason == events.ReasonReported {
			how.Verdict = events.Pass
		}
		d.Results = []events.GateResult{test, how}
	default:
		d.Results = []events.GateResult{waits("reviewed", events.GateReview, d.Work)}
	}
	return d
}

func (w *script) BeginRole(_ context.Context, s run.State, act engine.RunRole) (events.Data, error) {
	if w.phases == nil {
		return nil, errors.New("nobody looks in this workflow")
	}
	return events.RoleStarted{Gate: act.Gate, Role: act.Role, Set: act.Set, Agent: events.IterationStarted{
		Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Effect: fmt.Sprintf("r-%d-%d", len(s.Looks), s.Loop.Losses), Tree: s.Last.Tree, Work: s.Last.Work,
	}}, nil
}

func (w *script) Role(ctx context.Context, s run.State, end <-chan struct{}) (events.RoleEnded, error) {
	l, g := s.Last.Role, nth(w.looks, len(s.Looks))
	d := events.RoleEnded{Gate: l.Gate, Role: l.Role, Set: l.Set, Agent: events.AgentEnded{
		Effect: l.Agent.Effect, Outcome: events.Exited, Tree: s.Last.Tree, Work: s.Last.Work,
	}}
	select {
	case <-ctx.Done():
		return d, ctx.Err()
	case <-end:
		d.Agent.Outcome, d.Void = events.Stopped, events.VoidNotEnded
		return d, nil
	case <-time.After(time.Minute):
	}
	switch {
	case g.Lost && s.Loop.Losses < 2:
		d.Agent.Outcome, d.Void = events.Lost, events.VoidNotEnded
	case g.Void != "":
		d.Void = g.Void
	case g.Approve:
		d.Opinion = events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingClear}
	default:
		d.Opinion = events.Opinion{Verdict: events.RulingReject, Findings: 1, List: events.Ref(fmt.Sprintf("l%d", len(s.Looks)))}
	}
	return d, nil
}

// Publish tells of what it is asked for: a run whose work is on no branch of its own
// never asks.
func (w *script) SelectMode(_ context.Context, _ run.State, act engine.SelectMode) (events.ModeSelected, error) {
	return events.ModeSelected{Session: act.Session, Mode: "deep", Confidence: events.RatioOf(0.9), Peers: -1, Cap: -1}, nil
}

func (w *script) Publish(_ context.Context, _ run.State, act engine.Publish) (events.WorkPublished, error) {
	return events.WorkPublished{Phase: act.Phase, Iteration: act.Iteration}, nil
}

func (w *script) Ask(_ context.Context, s run.State, act engine.Ask) (events.QuestionAsked, error) {
	if w.phases == nil {
		return events.QuestionAsked{}, errors.New("nobody is asked in this workflow")
	}
	d := events.QuestionAsked{
		Number: s.Questions + 1, Phase: s.Loop.Phase, Gate: act.Gate, Kind: act.Kind, Set: act.Set, Assurance: events.AssuredTTY,
	}
	if nth(w.replies, s.Questions) == replyNever {
		d.ExpiresMS = w.now().Add(time.Hour).UnixMilli()
	}
	return d, nil
}

// answers plays the person. It says whether the run was changed.
func (w *script) answers(ctx context.Context, f *fleet.Fleet, s run.State) bool {
	if w.phases == nil || s.Stage != run.Asking || s.Question.Expired {
		return false
	}
	q := s.Question
	var c engine.Command
	switch nth(w.replies, q.Number-1) {
	case replyOK:
		c = engine.Answer{QuestionAnswered: events.QuestionAnswered{Number: q.Number, Choice: events.ChoiceOK, Set: q.Set, Assurance: events.AssuredTTY}}
	case replyNo:
		c = engine.Answer{QuestionAnswered: events.QuestionAnswered{
			Number: q.Number, Choice: events.ChoiceNo, Set: q.Set, Findings: events.Ref(fmt.Sprintf("f%d", q.Number)), Count: 1, Assurance: events.AssuredTTY,
		}}
	case replyChanged:
		c = engine.Outdated{Number: q.Number}
	case replyNever:
		return false
	}
	after, err := f.Do(ctx, s.ID, c, "person:1@sim/tty", fmt.Sprintf("answer-%d", q.Number))
	return err == nil && after.Log.Seq > s.Log.Seq
}

func phased() *rapid.Generator[*phases] {
	return rapid.Custom(func(t *rapid.T) *phases {
		return &phases{
			looks: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) glance {
				return glance{
					Lost:    rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "lost"),
					Void:    rapid.SampledFrom([]events.Void{"", "", "", "", events.VoidNoResult, events.VoidChanged}).Draw(t, "void"),
					Approve: rapid.SampledFrom([]bool{true, true, true, false}).Draw(t, "approve"),
				}
			}), 1, 8).Draw(t, "looks"),
			replies: rapid.SliceOfN(rapid.SampledFrom([]reply{replyOK, replyOK, replyOK, replyNo, replyNever, replyChanged}), 1, 6).Draw(t, "replies"),
			sends:   rapid.Bool().Draw(t, "sends"),
			told: rapid.SliceOfN(rapid.SampledFrom([]events.Reason{
				events.ReasonReported, events.ReasonReported, events.ReasonReported, events.ReasonReported, events.ReasonNoReport,
				events.ReasonStall, events.ReasonSpiral, events.ReasonFailedWave, events.ReasonCarryover,
			}), 1, 4).Draw(t, "told"),
		}
	})
}

// phasedScript never ends on asking for ever: the last reply is no change.
func phasedScript(rt *rapid.T) *script {
	w := &script{steps: steps().Draw(rt, "steps"), now: time.Now, phases: phased().Draw(rt, "phases")}
	if rapid.Bool().Draw(rt, "crews") {
		w.crews = []events.Crew{crewOf(2, "work"), {Role: "planner", Phases: []events.Name{"plan"}, Hands: crewOf(2).Hands}}
	}
	if last := len(w.replies) - 1; w.replies[last] == replyChanged {
		w.replies[last] = replyOK
	}
	return w
}

// ended forgets what only says how a run got there.
func ended(s run.State) end {
	e := endOf(s)
	e.Loop.EnteredAt = time.Time{}
	return e
}

// playOn is play with a person who sends a run that was halted back once, with
// findings.
func playOn(t testingT, l log.Log, w *script, kill func(run.State) bool) run.State {
	s := play(t, l, w, kill)
	if s.Status != run.Halted || !w.sends || resumedBefore(t, l) {
		return s
	}
	ctx, die := context.WithCancel(context.Background())
	f := fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: w, Flow: w.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err := f.Load(ctx, engine.Reboot{}); err != nil {
		t.Fatalf("load: %v", err)
	}
	_, err := f.Do(ctx, s.ID, engine.Resume{Findings: "sent", Count: 1, Phase: "plan"}, "person:1@sim/tty", "resume")
	die()
	f.Close()
	if err != nil {
		t.Fatalf("resume after %s: %v", s.Halt.Reason, err)
	}
	return play(t, l, w, kill)
}

func resumedBefore(t testingT, l log.Log) bool {
	for stored, err := range l.ReadAll(context.Background(), "") {
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		if _, is := stored.Event.Data.(events.RunResumed); is {
			return true
		}
	}
	return false
}

func TestPhasesContinueFromAnyPrefixToTheSameEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := phasedScript(rt)
		seed := rapid.Uint64().Draw(rt, "seed")
		synctest.Test(t, func(t *testing.T) {
			l := log.NewMemory(log.MemoryConfig{})
			whole := playOn(t, l, w, nil)
			cutAtRandom(8, seed, whole.Log.Seq, func(n uint64) { // of many: runs of phases are long
				endsTheSame(t, fmt.Sprint("cut after event ", n), ended(whole), ended(playOn(t, copyLog(t, l, n), w, nil)))
			})
		})
	})
}

// killedAtRandom has the daemon die after about half of the events, each once.
func killedAtRandom(seed uint64) func(run.State) bool {
	last, r := uint64(0), rand.New(rand.NewPCG(seed, 2))
	return func(s run.State) bool {
		die := s.Log.Seq > last && r.IntN(2) == 0
		last = s.Log.Seq
		return die
	}
}

func TestPhasesOfADaemonThatIsKilledAtEveryEventEndTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := phasedScript(rt)
		seed := rapid.Uint64().Draw(rt, "seed")
		synctest.Test(t, func(t *testing.T) {
			whole := playOn(t, log.NewMemory(log.MemoryConfig{}), w, nil)
			killed := playOn(t, log.NewMemory(log.MemoryConfig{}), w, killedAtRandom(seed))
			endsTheSame(t, "killed", ended(whole), ended(killed))
		})
	})
}

// Seeds 9, invariants 1 and 3: done needs all evidence of the workflow, and no
// answer is implied by silence.
func TestNoRunOfManyPhasesIsDoneWithoutAllItsEvidence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := phasedScript(rt)
		synctest.Test(t, func(t *testing.T) {
			s := play(t, log.NewMemory(log.MemoryConfig{}), w, nil)
			if s.End == nil || s.End.State != events.EndDone {
				return
			}
			approved := func(gate events.Name) bool {
				return slices.ContainsFunc(s.Answers, func(a run.Answer) bool { return a.Gate == gate && a.Choice == events.ChoiceOK })
			}
			looked := func(gate, role events.Name) bool {
				return slices.ContainsFunc(s.Looks, func(l events.RoleEnded) bool {
					return l.Gate == gate && l.Role == role && l.Void == "" && l.Opinion.Verdict == events.RulingApprove
				})
			}
			if !approved("wanted") || !approved("approved") || !looked("agreed", "architect") || !looked("agreed", "critic") || !looked("reviewed", "critic") {
				t.Fatalf("done without its evidence: answers %+v, looks %+v", s.Answers, s.Looks)
			}
			if s.Loop.Phase != "review" {
				t.Fatalf("done in phase %s", s.Loop.Phase)
			}
		})
	})
}
