package queue

import (
	"cmp"
	"slices"
	"time"

	"autopilot/events"
)

// Raise is the waiting that is one step of priority, as in the line for the machine.
const Raise = 10 * time.Minute

// Sight is what decides beside the log.
type Sight struct {
	Now     time.Time
	Busy    int   // runs of items that are under way, and wait for no person
	Waiting int   // runs of items that wait for a person
	Spent   int64 // micro-USD, by all runs of the queue
	Watches bool  // items may still come from elsewhere
}

// Step is what a queue does next. The zero Step is to wait.
type Step struct {
	Start []events.Name     // items whose runs begin, the first first
	Land  []events.Name     // items that are landed together
	Close events.QueueClose // nothing more is started; empty for none
}

// Next decides what a queue does next.
func Next(s State, at Sight) Step {
	step := Step{Land: s.toLand()}
	if s.Open == nil {
		return step
	}
	switch {
	case s.Open.UntilMS > 0 && !at.Now.Before(time.UnixMilli(s.Open.UntilMS)):
		step.Close = events.QueueTime
		return step
	case s.Open.MaxMicroUSD > 0 && at.Spent >= s.Open.MaxMicroUSD:
		step.Close = events.QueueCost
		return step
	}
	ready := s.Ready(at.Now)
	step.Start = ready[:min(len(ready), max(s.Open.Parallel-at.Busy, 0))]
	if len(ready)+len(step.Land)+at.Busy+at.Waiting == 0 && s.Lane.Run == "" && !at.Watches && !s.running() {
		step.Close = events.QueueDrained
	}
	return step
}

// running reports whether the run of an item is under way, as far as the log says.
func (s State) running() bool {
	for i := range s.Items {
		if s.Items[i].Stage == Running {
			return true
		}
	}
	return false
}

// toLand are the items of the next landing: the oldest ones that are done, one at a time or
// as many as the queue lands at once. Items of a batch that was red come in smaller ones.
func (s State) toLand() []events.Name {
	paused := s.Closed == events.QueuePaused || s.Closed == events.QueueTrust
	if s.Land == events.LandNone || s.Lane.Run != "" || s.Lane.Stopped || paused {
		return nil
	}
	var out []events.Name
	most := max(s.Batch, 1)
	if len(s.Lane.Suspect) > 0 {
		most = max(s.Lane.Most, 1)
	}
	for k := range s.Items {
		i := &s.Items[k]
		if i.Stage != Done || len(s.Lane.Suspect) > 0 && !slices.Contains(s.Lane.Suspect, i.Name) {
			continue
		}
		if out = append(out, i.Name); len(out) == most {
			break
		}
	}
	return out
}

// Ready are the items that could start now, the next one first: by priority, which waiting
// raises, then by age.
func (s State) Ready(now time.Time) []events.Name {
	var out []int
	for i := range s.Items {
		if s.Items[i].Stage == Waiting && s.released(i) {
			out = append(out, i)
		}
	}
	rank := func(i int) int {
		it := &s.Items[i]
		return int(it.Priority) + int(max(0, now.Sub(it.Added))/Raise)
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(a, b)) })
	names := make([]events.Name, len(out))
	for k, i := range out {
		names[k] = s.Items[i].Name
	}
	return names
}

// released reports whether all that an item waits for is done.
//
// Source: seeds 8, Q11: a failed story released those that wait for it.
func (s State) released(i int) bool {
	for k, to := range s.graph.after[i] {
		if to == outside && !s.Found[s.Items[i].After[k]] || to != outside && s.Items[to].Stage != Finished {
			return false
		}
	}
	return true
}

// free reports whether nothing waits for a blocker any more.
func (s State) free(name events.Name) bool {
	if i, ok := s.graph.at[name]; ok {
		return s.Items[i].Stage == Finished
	}
	return s.Found[name]
}
