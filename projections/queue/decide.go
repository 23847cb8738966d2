package queue

import (
	"errors"
	"fmt"
	"slices"

	"autopilot/events"
)

// Errors that a caller can tell apart.
var (
	ErrNoItem  = errors.New("no such item")
	ErrItem    = errors.New("the item is not in that state")
	ErrOpen    = errors.New("the queue is being worked off")
	ErrClosed  = errors.New("the queue is not being worked off")
	ErrTaken   = errors.New("the name is taken")
	ErrItself  = errors.New("the item waits for itself")
	ErrRunning = errors.New("a run of the item is under way")
)

// Add decides to add items. Names are unique; nothing waits for itself.
func Add(s State, items []events.QueueItem) (events.ItemsAdded, error) {
	seen := map[events.Name]bool{}
	for _, i := range items {
		if _, there := s.graph.at[i.Name]; there || seen[i.Name] {
			return events.ItemsAdded{}, fmt.Errorf("%w: %s", ErrTaken, i.Name)
		}
		if seen[i.Name] = true; slices.Contains(i.After, i.Name) {
			return events.ItemsAdded{}, fmt.Errorf("%w: %s", ErrItself, i.Name)
		}
	}
	return events.ItemsAdded{Items: items}, nil
}

// Open decides to work a queue off.
func Open(s State, d events.QueueOpened) (events.QueueOpened, error) {
	if s.Open != nil && s.Open.QueueOpened == d {
		return d, ErrOpen
	}
	return d, nil
}

// Close decides to start nothing more.
func Close(s State, why events.QueueClose) (events.QueueClosed, error) {
	if s.Open == nil && (why != events.QueuePaused || s.Closed == events.QueuePaused) {
		return events.QueueClosed{}, ErrClosed
	}
	return events.QueueClosed{Why: why}, nil
}

// Start decides that a run has begun for an item.
func Start(s State, name events.Name, run string) (events.ItemStarted, error) {
	i, ok := s.Get(name)
	switch {
	case !ok:
		return events.ItemStarted{}, fmt.Errorf("%w: %s", ErrNoItem, name)
	case i.Stage != Waiting:
		return events.ItemStarted{}, fmt.Errorf("%w: %s is %s", ErrItem, name, i.Stage)
	}
	return events.ItemStarted{Item: name, Run: run}, nil
}

// End decides how the run of an item has ended. A run that could not begin has no id. What
// is known already is ErrItem.
func End(s State, d events.ItemEnded) (events.ItemEnded, error) {
	i, ok := s.Get(d.Item)
	same := i.Run == d.Run && i.End == d.End && i.Stage != Running
	begun := i.Stage == Running || i.Stage == Stopped
	if !ok || d.Run != "" && (i.Run != d.Run || same || !begun) || d.Run == "" && i.Stage != Waiting {
		return d, fmt.Errorf("%w: %s", ErrItem, d.Item)
	}
	return d, nil
}

// Remove decides to take an item out of the queue. Its run goes on.
func Remove(s State, name events.Name) (events.ItemRemoved, error) {
	i, ok := s.Get(name)
	switch {
	case !ok || i.Stage == Removed:
		return events.ItemRemoved{}, fmt.Errorf("%w: %s", ErrNoItem, name)
	case i.Stage == Landing:
		return events.ItemRemoved{}, fmt.Errorf("%w: %s is landing", ErrItem, name)
	}
	return events.ItemRemoved{Item: name}, nil
}

// Retry decides to try an item anew that was stopped.
func Retry(s State, name events.Name) (events.ItemRetried, error) {
	i, ok := s.Get(name)
	switch {
	case !ok:
		return events.ItemRetried{}, fmt.Errorf("%w: %s", ErrNoItem, name)
	case i.Stage != Stopped:
		return events.ItemRetried{}, fmt.Errorf("%w: %s is %s", ErrItem, name, i.Stage)
	}
	return events.ItemRetried{Item: name}, nil
}

// Land decides that a run checks the landing of items.
func Land(s State, d events.LandingStarted) (events.LandingStarted, error) {
	if s.Lane.Run != "" {
		return d, fmt.Errorf("%w: the lane is taken", ErrItem)
	}
	for _, name := range d.Items {
		if i, ok := s.Get(name); !ok || i.Stage != Done {
			return d, fmt.Errorf("%w: %s is %s", ErrItem, name, i.Stage)
		}
	}
	return d, nil
}

// EndLanding decides what became of a landing. One that could not begin has no run.
func EndLanding(s State, d events.LandingEnded) (events.LandingEnded, error) {
	if s.Lane.Run != d.Run {
		return d, fmt.Errorf("%w: the landing is over", ErrItem)
	}
	return d, nil
}
