package daemon

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/host/sched"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// What a simulated host has to keep to, whatever is done to it.

// judge is what the reading lets begin, by the rules as they are written down.
func (h *hostSim) judge(r judge.Reading) {
	at := roomAt{r.Time, map[judge.Policy]int{}}
	v, known := r.MemoryAvailable.Get()
	if known {
		h.sized = r
	} else if r.Time.Sub(h.sized.Time) < judge.Calm {
		v, known = h.sized.MemoryAvailable.Get()
	}
	l := judge.Defaults()
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		j := judge.Judge(r, p, l)
		h.bands[p] = h.bands[p].Step(j.Verdict, r.Time)
		room := j.As(h.bands[p].Verdict, p, l).Cap
		if known {
			n := int(max(0, math.Floor(v/(1<<30)-2)))
			for _, a := range h.at {
				if !a.began.IsZero() && r.Time.Sub(a.began) >= grown {
					n++
				}
			}
			if h.bands[p].Verdict != judge.Critical {
				n = max(n, 1)
			}
			if room < 0 || n < room {
				room = n
			}
		}
		if most := h.user.Load().Resources.Agents; most > 0 && (room < 0 || most < room) {
			room = most
		}
		if room < 0 {
			room = math.MaxInt
		}
		at.room[p] = room
	}
	h.rooms = append(h.rooms, at)
	if i := slices.IndexFunc(h.rooms, func(o roomAt) bool { return r.Time.Sub(o.at) <= 10*time.Second }); i > 1 {
		h.rooms = slices.Delete(h.rooms, 0, i-1)
	}
}

func (h *hostSim) fault(format string, a ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faultLocked(format, a...)
}

func (h *hostSim) faultLocked(format string, a ...any) {
	if len(h.faults) < 20 {
		h.faults = append(h.faults, time.Since(h.began).String()+" "+fmt.Sprintf(format, a...))
	}
}

// What is written down of the machine, and of how it is looked at.
const (
	grown  = 30 * time.Second // an agent has taken its memory after so long
	fresh  = 5 * time.Second  // a reading counts for so long
	looked = 2 * time.Second  // between two of them
	// settling is how long a decision may take from the reading that it follows to the
	// agent: starts are spread.
	settling = fresh + 3*time.Second
)

// inLine says that a run waits for the machine, by its own record.
func inLine(s *run.State) bool {
	return s.WaitsForLimit() && s.Waiting.Cause == events.LimitResources && s.Stop == ""
}

// letIn is the moment of truth: with who was let in just now there are no more at
// work than there was room for.
func (h *hostSim) letIn(s run.State, since time.Time) {
	flow, _ := h.flowOf(context.Background(), s)
	now, live := time.Now(), h.d.Fleet.LiveStates()
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.Waiting != nil && !s.Waiting.InLine.IsZero() {
		since = s.Waiting.InLine
	}
	again := s.Stage == run.Ended // lost, and let in before
	h.at[s.ID] = agentOfSim{let: now, needs: h.plan[s.ID].needs, leads: flow.Resources.Coordinator == workflow.Always}
	h.grants++
	h.most, h.wait = max(h.most, len(h.at)), max(h.wait, now.Sub(since))
	if first, ok := h.passed[s.ID]; ok && now.Sub(first) > settling {
		h.faultLocked("%s: a younger one began %v before it", s.ID, now.Sub(first))
	}
	delete(h.passed, s.ID)
	switch {
	case again:
		return
	case h.user.Load().Resources.Policy == config.NoResources || flow.Resources.Coordinator == workflow.Always:
		if most := h.user.Load().Resources.Agents; most > 0 && len(h.at) > most {
			h.faultLocked("%s: %d at work, and the user lets %d", s.ID, len(h.at), most)
		}
		return
	}
	p := h.user.Load().Resources.PolicyOf(flow)
	room := 0
	for i := len(h.rooms) - 1; i >= 0; i-- {
		room = max(room, h.rooms[i].room[p])
		if now.Sub(h.rooms[i].at) > settling {
			break
		}
	}
	n := 0
	for _, a := range h.at {
		if !a.leads || now.Sub(a.let) > settling { // else it may have come when this one had its slot
			n++
		}
	}
	if n > room {
		h.faultLocked("%s: %d at work, and there was room for %d", s.ID, n, room)
	}
	for _, o := range live {
		other, _ := h.flows[string(o.Facts.Workflow)]
		if o.ID == s.ID || !inLine(o) || h.user.Load().Resources.PolicyOf(other) != p || !before(o, s, since, now) {
			continue
		}
		if _, ok := h.passed[o.ID]; !ok {
			h.passed[o.ID] = now
		}
	}
}

// before says that a run in line is served before one that asks since then, and
// was a moment ago.
func before(o *run.State, s run.State, since, now time.Time) bool {
	steps := func(at, since time.Time) int { return int(max(0, at.Sub(since)) / sched.Raise) }
	for _, at := range []time.Time{now, now.Add(-settling)} {
		mine := int(s.Facts.Priority) + steps(at, since)
		theirs := int(o.Facts.Priority) + steps(at, o.Waiting.InLine)
		if theirs < mine || theirs == mine && !o.Waiting.InLine.Before(since.Add(-time.Second)) {
			return false
		}
	}
	return true
}

// seen follows the record: who is at work, and who is no more.
func (h *hostSim) seen(s run.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, ok := h.at[s.ID]
	switch {
	case s.AtWork() && (!ok || a.began.IsZero()):
		if !ok { // it is found again
			a.needs = h.plan[s.ID].needs
		}
		a.began = s.Clock.Agent
		h.at[s.ID] = a
	case ok && !s.AtWork() && (!a.began.IsZero() || s.Status != run.Live):
		delete(h.at, s.ID)
	}
	if !inLine(&s) {
		delete(h.passed, s.ID)
	}
}

// watch looks now and then for a slot that stays free while somebody waits for it.
func (h *hostSim) watch(ctx context.Context, last time.Duration) {
	for end := time.Now().Add(last); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(looked):
		}
		waits := map[judge.Policy]string{}
		h.mu.Lock()
		d := h.d
		h.mu.Unlock()
		for _, s := range d.Fleet.LiveStates() {
			if inLine(s) {
				flow, _ := h.flowOf(ctx, *s)
				waits[h.user.Load().Resources.PolicyOf(flow)] = s.ID
			}
		}
		h.mu.Lock()
		now := time.Now()
		for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
			if len(h.rooms) == 0 || waits[p] == "" || len(h.at) >= h.rooms[len(h.rooms)-1].room[p] || d.draining.Load() || now.Sub(h.alive) < settling {
				delete(h.idle, p)
				continue
			}
			if _, ok := h.idle[p]; !ok {
				h.idle[p] = now
			}
			if now.Sub(h.idle[p]) >= settling {
				delete(h.idle, p)
				h.faultLocked("%s waits, %d are at work, and there is room for %d by %s", waits[p], len(h.at), h.rooms[len(h.rooms)-1].room[p], p)
			}
		}
		h.mu.Unlock()
	}
}

// noise is a number from 0 to 1 that belongs to a moment.
func (h *hostSim) noise(at time.Duration, of uint64) float64 {
	return rand.New(rand.NewPCG(h.seed*31+of, uint64(at/time.Second))).Float64()
}
