package queue

import (
	"cmp"
	"slices"

	"autopilot/events"
)

// Standing is how an item stands, for people.
type Standing string

// The standings.
const (
	IsReady      Standing = "ready"
	IsWaiting    Standing = "waiting"    // for items that can still be done
	IsBlocked    Standing = "blocked"    // by an item that did not get done
	IsUnresolved Standing = "unresolved" // by something that nobody knows to be done
	IsCycle      Standing = "cycle"      // it waits for itself, over others
	IsBehind     Standing = "behind-cycle"
	IsRunning    Standing = "running"
	IsHalted     Standing = "halted"
	IsFailed     Standing = "failed"
	IsCancelled  Standing = "cancelled"
	IsEscalated  Standing = "escalated" // its landing failed too often, or cannot be done
	IsDone       Standing = "done"      // and waits for its landing
	IsLanding    Standing = "landing"
	IsLanded     Standing = "landed"
	IsShown      Standing = "shown" // as a pull request
	IsKept       Standing = "kept"  // done, and on its branch: nothing is landed
	IsRemoved    Standing = "removed"
)

// Stands is the standing of an item, and what it waits for.
type Stands struct {
	Standing Standing
	On       []events.Name // items or blockers; of a cycle its members
}

// Standings are those of all items, in their order.
//
// Source: seeds 8, Q8 and Q10: what an unknown blocker or a cycle held vanished.
func Standings(s State) []Stands {
	out := make([]Stands, len(s.Items))
	cycleOf := map[events.Name][]events.Name{}
	for _, c := range s.cycles() {
		for _, n := range c {
			cycleOf[n] = c
		}
	}
	w := waits{s, cycleOf, make([]Stands, len(s.Items)), make([]bool, len(s.Items))}
	for i, it := range s.Items {
		if it.Stage == Waiting {
			out[i] = w.of(i)
			continue
		}
		out[i] = Stands{Standing: stands(it)}
	}
	return out
}

// byStage are the standings that follow from the stage alone.
var byStage = map[Stage]Standing{Running: IsRunning, Done: IsDone, Landing: IsLanding, Removed: IsRemoved}

// byLanding are those of finished items, and byEnd those of stopped ones.
var (
	byLanding = map[events.LandingEnd]Standing{events.Landed: IsLanded, events.LandingShown: IsShown}
	byEnd     = map[events.ItemEnd]Standing{
		events.ItemDone: IsEscalated, events.ItemGreen: IsEscalated, events.ItemHalted: IsHalted, events.ItemCancelled: IsCancelled,
	}
)

func stands(i Item) Standing {
	if i.Stage == Finished {
		return cmp.Or(byLanding[i.Landed], IsKept)
	}
	return cmp.Or(byStage[i.Stage], byEnd[i.End], IsFailed)
}

// waits finds out what waiting items wait for.
type waits struct {
	s     State
	cycle map[events.Name][]events.Name
	known []Stands
	is    []bool
}

// of is how a waiting item stands. Each item is looked at once; a chain of thousands is no
// recursion: what an item waits for is looked at first, over a stack.
func (w waits) of(i int) Stands {
	for stack := []int{i}; len(stack) > 0; {
		at := stack[len(stack)-1]
		if w.is[at] {
			stack = stack[:len(stack)-1]
			continue
		}
		first := w.unknown(at)
		if first < 0 {
			w.known[at], w.is[at] = w.judge(at), true
			continue
		}
		stack = append(stack, first)
	}
	return w.known[i]
}

// unknown is an item that has to be judged before this one; -1 for none.
func (w waits) unknown(i int) int {
	it := w.s.Items[i]
	if w.cycle[it.Name] != nil {
		return -1
	}
	for _, name := range it.After {
		if at, ok := w.s.graph.at[name]; ok && w.s.Items[at].Stage == Waiting && !w.is[at] {
			return at
		}
	}
	return -1
}

// judge is the standing of a waiting item: the worst that holds it.
func (w waits) judge(i int) Stands {
	it := w.s.Items[i]
	if c := w.cycle[it.Name]; c != nil {
		return Stands{IsCycle, c}
	}
	on := map[Standing][]events.Name{}
	for _, name := range it.After {
		if w.s.free(name) {
			continue
		}
		why := w.held(name)
		on[why] = append(on[why], name)
	}
	for _, why := range []Standing{IsBehind, IsUnresolved, IsBlocked, IsWaiting} {
		if list := on[why]; list != nil {
			return Stands{why, slices.Compact(list)}
		}
	}
	return Stands{Standing: IsReady}
}

// held is how an item stands that waits for a blocker which is not done.
func (w waits) held(name events.Name) Standing {
	at, ok := w.s.graph.at[name]
	switch {
	case !ok:
		return IsUnresolved
	case w.cycle[name] != nil:
		return IsBehind
	}
	switch stage := w.s.Items[at].Stage; {
	case stage == Stopped || stage == Removed:
		return IsBlocked
	case stage == Waiting && w.known[at].Standing != IsReady:
		return w.known[at].Standing
	}
	return IsWaiting
}

// Unresolved are the blockers that are no items, and not known to be done, each once.
func (s State) Unresolved() []events.Name {
	var out []events.Name
	seen := map[events.Name]bool{}
	for _, i := range s.Items {
		for _, name := range i.After {
			if _, item := s.graph.at[name]; !item && !s.Found[name] && i.Stage == Waiting && !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}
