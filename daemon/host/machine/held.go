package machine

import (
	"math"

	"autopilot/daemon/config"
	"autopilot/daemon/host/sched"
	"autopilot/events"
	"autopilot/probe/judge"
)

// What a run that waits for the machine is told of it (field reports B.4, 67).

// worst is the signal that weighs most; what is told only is none.
func worst(j judge.Judgement) events.Pressure {
	if len(j.Signals) == 0 || j.Signals[0].Level == judge.Info {
		return events.Pressure{}
	}
	return signalOf(j.Signals[0])
}

func signalOf(s judge.Signal) events.Pressure {
	return events.Pressure{Of: events.Name(s.Of), Value: whole(s.Value), Limit: whole(s.Limit)}
}

// whole is a number without its fraction, as far as there are such.
func whole(v float64) int64 { return int64(math.Round(min(max(v, 0), 1<<53))) }

// slotsFor is how many agents may be at work for one more of them to begin.
func slotsFor(a sched.Ask, room sched.Room) int {
	if a.Coordinator {
		return room[sched.Own]
	}
	return max(0, room[a.Policy])
}

// held is what there is to tell of a wait, with who was at work when its place was
// looked for.
func (v seen) held(a sched.Ask, p sched.Place, c config.Resources, at []agentAt, room sched.Room) events.LimitWaiting {
	w := events.LimitWaiting{Cause: events.LimitResources, Place: p.Number, Used: int64(p.Taken), Limit: int64(slotsFor(a, room))}
	if p.Group {
		w.Limit, w.By = int64(a.Most), events.Name(judge.ByProject)
		return w
	}
	b := boundOf(a.Policy)
	j, slots, by := v.judged(b, c, at)
	if a.Coordinator {
		slots, by = c.Agents, judge.ByMax
	}
	if slots == judge.NoCap || p.Taken < slots {
		return w // others come first
	}
	switch w.By = events.Name(by); by {
	case judge.ByVerdict:
		w.Signal = worst(j)
	case judge.ByMemory:
		left, _ := v.reading.MemoryAvailable.Get()
		w.Signal = events.Pressure{Of: "memory_available_bytes", Value: whole(left), Limit: b.ram}
	case judge.ByMax, judge.ByProject, judge.Unbounded:
	}
	return w
}
