package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autopilot/daemon/engine"
	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file plays runs of a workflow with every kind of gate against who works
// and who looks: they do, say and send whatever they can, at any time. What made
// a run done is then read from its log alone (sim_proof_test.go).

const everySource = `name: every
version: 1
phases:
  - name: plan
    prompt: plan.md
    entry: [{name: wanted, kind: approval, of: [prd.md]}]
    changes: [plan.md]
    produces: [plan.md]
    gates:
      - {name: clear, kind: interview, role: asker, rounds: 3, ambiguity: 20, weights: {intent: 60, scope: 40}}
      - {name: agreed, kind: consensus, roles: [architect, critic], of: [plan.md]}
      - {name: approved, kind: approval, of: [plan.md]}
  - name: build
    prompt: work.md
    gates:
      - goals
      - protected
      - {name: there, kind: command, run: test -f there}
      - {name: calm, kind: repeat, run: make test, times: 3}
      - {name: inside, kind: scope, files: ["src/**"]}
      - {name: red, kind: red, run: make accept, files: ["tests/**"]}
      - {name: kept, kind: anchor, of: [plan.md]}
      - {name: told, kind: session}
  - name: check
    gates:
      - {name: covered, kind: coverage, role: critic, of: [plan.md]}
      - {name: reviewed, kind: review, role: critic}
    unclean: build
  - {name: use, gates: [{name: used, kind: qa, role: user}], unclean: build}
roles: {asker: {prompt: a.md}, architect: {prompt: a.md}, critic: {prompt: c.md}, user: {prompt: u.md}}
limits: {cycles: 4}
`

// everyFlow is that workflow, and every gate of a run by it.
func everyFlow() (workflow.Workflow, []events.Gate) {
	w, err := workflow.Parse([]byte(everySource))
	if err != nil {
		panic(err)
	}
	gates := []events.Gate{
		{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal},
		{Name: "protected", Kind: events.GateProtected, Role: events.RoleInvariant},
		{Name: "wanted", Kind: events.GateApproval, Phase: "plan"},
		{Name: "plan-files", Kind: events.GateArtifact, Phase: "plan"},
		{Name: "plan-scope", Kind: events.GateScope, Phase: "plan"},
		{Name: "clear", Kind: events.GateInterview, Phase: "plan", Roles: []events.Name{"asker"}, Most: 3, Clear: 20},
		{Name: "agreed", Kind: events.GateConsensus, Phase: "plan", Roles: []events.Name{"architect", "critic"}},
		{Name: "approved", Kind: events.GateApproval, Phase: "plan"},
		{Name: "there", Kind: events.GateCommand, Phase: "build"},
		{Name: "calm", Kind: events.GateRepeat, Phase: "build"},
		{Name: "inside", Kind: events.GateScope, Phase: "build"},
		{Name: "red", Kind: events.GateRed, Phase: "build"},
		{Name: "kept", Kind: events.GateAnchor, Phase: "build"},
		{Name: "told", Kind: events.GateSession, Phase: "build"},
		{Name: "covered", Kind: events.GateCoverage, Phase: "check", Roles: []events.Name{"critic"}},
		{Name: "reviewed", Kind: events.GateReview, Phase: "check", Roles: []events.Name{"critic"}},
		{Name: "check-scope", Kind: events.GateScope, Phase: "check"},
		{Name: "used", Kind: events.GateQA, Phase: "use", Roles: []events.Name{"user"}},
		{Name: "use-scope", Kind: events.GateScope, Phase: "use"},
	}
	for i := range gates {
		if gates[i].Role == "" {
			gates[i].Role = events.RoleCheck
		}
	}
	return w, gates
}

// content is what a work tree holds, as far as gates look at it. Its name as a
// tree says all of it.
type content struct {
	Prd, Plan int // versions; plan 0 is not written
	Code      int // version; tests pass from 1 on
	Bad       bad // what is wrong with it
}

// bad names each gate that a content does not pass.
type bad map[events.Name]bool

func (c content) tree() events.Tree {
	t := fmt.Sprintf("prd%d,plan%d,code%d", c.Prd, c.Plan, c.Code)
	for _, g := range spoiled {
		if c.Bad[g] {
			t += "," + string(g)
		}
	}
	return events.Tree(t)
}

// contentOf reads the name of a tree.
func contentOf(t events.Tree) content {
	c := content{Bad: bad{}}
	for i, part := range strings.Split(string(t), ",") {
		switch i {
		case 0:
			c.Prd = numbered(part, "prd")
		case 1:
			c.Plan = numbered(part, "plan")
		case 2:
			c.Code = numbered(part, "code")
		default:
			c.Bad[events.Name(part)] = true
		}
	}
	return c
}

func numbered(part, name string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(part, name))
	if err != nil {
		panic(err) // no tree of this model
	}
	return n
}

// spoiled are the gates that a content can fail by itself.
var spoiled = []events.Name{"test", "protected", "there", "calm", "inside", "red", "plan-scope"}

// set is what a gate is about, hashed.
func (c content) set(gate events.Name) string {
	switch gate {
	case "wanted":
		return fmt.Sprintf("set-prd%d", c.Prd)
	case "approved", "agreed", "plan-files":
		return fmt.Sprintf("set-plan%d", c.Plan)
	default:
		return "set-" + string(c.tree())
	}
}

// crook works, looks and sends what it likes, and is judged as the daemon judges:
// by what is in the work tree, and by what its own processes were seen to do.
type crook struct {
	mu     sync.Mutex // for those that change
	live   content    // the work tree, which it changes at any time
	deeds  []deed     // of its turns at work; the last repeats
	words  []word     // of its roles; the last repeats
	turns  int
	looks  int
	driven bool
}

// deed is what is done in one turn of work.
type deed struct {
	content
	Claim  events.Claim
	Asks   bool
	Report events.SessionReport
	Fails  bool
}

// word is what a session of a role says, and does.
type word struct {
	events.Opinion
	Void  events.Void
	Spoil bool // it changes the work
}

func (w *crook) BeginAgent(_ context.Context, _ run.State, act engine.RunAgent) (events.Data, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.live.tree()
	return events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Effect: fmt.Sprintf("a-%d-%d", act.Iteration, act.Attempt), Tree: t, Work: t,
	}, nil
}

// ended is what the daemon sees of the next turn, or of none.
func (w *crook) ended(l events.IterationStarted, works bool) events.AgentEnded {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := deed{content: w.live}
	if works {
		d = nth(w.deeds, w.turns)
		w.turns++
	}
	c := d.content
	if l.Phase != "plan" {
		c.Plan = max(c.Plan, w.live.Plan) // it is there, and may be changed
	}
	w.live = c
	out := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect, Outcome: events.Exited,
		DurationMS: 60_000, Tree: c.tree(), Work: c.tree(), Claim: d.Claim, Report: d.Report,
	}
	if d.Asks {
		out.Question, out.Asks = "q", events.Asks{Kind: events.AskChoice, Options: 2, Recommended: 1}
	}
	if d.Fails {
		out.Exit, out.Result = 1, events.ResultAgentError
	}
	return out
}

func (w *crook) Agent(ctx context.Context, s run.State, end <-chan struct{}) (events.AgentEnded, error) {
	l := s.Last.Start
	var works <-chan time.Time
	if !w.driven {
		works = time.After(time.Minute)
	}
	select {
	case <-ctx.Done():
		return events.AgentEnded{}, ctx.Err()
	case <-end:
		d := w.ended(l, false)
		d.Outcome = events.Stopped
		return d, nil
	case <-works:
	}
	return w.ended(l, true), nil
}

func (w *crook) BeginGates(_ context.Context, _ run.State, act engine.RunGates) (events.GatesStarted, error) {
	return events.GatesStarted{Phase: act.Phase, Iteration: act.Iteration, Entry: act.Entry}, nil
}

// Gates judges what is in the work tree now.
func (w *crook) Gates(ctx context.Context, s run.State, end <-chan struct{}) (events.GatesJudged, error) {
	select {
	case <-ctx.Done():
		return events.GatesJudged{}, ctx.Err()
	case <-end:
		return events.GatesJudged{}, context.Canceled
	case <-time.After(time.Second):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.live.tree()
	d := events.GatesJudged{Phase: s.Loop.Phase, Iteration: s.Last.Gates.Iteration, Entry: s.Last.Gates.Entry, Tree: t, Work: t}
	if d.Iteration == 0 && !d.Entry {
		d.Results = []events.GateResult{
			{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1},
			{Gate: "protected", Kind: events.GateProtected, Role: events.RoleInvariant, Verdict: events.Pass, Reason: events.ReasonUnchanged},
		}
		return d, nil
	}
	_, gates := everyFlow()
	for _, g := range gates {
		if w.asked(s, g) {
			d.Results = append(d.Results, w.judge(s, g))
		}
	}
	return d, nil
}

// asked says that a gate is judged now. The gates of the run are so in the phase
// that they prove, and in the last one again.
func (w *crook) asked(s run.State, g events.Gate) bool {
	switch {
	case s.Last.Gates.Entry || g.Name == "wanted":
		return s.Last.Gates.Entry && g.Name == "wanted"
	case g.Phase == "":
		return s.Loop.Phase == "build" || s.Loop.Phase == "use"
	}
	return g.Phase == s.Loop.Phase
}

func (w *crook) judge(s run.State, g events.Gate) events.GateResult {
	r := events.GateResult{Gate: g.Name, Kind: g.Kind, Role: g.Role, Verdict: events.Pass, Reason: events.ReasonExit}
	fails := w.live.Bad[g.Name]
	switch g.Kind {
	case events.GateApproval, events.GateConsensus, events.GateReview, events.GateQA, events.GateCoverage, events.GateInterview:
		r.Verdict, r.Reason, r.Set = events.Open, events.ReasonNobody, w.live.set(g.Name)
		return r
	case events.GateArtifact:
		fails, r.Set = w.live.Plan == 0, w.live.set(g.Name)
	case events.GateProtected:
		if r.Reason = events.ReasonUnchanged; fails {
			r.Reason = events.ReasonPinChanged
		}
	case events.GateAnchor:
		if r.Reason = events.ReasonUnchanged; !w.moored(s) {
			fails, r.Reason = true, events.ReasonPinChanged
		}
	case events.GateSession:
		v := rule.Session(rule.SessionEnd{Report: s.Last.Agent.Report, Failed: s.Last.Agent.Exit != 0}, rule.SessionLimits{Stall: rule.StallDefault, Carryover: rule.CarryoverDefault})
		fails, r.Reason = v.Reason != events.ReasonReported, v.Reason
	case events.GateScope:
		if g.Phase == "check" || g.Phase == "use" {
			fails = w.live.tree() != s.Loop.Entered.Tree
		}
	default:
		fails = fails || g.Name == "test" && w.live.Code == 0
	}
	if fails {
		r.Verdict = events.Fail
	}
	return r
}

// moored: the plan is the one that a person approved last.
func (w *crook) moored(s run.State) bool {
	for i := len(s.Answers) - 1; i >= 0; i-- {
		if a := s.Answers[i]; a.Gate == "approved" && a.Choice == events.ChoiceOK {
			return a.Set == w.live.set("approved")
		}
	}
	return false
}

func (w *crook) BeginRole(_ context.Context, s run.State, act engine.RunRole) (events.Data, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.live.tree()
	return events.RoleStarted{Gate: act.Gate, Role: act.Role, Set: act.Set, Round: act.Round, Agent: events.IterationStarted{
		Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Effect: fmt.Sprintf("r-%d-%d", s.Log.Seq, s.Loop.Losses), Tree: t, Work: t,
	}}, nil
}

func (w *crook) Role(ctx context.Context, s run.State, end <-chan struct{}) (events.RoleEnded, error) {
	l, stopped := s.Last.Role, false
	select {
	case <-ctx.Done():
		return events.RoleEnded{}, ctx.Err()
	case <-end:
		stopped = true
	case <-time.After(time.Minute):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	says := nth(w.words, w.looks)
	w.looks++
	if says.Verdict == events.RulingApprove && l.Gate == "used" {
		says.Verdict = events.RulingPassed // it knows what is asked for
	}
	if says.Spoil {
		w.live.Code++
	}
	t := w.live.tree()
	d := events.RoleEnded{Gate: l.Gate, Role: l.Role, Set: l.Set, Round: l.Round, Opinion: says.Opinion, Void: says.Void, Agent: events.AgentEnded{
		Effect: l.Agent.Effect, Outcome: events.Exited, Tree: t, Work: t,
	}}
	switch {
	case stopped:
		d.Void, d.Agent.Outcome = events.VoidNotEnded, events.Stopped
	case d.Void == "" && t != l.Agent.Tree:
		d.Void = events.VoidChanged
	case d.Void == "" && w.live.set(l.Gate) != l.Set:
		d.Void = events.VoidStale
	}
	if d.Void != "" {
		d.Opinion = events.Opinion{}
	}
	return d, nil
}

func (w *crook) Ask(_ context.Context, s run.State, act engine.Ask) (events.QuestionAsked, error) {
	d := events.QuestionAsked{
		Number: s.Questions + 1, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Gate: act.Gate, Kind: act.Kind, Set: act.Set,
		Assurance: events.AssuredTTY, Tree: s.Last.Tree, Text: "q",
	}
	if act.Gate == "" {
		d.Options, d.Recommended = 2, 1
	}
	return d, nil
}

func (w *crook) Recorded(context.Context, run.State) error { return nil }
func (w *crook) Text(context.Context, string) events.Ref   { return "e" }

func (w *crook) flow(context.Context, run.State) (workflow.Workflow, error) {
	f, _ := everyFlow()
	return f, nil
}

func (w *crook) start() events.RunStarted {
	_, gates := everyFlow()
	d := events.RunStarted{
		Handle: "simr", Project: "p", Phase: "plan", Tree: w.live.tree(), Work: w.live.tree(), Limits: events.Limits{Iterations: 6},
		Gates: gates, Idle: []events.Name{"check", "use"}, Proves: []events.Name{"build"},
	}
	if w.driven {
		d.Driver = events.DriverSession
	}
	return d
}

// trick is what an agent side sends to the daemon besides.
type trick string

var tricks = []trick{
	"join", "join-other", "leave", "submit", "submit", "submit", "submit-forged", "submit-again",
	"answer-bare", "answer-session", "answer-other-set", "answer-old", "answer-next", "answer-text", "answer-choice", "skip",
	"edit", "edit-plan", "edit-back", "resume", "resume-plan", "stop", "stop-now", "again",
}

// cheat carries a trick out. That it is refused is no error: what matters is what
// a run is done by.
func (w *crook) cheat(ctx context.Context, f *fleet, s run.State, k trick, n int) {
	do := func(c engine.Command) { _, _ = f.do(ctx, s.ID, c, "session:claude-7@sim", fmt.Sprintf("cheat-%d", n)) }
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
func (w *crook) person(ctx context.Context, f *fleet, s run.State, no bool) bool {
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
	after, err := f.do(ctx, s.ID, c, "person:1@sim/pts/1", fmt.Sprintf("answer-%d", q.Number))
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
	f := newFleet(ctx, newJournal(l, "sim", time.Now), p.crook, "sim", time.Now, slog.New(slog.DiscardHandler), p.flow)
	s, err := f.begin(ctx, "01SIMR", p.start(), "local:0@sim/1", "req")
	if err != nil {
		t.Fatal(err)
	}
	for turn := 0; s.Status != run.Over; turn++ {
		changed := f.wait()
		s, _ = f.state(s.ID)
		switch k, has := p.trick(); {
		case s.Status == run.Over:
		case has:
			p.cheat(ctx, f, s, k, turn)
		case len(p.replies) > 0 && p.person(ctx, f, s, nth(p.replies, max(s.Questions-1, 0))):
		case p.driven && s.Status == run.Live && s.Stage == run.Agent && turn < 100:
			p.cheat(ctx, f, s, "submit", turn)
		case s.Status == run.Halted || turn > 400 || s.Stage == run.Asking:
			_, _ = f.do(ctx, s.ID, engine.Stop{Mode: events.StopCancel}, "local:0@sim/1", fmt.Sprintf("cancel-%d", turn))
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
		}
	}
	die()
	f.wg.Wait()
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
