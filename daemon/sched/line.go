package sched

import (
	"cmp"
	"slices"
	"time"
)

// The times of a line.
const (
	Hold    = 30 * time.Second // a granted slot that nobody uses is free again
	Stagger = 100 * time.Millisecond
	Spread  = 2 * time.Second  // starts are spread over no more
	Raise   = 10 * time.Minute // so much waiting is one step of priority
)

// Ask is the wish to start an agent.
type Ask struct {
	Run         string
	Policy      string // by whose room it is bound
	Priority    int    // higher goes first
	Coordinator bool   // begins also where there is no room for others
	Again       bool   // it follows an agent of the run: no more will be at work than were
	Since       time.Time
}

// Room is the most agents that may be at work, by policy; less than 0 is no bound,
// as is a policy that is not in it.
type Room map[string]int

// Place is where somebody stands.
type Place struct {
	Number int       // 1 is next; 0: it has a slot
	Begin  time.Time // with a slot: not before
}

// Granted says that an agent may begin.
func (p Place) Granted() bool { return p.Number == 0 }

// Line is who waits, and who was let go. The zero value is empty.
type Line struct {
	asks   map[string]Ask
	grants map[string]grant
	last   time.Time // the latest start that was granted
}

type grant struct {
	at, begin time.Time
}

// Ask puts a wish into the line, and grants it if it is its turn. A wish that is
// there already keeps its age.
func (l *Line) Ask(a Ask, room Room, at []string, now time.Time) Place {
	l.tidy(at, now)
	if g, ok := l.grants[a.Run]; ok {
		return Place{Begin: g.begin}
	}
	if was, ok := l.asks[a.Run]; ok {
		a.Since = was.Since
	}
	if a.Since.IsZero() {
		a.Since = now
	}
	place, ahead := Place{Number: 1}, 0
	for _, o := range l.asks {
		if o.Run == a.Run || o.before(a, now) > 0 {
			continue
		}
		place.Number++
		if l.fits(o, room, at, 0) {
			ahead++ // it is let go by the next Fill
		}
	}
	if l.fits(a, room, at, ahead) {
		return Place{Begin: l.grant(a, now)}
	}
	if l.asks == nil {
		l.asks = map[string]Ask{}
	}
	l.asks[a.Run] = a
	return place
}

// Fill grants what can be to those that are ready to be let go, and names them in
// their order.
func (l *Line) Fill(room Room, at []string, now time.Time, ready func(run string) bool) []string {
	l.tidy(at, now)
	fits := func(a Ask) bool { return l.fits(a, room, at, 0) } // who does not may stand before one who does, by another policy
	var let []string
	for _, a := range l.inOrder(fits, now) {
		if fits(a) && ready(a.Run) { // each that is let go leaves less room
			l.grant(a, now)
			let = append(let, a.Run)
		}
	}
	return let
}

// Drop takes a wish or a grant back: the run waits for something else, or is over.
func (l *Line) Drop(run string) {
	delete(l.asks, run)
	delete(l.grants, run)
}

// Waiting lists who stands in line, first who is next.
func (l *Line) Waiting(now time.Time) []Ask {
	return l.inOrder(func(Ask) bool { return true }, now)
}

// inOrder are those of the line that are asked for, first who is next. Mostly there
// is no room, and nothing to put in order.
func (l *Line) inOrder(wanted func(Ask) bool, now time.Time) []Ask {
	var out []Ask
	for _, a := range l.asks {
		if wanted(a) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b Ask) int { return a.before(b, now) })
	return out
}

// before orders wishes: less than 0 if a is served first.
func (a Ask) before(b Ask, now time.Time) int {
	return cmp.Or(cmp.Compare(b.rank(now), a.rank(now)), a.Since.Compare(b.Since), cmp.Compare(a.Run, b.Run))
}

// rank is the priority, raised by waiting.
func (a Ask) rank(now time.Time) int { return a.Priority + int(max(0, now.Sub(a.Since))/Raise) }

// tidy forgets grants that are used or have run out.
func (l *Line) tidy(at []string, now time.Time) {
	for run, g := range l.grants {
		if now.Sub(g.at) >= Hold || now.Before(g.at) || slices.Contains(at, run) {
			delete(l.grants, run)
		}
	}
}

// fits says that there is a slot, with so many that are to be let go before.
func (l *Line) fits(a Ask, room Room, at []string, ahead int) bool {
	most, ok := room[a.Policy]
	return !ok || most < 0 || len(at)+len(l.grants)+ahead < most || a.Coordinator
}

func (l *Line) grant(a Ask, now time.Time) (begin time.Time) {
	if l.grants == nil {
		l.grants = map[string]grant{}
	}
	delete(l.asks, a.Run)
	begin = now
	if !a.Again {
		if next := l.last.Add(Stagger); next.After(now) && !l.last.After(now.Add(Spread)) {
			begin = next
		}
		l.last = begin
	}
	l.grants[a.Run] = grant{now, begin}
	return begin
}
