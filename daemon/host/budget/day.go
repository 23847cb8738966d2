package budget

import (
	"cmp"
	"maps"
	"sync"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

// Summed are the runs that a day is summed over.
type Summed interface {
	// Look shows the runs that are named, or all with nil, as they are at one
	// moment. The state may be nil of one that is over, and is only read.
	Look(ids map[string]bool, see func(snapshot.Head, *run.State))
}

// Day is what all runs have of the day that it is. Its methods may be called from
// any goroutine.
type Day struct {
	runs    Summed
	summing sync.Mutex // one sum at a time; it is held while runs are looked at

	mu      sync.Mutex
	version uint64 // grows with every change
	latest  sum
	begin   time.Time       // of the day that some are of
	some    map[string]bool // runs that the day may have something of: those that had when it was looked at first, and those that have changed since
	told    map[string]told // what agents at work have told, by run
}

// NewDay makes a Day that has yet to look at the runs.
func NewDay(runs Summed) *Day { return &Day{runs: runs, told: map[string]told{}} }

// sum is what was stored of a day, as long as no run has changed.
type sum struct {
	version     uint64
	begin, next time.Time
	all         share
	projects    map[string]*share
}

// share is what the runs of one scope have of a day.
type share struct {
	stored  wire.UsageSum
	working []working
}

// working is an agent at work.
type working struct {
	run, effect string
	began       time.Time
	wall        time.Duration
}

// told is what an agent has told.
type told struct {
	effect string
	usage  events.Usage
}

// Changed hears that a run is another than it was. It does not block, and may be
// called while the runs cannot be looked at.
func (d *Day) Changed(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version++
	if d.some != nil {
		d.some[id] = true
	}
}

// tell takes what the agent at work of a run has told.
func (d *Day) tell(run, effect string, u events.Usage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told[run] = told{effect, u}
}

// sum sums the day of a moment over all runs, once for each change of any.
func (d *Day) sum(now time.Time) sum {
	d.summing.Lock()
	defer d.summing.Unlock()
	t, known := d.known(now)
	if known {
		return t
	}
	quarter := int64(run.Quarter / time.Second)
	first, last := t.begin.Unix()/quarter, t.next.Unix()/quarter-1
	d.runs.Look(d.ofDay(t.begin), func(h snapshot.Head, s *run.State) {
		if h.Status == run.Live || h.Spent.Within(first, last) {
			d.keep(h.ID)
			t.add(h, s, first, last)
		}
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.latest = t // an older one is made anew when it is looked at
	d.forgetLocked(t.all.working)
	return t
}

// known is the sum of the day of a moment, if no run has changed since it was
// made; else one that is to be made.
func (d *Day) known(now time.Time) (sum, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.latest; t.projects != nil && t.version == d.version && !now.Before(t.begin) && now.Before(t.next) {
		return t, true
	}
	t := sum{version: d.version, projects: map[string]*share{}}
	t.begin, t.next = ledger.Day(now.In(zone()))
	return t, false
}

// ofDay are the runs that a day may have something of, nil when that is not known
// yet.
func (d *Day) ofDay(begin time.Time) map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.some == nil || !d.begin.Equal(begin) {
		d.begin, d.some = begin, map[string]bool{}
		return nil
	}
	return maps.Clone(d.some)
}

func (d *Day) keep(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.some[id] = true
}

// forgetLocked drops what agents told that are over.
func (d *Day) forgetLocked(at []working) {
	live := map[string]string{}
	for _, w := range at {
		live[w.run] = w.effect
	}
	for id, t := range d.told {
		if live[id] != t.effect {
			delete(d.told, id)
		}
	}
}

// spent is what a share holds of a kind: stored, and told by agents at work of
// other runs. Of hours an agent at work holds all that it was given; held is that
// beyond what it has used of it.
func (d *Day) spent(s share, kind events.Limit, except string, now time.Time) (used, held int64) {
	used = part(s.stored, kind)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range s.working {
		if w.run == except {
			continue
		}
		if kind == events.LimitDayHours {
			worked := max(now.Sub(w.began), 0)
			used += worked.Milliseconds()
			held += max(w.wall-worked, 0).Milliseconds()
		} else if t := d.told[w.run]; t.effect == w.effect {
			used += amountOf(t.usage, kind)
		}
	}
	return used, held
}

// add adds what a run has of the quarters of the day.
func (t *sum) add(h snapshot.Head, s *run.State, first, last int64) {
	begun := h.Spent.Within(first, last)
	busy := h.Status == run.Live && s != nil && s.AtWork()
	if !begun && !busy {
		return
	}
	p := t.project(projectOf(h))
	for s := range h.Spent.All() {
		if s.Quarter >= first && s.Quarter <= last {
			t.all.stored, p.stored = ledger.Add(t.all.stored, s), ledger.Add(p.stored, s)
		}
	}
	if busy {
		l := s.Last.Session
		w := working{h.ID, l.Effect, s.Clock.Agent, time.Duration(l.WallMS) * time.Millisecond}
		t.all.working, p.working = append(t.all.working, w), append(p.working, w)
	}
}

func (t *sum) project(id string) *share {
	if t.projects[id] == nil {
		t.projects[id] = &share{}
	}
	return t.projects[id]
}

// share is the part of the day that a limit is about.
func (t *sum) share(l config.Budget, project string) share {
	switch p := t.projects[project]; {
	case !l.Project:
		return t.all
	case p != nil:
		return *p
	}
	return share{}
}

// projectOf is the project that a run counts for: that of the work tree which
// its own was made from, if it has one of its own.
func projectOf(h snapshot.Head) string { return cmp.Or(h.From, h.Project) }

// part is the amount of a sum that a limit is about.
func part(s wire.UsageSum, kind events.Limit) int64 {
	switch kind {
	case events.LimitDayCost:
		return s.MicroUSD
	case events.LimitDayTokens:
		return s.Tokens
	case events.LimitDayTurns:
		return int64(s.Turns)
	case events.LimitDayHours:
		return s.ActiveMS
	case events.LimitRate, events.LimitOverload, events.LimitNetwork, events.LimitSlots, events.LimitResources:
	}
	return 0
}

func amountOf(u events.Usage, kind events.Limit) int64 {
	return part(ledger.Add(wire.UsageSum{}, run.Spend{Usage: u}), kind)
}
