package machine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/events"
	"autopilot/probe"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// Prober takes a sample of the machine.
type Prober interface {
	Read(ctx context.Context, now time.Time, of probe.Subject) judge.Reading
}

// Sight is what the machine is looked at with.
type Sight struct {
	Probe   Prober
	Steady  func(judge.Band, judge.Verdict, time.Time) judge.Band // takes the next verdict
	Effects interface{ Live() []effect.Live }
	Peers   func() judge.Num        // counts the sessions of the host
	Text    func(events.Ref) string // empty where there is none
}

// gauge has the latest reading, and its verdict by each policy.
type gauge struct {
	Sight
	live func() []*run.State

	sample sync.Mutex            // one sample at a time
	trees  map[events.Ref]string // paths of the work trees of the runs that were live at the latest sample

	mu   sync.Mutex
	last seen
}

// How often the machine is looked at while a run is live, and how old a reading
// may be that an agent is let in by.
const (
	sampleEvery = 2 * time.Second
	sampleFresh = 5 * time.Second
)

// look takes a reading, and moves the bands.
func (g *gauge) look(ctx context.Context, now time.Time) seen {
	g.sample.Lock()
	defer g.sample.Unlock()
	r := g.Probe.Read(ctx, now, g.subject())
	r.Peers = g.Peers()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last.reading = r
	if _, known := r.MemoryAvailable.Get(); known {
		g.last.sized = r
	}
	bands := map[judge.Policy]judge.Band{}
	maps.Copy(bands, g.last.bands)
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		bands[p] = g.Steady(bands[p], judge.Judge(r, p, judge.Defaults()).Verdict, now)
	}
	g.last.bands = bands
	return g.last
}

// latest is what was seen last.
func (g *gauge) latest() seen {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last
}

// fresh is what was seen last, or what there is to see now where that is old.
func (g *gauge) fresh(ctx context.Context, now time.Time) seen {
	v := g.latest()
	if age := now.Sub(v.reading.Time); age >= 0 && age < sampleFresh {
		return v
	}
	return g.look(ctx, now)
}

// subject is which workspaces and processes belong to runs. The lock of the sample
// is held.
func (g *gauge) subject() probe.Subject {
	out := probe.Subject{Roots: map[string][]int{}}
	trees := map[events.Ref]string{}
	shims := map[string]int{}
	for _, l := range g.Effects.Live() {
		shims[l.Effect] = l.Shim
	}
	for _, s := range g.live() {
		ref := s.Facts.Workspace
		ws, known := g.trees[ref]
		if !known {
			ws = g.Text(ref)
		}
		if trees[ref] = ws; ws != "" {
			out.Work = append(out.Work, ws)
		}
		own := []string{s.Last.Session.Effect}
		for _, e := range s.Last.Gates.Effects {
			own = append(own, e.Effect)
		}
		for _, id := range own {
			if pid, ok := shims[id]; ok {
				out.Roots[s.Facts.Handle] = append(out.Roots[s.Facts.Handle], pid)
			}
		}
	}
	g.trees = trees
	slices.Sort(out.Work)
	out.Work = slices.Compact(out.Work)
	return out
}
