package machine

import (
	"testing"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

func TestWhoWaitsIsToldOfAVerdictOnceAndBeginsWhenItIsCalm(t *testing.T) {
	t.Parallel()
	m, c := onMachine(t, 1)
	w, ok := c.asks(t, m, "a").(events.LimitWaiting)
	if !ok || w.Place != 1 || w.By != events.Name(judge.ByVerdict) {
		t.Fatalf("it was told %+v", w)
	}
	for range 2 {
		m.tellVerdict(t.Context())
	}
	told, ok := c.told["a"][0].(engine.Judged)
	if len(c.told["a"]) != 1 || !ok || told.Verdict != events.Name(judge.Critical) {
		t.Fatalf("it was told %+v", c.told["a"])
	}
	if s := m.cfg.Record.Host.State().Judged["signals"]; s != told.ResourcesJudged {
		t.Errorf("the host has %+v", s)
	}
	for c.gib = 16; c.now().Before(m.gauge.latest().bands[judge.Signals].Since.Add(judge.Calm + sampleFresh)); c.later(sampleFresh) {
		if m.fillLine(t.Context(), c.now()); len(c.told["a"]) != 1 {
			t.Fatalf("let go before it was calm: %+v", c.told["a"])
		}
	}
	m.fillLine(t.Context(), c.now())
	if _, ok := c.told["a"][1].(engine.Lift); !ok || len(c.told["a"]) != 2 {
		t.Errorf("it was told %+v", c.told["a"])
	}
}

func TestAReadingWithoutMemoryIsNoLeaveForAMinute(t *testing.T) {
	t.Parallel()
	at := time.Now()
	was := judge.Reading{Time: at, Cores: judge.Known(8), MemoryAvailable: judge.Known(3 << 30)}
	for _, tt := range []struct {
		after time.Duration
		room  int
	}{{time.Second, 1}, {judge.Calm - time.Second, 1}, {judge.Calm, judge.NoCap}} {
		v := seen{reading: judge.Reading{Time: at.Add(tt.after), Cores: judge.Known(8)}, sized: was}
		_, room, _ := v.judged(bound{judge.Signals, 1 << 30}, config.Resources{}, nil)
		if room != tt.room {
			t.Errorf("%v after it was known there is room for %d, want %d", tt.after, room, tt.room)
		}
	}
}

func TestOneThatHasJustBegunLeavesNoRoomForTheNext(t *testing.T) {
	t.Parallel()
	at := time.Now()
	v := seen{reading: judge.Reading{Time: at, Cores: judge.Known(8), MemoryAvailable: judge.Known(4 << 30)}}
	v.sized = v.reading
	for _, tt := range []struct {
		name string
		at   []agentAt
		room int
	}{
		{"nobody", nil, 2},
		{"one that has grown", []agentAt{{run: "a", since: at.Add(-grownAfter)}}, 3},
		{"one that has just begun", []agentAt{{run: "a", since: at.Add(-time.Second)}}, 2},
		{"one that was lost", []agentAt{{run: "a", since: at.Add(-time.Hour), lost: true}}, 2},
	} {
		if _, room, _ := v.judged(bound{judge.Signals, 1 << 30}, config.Resources{}, tt.at); room != tt.room {
			t.Errorf("%s: room for %d, want %d", tt.name, room, tt.room)
		}
	}
}

func TestABoundIsFoundByItsName(t *testing.T) {
	t.Parallel()
	for _, b := range []bound{{judge.Signals, 1 << 30}, {judge.Tiers, 0}, {}} {
		if got := boundOf(b.name()); got != b {
			t.Errorf("%+v is %+v", b, got)
		}
	}
}

func TestAChatThatDrivesIsNotInTheCrowd(t *testing.T) {
	t.Parallel()
	state := func(id string, stage run.Stage, edit func(*run.State)) *run.State {
		s := &run.State{ID: id, Status: run.Live, Stage: stage}
		if edit != nil {
			edit(s)
		}
		return s
	}
	got := runsOf(crowd([]*run.State{
		state("works", run.Agent, nil), state("looks", run.Looking, nil), state("ready", run.Ready, nil), state("asks", run.Agent, nil),
		state("lost", run.Ended, func(s *run.State) { s.Last.Agent.Outcome = events.Lost }),
		state("ended", run.Ended, func(s *run.State) { s.Last.Agent.Outcome = events.Exited }),
		state("driven", run.Agent, func(s *run.State) { s.Facts.Driver = events.DriverSession }),
	}, "asks"))
	if len(got) != 3 || got[0] != "works" || got[1] != "looks" || got[2] != "lost" {
		t.Errorf("at work are %v", got)
	}
}

func TestAgentsThatOutlivedADaemonHoldTheirSlotsAtOnce(t *testing.T) {
	t.Parallel()
	m, c := onMachine(t, 16)
	c.user.Resources.Agents = 1
	c.works("works", c.now().Add(-time.Minute))
	c.asks(t, m, "waits")
	next := New(m.cfg)
	next.LineUp(t.Context(), c.live)
	s, _ := c.State("waits")
	if w := next.Placed(s).Waiting; w.Used != 1 || w.Limit != 1 || w.By != events.Name(judge.ByMax) {
		t.Errorf("it waits: %+v", w.LimitWaiting)
	}
}
