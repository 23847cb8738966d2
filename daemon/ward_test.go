package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"autopilot/daemon/host/account"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	limits "autopilot/projections/account"
	"autopilot/projections/run"
)

// A ward plays many runs of one account against a provider that says no, on
// the in-memory log and a clock that costs no time.

const simAccount = "0123456789abcdef"

// provider is what all agents of the account work with.
type provider struct {
	mu      sync.Mutex
	takes   int           // at once; zero is any number
	closed  func() bool   // nobody gets an answer now
	result  events.Result // that those get
	reset   func() int64  // what it says of the end, in Unix milliseconds; 0 is nothing
	works   time.Duration // a turn that is let in
	working int
	said    map[string]events.AgentEnded // by effect: an agent that is found again says the same
	calls   []call
}

// call is an agent that has begun.
type call struct {
	Run string
	At  time.Time
	OK  bool
}

func (p *provider) turn(ctx context.Context, s run.State, now func() time.Time) (events.AgentEnded, error) {
	l := s.Last.Start
	d := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect, Outcome: events.Exited,
		Result: events.ResultEnded, Tree: simTree(l.Iteration), Work: simTree(l.Iteration),
		Usage: events.Usage{Output: 10, TokensFrom: events.Reported}, Session: "s1", DurationMS: p.works.Milliseconds(),
	}
	p.mu.Lock()
	ok := (p.takes == 0 || p.working < p.takes) && (p.closed == nil || !p.closed())
	if said, again := p.said[l.Effect]; again {
		p.mu.Unlock()
		return said, nil
	}
	p.calls = append(p.calls, call{s.ID, now(), ok})
	takes := p.works
	if ok {
		p.working++
	} else {
		takes = 2 * time.Second
		d.Result, d.Exit, d.Usage, d.Session, d.DurationMS = p.result, 1, events.Usage{}, "", takes.Milliseconds()
		d.Tree, d.Work = l.Tree, l.Work
		if p.reset != nil {
			d.ResetMS = p.reset()
		}
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if ok {
			p.working--
		}
	}()
	select {
	case <-ctx.Done():
		return d, ctx.Err()
	case <-time.After(takes):
		p.mu.Lock()
		defer p.mu.Unlock()
		p.said[l.Effect] = d
		return d, nil
	}
}

func (p *provider) began() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// refusals counts the agents that got no answer.
func (p *provider) refusals() (n int) {
	for _, c := range p.began() {
		if !c.OK {
			n++
		}
	}
	return n
}

// ward is a daemon's part that has to do with accounts, and the worker of its
// runs. It can be killed and begun again on the same log.
type ward struct {
	t        *testing.T
	log      log.Log
	provider *provider
	offset   atomic.Int64 // of the wall clock
	need     int          // iterations of a run
	effects  atomic.Int64
	broken   atomic.Pointer[string] // what must not be

	*script
	fleet      *fleet.Fleet
	accounts   *account.Calendar
	journal    *journal.Journal
	background background
}

func newWard(t *testing.T, p *provider) *ward {
	p.said = map[string]events.AgentEnded{}
	w := &ward{t: t, log: log.NewMemory(log.MemoryConfig{}), provider: p, need: 2, script: &script{}}
	w.open()
	t.Cleanup(func() { w.close() })
	return w
}

func (w *ward) now() time.Time { return time.Now().Round(0).Add(time.Duration(w.offset.Load())) }

func (w *ward) open() {
	w.t.Helper()
	ctx, die := context.WithCancel(context.Background())
	w.background = background{ctx: ctx, cancel: die}
	w.journal = journal.New(w.log, "sim", w.now)
	quiet := slog.New(slog.DiscardHandler)
	w.fleet = fleet.New(ctx, fleet.Config{Journal: w.journal, Worker: w, Flow: w.flow, Host: "sim", Now: w.now, Log: quiet})
	w.accounts = account.New(account.Config{
		Open: account.Own{Journal: w.journal, Actor: "daemon:sim", Log: quiet}.Open, Runs: w.fleet, Actor: "daemon:sim", Now: w.journal.Now, Log: quiet,
	})
	w.fleet.Tell(fleet.Listener{Loading: w.accounts.Load, Noted: w.accounts.Note})
	if err := w.fleet.Load(ctx, engine.Reboot{}); err != nil {
		w.t.Fatal(err)
	}
	w.background.Go(func() { w.accounts.Run(ctx) })
}

func (w *ward) close() {
	w.background.cancel()
	w.fleet.Close()
	w.background.Wait()
}

// again is the next daemon.
func (w *ward) again() {
	w.close()
	w.open()
}

func (w *ward) begin(n int, change ...func(*events.RunStarted)) string {
	w.t.Helper()
	id := fmt.Sprintf("01RUN%03d", n)
	d := simStart()
	d.Handle, d.Project, d.Account = fmt.Sprintf("r%03d", n), id, simAccount
	for _, c := range change {
		c(&d)
	}
	if _, err := w.fleet.Begin(w.background.ctx, id, d, "local:0@sim/1", "req"+id); err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *ward) state(id string) run.State {
	s, _ := w.fleet.State(id)
	return s
}

// all are the states of the runs, oldest first.
func (w *ward) all() []run.State {
	out := w.fleet.States()
	slices.Reverse(out)
	return out
}

func (w *ward) account() limits.State {
	s, _ := w.accounts.State(simAccount)
	return s
}

// stored counts the events of the account by type.
func (w *ward) stored() map[string]int {
	n := map[string]int{}
	for st, err := range w.log.Read(context.Background(), events.Account(simAccount), 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		n[st.Event.Data.EventType()]++
	}
	return n
}

// until lets time pass until it is so.
func (w *ward) until(most time.Duration, ok func() bool) {
	w.t.Helper()
	for end := time.Now().Add(most); !ok(); time.Sleep(5 * time.Second) {
		if time.Now().After(end) {
			for _, s := range w.all() {
				w.t.Logf("%s %s/%s %+v %+v", s.ID, s.Status, s.Stage, s.Waiting, s.Halt)
			}
			w.t.Fatalf("not so after %v; account %+v", most, w.account())
		}
	}
	if b := w.broken.Load(); b != nil {
		w.t.Fatal(*b)
	}
}

func (w *ward) every(ok func(run.State) bool) func() bool {
	return func() bool { return !slices.ContainsFunc(w.all(), func(s run.State) bool { return !ok(s) }) }
}

func over(s run.State) bool   { return s.Status == run.Over && s.End.State == events.EndDone }
func halted(s run.State) bool { return s.Status == run.Halted }

func (w *ward) BeginAgent(ctx context.Context, s run.State, act engine.RunAgent) (events.Data, error) {
	not, err := w.accounts.Admit(ctx, s, s.Worker().Account)
	if err != nil || not != nil {
		return not, err
	}
	if slots := w.account().Slots; slots > 0 && (s.Waiting == nil || !s.Waiting.Lifted) {
		atWork := 1
		for _, o := range w.all() {
			if o.ID != s.ID && o.Status == run.Live && o.Stage == run.Agent {
				atWork++
			}
		}
		if atWork > slots {
			broken := fmt.Sprintf("%s is let in as number %d of %d slots", s.ID, atWork, slots)
			w.broken.Store(&broken)
		}
	}
	return events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Tree: s.Last.Tree, Work: s.Last.Work,
		Effect: fmt.Sprintf("%s-%d", s.ID, w.effects.Add(1)), Session: act.Resume, Resumes: act.Resume != "",
	}, nil
}

func (w *ward) Agent(ctx context.Context, s run.State, _ <-chan struct{}) (events.AgentEnded, error) {
	return w.provider.turn(ctx, s, w.now)
}

func (w *ward) Gates(ctx context.Context, s run.State, end <-chan struct{}) (events.GatesJudged, error) {
	failing := max(w.need-s.Loop.Iteration, 0)
	played := &script{steps: []step{{Failing: failing}}}
	return played.Gates(ctx, s, end)
}

func (w *ward) flow(context.Context, run.State) (workflow.Workflow, error) { return simFlow(), nil }
