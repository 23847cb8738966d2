package queue

import (
	"maps"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/projections/chain"
)

// Stage says how far an item is.
type Stage string

// The stages. A run that ended otherwise than done leaves its item at Stopped.
const (
	Waiting  Stage = "waiting"
	Running  Stage = "running"
	Stopped  Stage = "stopped"
	Done     Stage = "done" // and not landed
	Landing  Stage = "landing"
	Finished Stage = "finished" // landed, shown, or done where nothing is landed
	Removed  Stage = "removed"
)

// State is a queue, folded from its own log alone.
type State struct {
	events.QueueCreated
	Created time.Time
	By      string  // the actor that created it
	Open    *Opened // nil while it starts nothing
	Closed  events.QueueClose
	Items   []Item               // in the order in which they came
	Found   map[events.Name]bool // blockers that are no items, and whether they are done
	Lane    Lane
	Log     Log

	graph graph
}

// Log is what the fold knows of the log itself.
type Log = chain.Log

// Opened is how a queue is worked off.
type Opened struct {
	events.QueueOpened
	Since time.Time
	By    string // the actor
}

// Item is a task of a queue.
type Item struct {
	events.QueueItem
	No       int // from 1, in the order in which they came
	Added    time.Time
	Stage    Stage
	Run      string            // the latest
	Runs     []string          // all of them
	Lost     int               // deliveries that were lost, since a person last tried it anew
	Returns  int               // landings that sent it back, since then
	Landings int               // that were begun, or could not begin
	Findings events.Ref        // of a landing, that the next run works on
	End      events.ItemEnd    // of the latest run
	Landed   events.LandingEnd // of the latest landing
	Commit   string            // that the target was moved to
	Checked  string            // the latest run that checked its landing
	Detail   events.Ref
	Ended    time.Time // of the latest run or landing
}

// Lane is the way onto the target: one landing at a time.
type Lane struct {
	Run     string        // that checks the landing under way; empty for none
	Items   []events.Name // of that landing
	Suspect []events.Name // of a batch that was red: they land in smaller ones
	Most    int           // items of the next batch of suspects
	Stopped bool          // a gate fails on the target itself
	Tip     string        // commit of the latest landing
}

// Evolve adds one event to a state.
func Evolve(s State, e events.Event) State {
	s.Log = s.Log.Next(e.Seq)
	switch d := e.Data.(type) {
	case events.QueueCreated:
		s.QueueCreated, s.Created, s.By = d, e.Time, e.Actor
	case events.QueueOpened:
		s.Open, s.Closed, s.Lane.Stopped = &Opened{d, e.Time, e.Actor}, "", false
	case events.QueueClosed:
		s.Open, s.Closed = nil, d.Why
	case events.ItemsAdded:
		s = added(s, d.Items, e.Time)
	case events.ItemRemoved:
		s = s.change(d.Item, func(i *Item) { i.Stage = Removed })
	case events.ItemStarted:
		s = s.change(d.Item, func(i *Item) {
			i.Stage, i.Run, i.Runs, i.Detail = Running, d.Run, append(slices.Clip(i.Runs), d.Run), ""
		})
	case events.ItemEnded:
		s = ended(s, d, e.Time)
	case events.ItemRetried:
		s = s.change(d.Item, func(i *Item) {
			if i.Stage, i.Lost, i.Returns = Waiting, 0, 0; i.End == events.ItemDone || i.End == events.ItemGreen {
				i.Stage = Done // its work is there, and lands again
			}
		})
	case events.BlockerFound:
		s.Found = maps.Clone(s.Found)
		if s.Found == nil {
			s.Found = map[events.Name]bool{}
		}
		s.Found[d.Blocker] = d.Done
	case events.LandingStarted:
		s = landing(s, d)
	case events.LandingEnded:
		s = landed(s, d, e.Time)
	default:
		s.Log.Unknown++
	}
	return s
}

// Get is an item by its name.
func (s State) Get(name events.Name) (Item, bool) {
	if i, ok := s.graph.at[name]; ok {
		return s.Items[i], true
	}
	return Item{}, false
}

// ItemOf is the item that a run belongs to: its latest, or the one that checks its landing.
func (s State) ItemOf(run string) (Item, bool) {
	for _, i := range s.Items {
		if i.Run == run || i.Checked == run {
			return i, true
		}
	}
	return Item{}, false
}

// change is the state with one item changed.
func (s State) change(name events.Name, f func(*Item)) State {
	return s.changeEach([]events.Name{name}, f)
}

func (s State) changeEach(names []events.Name, f func(*Item)) State {
	s.Items = slices.Clone(s.Items)
	for _, name := range names {
		if i, ok := s.graph.at[name]; ok {
			f(&s.Items[i])
		}
	}
	return s
}

func added(s State, list []events.QueueItem, at time.Time) State {
	s.Items = slices.Clip(s.Items)
	for _, q := range list {
		s.Items = append(s.Items, Item{QueueItem: q, No: len(s.Items) + 1, Added: at, Stage: Waiting})
	}
	s.graph = graphOf(s.Items)
	return s
}

func ended(s State, d events.ItemEnded, at time.Time) State {
	return s.change(d.Item, func(i *Item) {
		if i.End, i.Detail, i.Ended = d.End, d.Detail, at; d.End == events.ItemDone {
			i.Findings = ""
		}
		switch d.End {
		case events.ItemDone:
			i.Stage = Done
		case events.ItemGreen:
			i.Stage = Done
			if i.Run == d.Run && len(i.Runs) == 1 {
				i.Stage = Finished // there is no work to land
			}
		case events.ItemLost:
			if i.Lost++; i.Lost <= s.Deliveries {
				i.Stage = Waiting
				return
			}
			i.Stage = Stopped
		case events.ItemHalted, events.ItemFailed, events.ItemCancelled:
			i.Stage = Stopped
		}
		if i.Stage == Done && s.Land == events.LandNone {
			i.Stage = Finished
		}
	})
}

func landing(s State, d events.LandingStarted) State {
	s.Lane.Run, s.Lane.Items = d.Run, d.Items
	return s.changeEach(d.Items, func(i *Item) { i.Stage, i.Checked, i.Landings = Landing, d.Run, i.Landings+1 })
}

func landed(s State, d events.LandingEnded, at time.Time) State {
	s.Lane.Run, s.Lane.Items = "", nil
	s = s.changeEach(d.Items, func(i *Item) {
		i.Landed, i.Detail, i.Ended, i.Commit = d.End, d.Detail, at, d.Commit
		if d.Run == "" {
			i.Landings++
		}
	})
	switch d.End {
	case events.Landed, events.LandingShown:
		s.Lane.Tip = d.Commit
		s = s.changeEach(d.Items, func(i *Item) { i.Stage = Finished })
	case events.LandingMoved:
		s = s.changeEach(d.Items, func(i *Item) { i.Stage = Done })
	case events.LandingTarget:
		s.Lane.Stopped = true
		s = s.changeEach(d.Items, func(i *Item) { i.Stage = Done })
	case events.LandingRefused:
		s = s.changeEach(d.Items, func(i *Item) { i.Stage = Stopped })
	case events.LandingConflict, events.LandingRed:
		if len(d.Items) > 1 { // which of them it is shows in smaller batches
			s.Lane.Suspect, s.Lane.Most = slices.Concat(d.Items, s.Lane.Suspect), len(d.Items)/2
			return s.changeEach(d.Items, func(i *Item) { i.Stage = Done })
		}
		s = s.changeEach(d.Items, func(i *Item) {
			if i.Returns++; i.Returns > s.Returns {
				i.Stage = Stopped
				return
			}
			i.Stage, i.Findings = Waiting, d.Detail
		})
	}
	s.Lane.Suspect = slices.DeleteFunc(slices.Clone(s.Lane.Suspect), func(n events.Name) bool { return slices.Contains(d.Items, n) })
	if len(s.Lane.Suspect) == 0 {
		s.Lane.Suspect, s.Lane.Most = nil, 0
	}
	return s
}
