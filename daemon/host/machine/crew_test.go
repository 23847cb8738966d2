package machine

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/probe"
	"autopilot/probe/judge"
	"autopilot/projections/chain"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// crew are runs without a daemon, and what the machine has told each of them.
type crew struct {
	mu   sync.Mutex
	live []*run.State
	told map[string][]engine.Command
	last time.Time // of the clock, which stands still
	gib  float64   // that are available
	user config.User
}

// onMachine is a crew on a machine that looks at nothing by itself.
func onMachine(t testing.TB, gib float64) (*Machine, *crew) {
	t.Helper()
	c := &crew{told: map[string][]engine.Command{}, last: time.Now(), gib: gib, user: config.DefaultUser()}
	quiet := slog.New(slog.DiscardHandler)
	hosts, err := journal.Open(t.Context(), journal.New(log.NewMemory(log.MemoryConfig{}), "host", c.now), events.Host("host"), journal.Fold[host.State]{
		Evolve: host.Evolve, Log: func(s *host.State) *chain.Log { return &s.Log },
	}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := blob.Open(t.TempDir(), blob.Process)
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Sight: Sight{
			Probe: c, Steady: judge.Band.Step, Effects: noEffects{}, Peers: func() judge.Num { return judge.Num{} }, Text: func(events.Ref) string { return "" },
		},
		Settings: Settings{
			User:   func() (*config.User, error) { return &c.user, nil },
			Flow:   func(context.Context, run.State) (workflow.Workflow, error) { return workflow.Workflow{}, nil },
			Bounds: func(run.State) (config.Bounds, error) { return config.Bounds{RAM: 1 << 30}, nil },
			Layers: func(tree.Workspace) config.Layers { return config.Layers{} },
		},
		Runs: c, Record: Record{Host: hosts, Texts: texts, Actor: "daemon:host"},
		Draining: func() bool { return false }, Go: func(f func()) { f() }, Now: c.now, Log: quiet,
	}), c
}

type noEffects struct{}

func (noEffects) Live() []effect.Live { return nil }

func (c *crew) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// later sets the clock forward.
func (c *crew) later(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = c.last.Add(d)
}

// Read implements Prober.
func (c *crew) Read(_ context.Context, now time.Time, _ probe.Subject) judge.Reading {
	return judge.Reading{Time: now, Cores: judge.Known(8), Load1: judge.Known(0), MemoryAvailable: judge.Known(c.gib * (1 << 30))}
}

// Live implements Runs.
func (c *crew) Live() int { return len(c.live) }

// LiveStates implements Runs.
func (c *crew) LiveStates() []*run.State { return c.live }

// State implements Runs.
func (c *crew) State(id string) (run.State, bool) {
	for _, s := range c.live {
		if s.ID == id {
			return *s, true
		}
	}
	return run.State{}, false
}

// Do implements Runs.
func (c *crew) Do(_ context.Context, id string, k engine.Command, _, _ string) (run.State, error) {
	c.told[id] = append(c.told[id], k)
	s, _ := c.State(id)
	return s, nil
}

// works is a run whose agent is at work since then.
func (c *crew) works(id string, since time.Time) {
	s := &run.State{ID: id, Status: run.Live, Stage: run.Agent}
	s.Clock.Agent = since
	c.live = append(c.live, s)
}

// asks is a run that asks for a slot, and whose record says what it was told.
func (c *crew) asks(t testing.TB, m *Machine, id string) events.Data {
	t.Helper()
	s := &run.State{ID: id, Status: run.Live, Stage: run.Ready}
	not, _, err := m.Slot(t.Context(), *s)
	if err != nil {
		t.Fatal(err)
	}
	if w, ok := not.(events.LimitWaiting); ok {
		s.Waiting = &run.Waiting{LimitWaiting: w, Since: c.now(), InLine: c.now()}
	}
	c.live = append(c.live, s)
	return not
}

// number is the id of a run that began after those of lower numbers.
func number(i int) string { return fmt.Sprintf("r%04d", i) }
