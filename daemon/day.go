package daemon

import (
	"cmp"
	"os"
	"strings"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/snapshot"
	"autopilot/events/wire"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

// today is what was stored of a day, as long as no run has changed.
type today struct {
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

// changedLocked notes that a run is another than it was.
func (f *fleet) changedLocked(id string) {
	f.version.Add(1)
	if f.day.runs != nil {
		f.day.runs[id] = true
	}
}

// zone is the time zone of days: that of this host, read anew, as a laptop
// travels.
func zone() *time.Location {
	if name, ok := os.LookupEnv("TZ"); ok {
		if z, err := time.LoadLocation(strings.TrimPrefix(name, ":")); err == nil {
			return z
		}
		return time.Local
	}
	if b, err := os.ReadFile("/etc/localtime"); err == nil {
		if z, err := time.LoadLocationFromTZData("Local", b); err == nil {
			return z
		}
	}
	return time.Local
}

// projectOf is the project that a run counts for: that of the work tree which
// its own was made from, if it has one of its own.
func projectOf(h snapshot.Head) string { return cmp.Or(h.From, h.Project) }

// today sums the day of a moment over all runs, once for each change of any.
func (d *Daemon) today(now time.Time) today {
	b := &d.budget
	version := d.fleet.version.Load()
	b.mu.Lock()
	t := b.today
	b.mu.Unlock()
	if t.projects != nil && t.version == version && !now.Before(t.begin) && now.Before(t.next) {
		return t
	}
	t = today{version: version, projects: map[string]*share{}}
	t.begin, t.next = ledger.Day(now.In(zone()))
	d.fleet.sumDay(&t)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.today = t // an older one is made anew when it is looked at
	b.forget(t.all.working)
	return t
}

// forget drops what agents told that are over.
func (b *budgets) forget(at []working) {
	live := map[string]string{}
	for _, w := range at {
		live[w.run] = w.effect
	}
	for id, t := range b.told {
		if live[id] != t.effect {
			delete(b.told, id)
		}
	}
}

// ofDay are the runs that a day may have something of: those that had when it
// was looked at first, and those that have changed since.
type ofDay struct {
	begin time.Time
	runs  map[string]bool
}

// sumDay fills in the shares of a day.
func (f *fleet) sumDay(t *today) {
	quarter := int64(run.Quarter / time.Second)
	first, last := t.begin.Unix()/quarter, t.next.Unix()/quarter-1
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.day.runs == nil || !f.day.begin.Equal(t.begin) {
		f.day = ofDay{t.begin, map[string]bool{}}
		for id, m := range f.runs {
			if m.head.Status == run.Live || m.head.Spent.Within(first, last) {
				f.day.runs[id] = true
			}
		}
	}
	for id := range f.day.runs {
		if m := f.runs[id]; m != nil {
			t.add(m, first, last)
		}
	}
}

// add adds what a run has of the quarters of the day.
func (t *today) add(m *member, first, last int64) {
	begun := m.head.Spent.Within(first, last)
	busy := m.head.Status == run.Live && m.state != nil && m.state.AtWork()
	if !begun && !busy {
		return
	}
	p := t.project(projectOf(m.head))
	for s := range m.head.Spent.All() {
		if s.Quarter >= first && s.Quarter <= last {
			t.all.stored, p.stored = ledger.Add(t.all.stored, s), ledger.Add(p.stored, s)
		}
	}
	if busy {
		l := m.state.Last.Session
		w := working{m.head.ID, l.Effect, m.state.Clock.Agent, time.Duration(l.WallMS) * time.Millisecond}
		t.all.working, p.working = append(t.all.working, w), append(p.working, w)
	}
}

func (t *today) project(id string) *share {
	if t.projects[id] == nil {
		t.projects[id] = &share{}
	}
	return t.projects[id]
}

// share is the part of the day that a limit is about.
func (t *today) share(l config.Budget, project string) share {
	switch p := t.projects[project]; {
	case !l.Project:
		return t.all
	case p != nil:
		return *p
	}
	return share{}
}
