package sched

import (
	"cmp"
	"slices"
	"time"
)

// The times of a line.
const (
	Hold    = 30 * time.Second // a slot that who was let go does not come for is free again
	Prepare = 5 * time.Minute  // so long may who came for it take to begin: recording a large work tree takes its time
	Stagger = 100 * time.Millisecond
	Spread  = 2 * time.Second  // starts are spread over no more
	Raise   = 10 * time.Minute // so much waiting is one step of priority
)

// Ask is the wish to start an agent.
type Ask struct {
	Run         string
	Policy      string // by whose room it is bound
	Priority    int    // higher goes first
	Coordinator bool   // begins also where there is no room for others, within Own
	Again       bool   // it follows an agent of the run: no more will be at work than were
	Since       time.Time
	Until       time.Time // when it asks again, as its record of the wait says
	Group       string    // of runs that are bound together
	Most        int       // agents of the group at work at once; 0 is no bound
}

// Room is the most agents that may be at work, by policy; less than 0 is no bound,
// as is a policy that is not in it.
type Room map[string]int

// Own is the bound that a person has set, and which holds for everyone.
const Own = "own"

// Place is where somebody stands.
type Place struct {
	Number int       // 1 is next; 0: it has a slot
	Begin  time.Time // with a slot: not before
	Taken  int       // slots: of those at work, and of those who are about to be
	Group  bool      // its group alone holds it back: number and slots are those of the group
}

// Granted says that an agent may begin.
func (p Place) Granted() bool { return p.Number == 0 }

// Line is who waits, and who was let go. The zero value is empty.
type Line struct {
	Groups map[string]string // of the runs at work, as the owner knows them; one that is not in it has none

	asks   map[string]Ask
	grants map[string]grant
	last   time.Time // the latest start that was granted
}

type grant struct {
	at, begin time.Time
	came      bool // for the slot, and is about to begin
	group     string
}

// ahead are those that are served before somebody and could begin now.
type ahead struct{ all, group int }

// Ask puts a wish into the line, and grants it if it is its turn. A wish that is
// there already keeps its age. Who comes for a slot that it was let go to has it.
func (l *Line) Ask(a Ask, room Room, at []string, now time.Time) Place {
	l.tidy(at, now)
	if g, ok := l.grants[a.Run]; ok {
		g.at, g.came = now, true
		l.grants[a.Run] = g
		return Place{Begin: g.begin}
	}
	if was, ok := l.asks[a.Run]; ok {
		a.Since = was.Since
	}
	if a.Since.IsZero() {
		a.Since = now
	}
	if l.fits(a, room, at, l.ahead(a, room, at, now)) {
		return Place{Begin: l.grant(a, now, true)}
	}
	l.put(a)
	return l.place(a, room, at, now)
}

func (l *Line) ahead(a Ask, room Room, at []string, now time.Time) (n ahead) {
	for _, o := range l.asks {
		if o.Run == a.Run || o.before(a, now) > 0 || !l.fits(o, room, at, ahead{}) {
			continue
		}
		n.all++ // it is let go by the next Fill
		if o.Group == a.Group {
			n.group++
		}
	}
	return n
}

func (l *Line) place(a Ask, room Room, at []string, now time.Time) Place {
	free := Ask{Policy: a.Policy, Coordinator: a.Coordinator}
	p := Place{Number: 1, Taken: len(at) + len(l.grants), Group: l.fits(free, room, at, ahead{}) && !l.fits(a, room, at, ahead{})}
	if p.Group {
		p.Taken = l.inGroup(a.Group, at)
	}
	for _, o := range l.asks {
		if o.Run != a.Run && o.before(a, now) < 0 && (!p.Group || o.Group == a.Group) {
			p.Number++
		}
	}
	return p
}

// Put has somebody stand in line who is neither there nor has a slot: its record
// says that it waits.
func (l *Line) Put(a Ask) {
	if !l.Knows(a.Run) {
		l.put(a)
	}
}

func (l *Line) put(a Ask) {
	if l.asks == nil {
		l.asks = map[string]Ask{}
	}
	l.asks[a.Run] = a
}

// At is where somebody stands in line; false for who does not.
func (l *Line) At(run string, room Room, at []string, now time.Time) (Ask, Place, bool) {
	l.tidy(at, now)
	a, ok := l.asks[run]
	if !ok {
		return a, Place{}, false
	}
	return a, l.place(a, room, at, now), true
}

// Policies are those that somebody in line is bound by, in order.
func (l *Line) Policies() []string {
	var out []string
	for _, a := range l.asks {
		if !slices.Contains(out, a.Policy) {
			out = append(out, a.Policy)
		}
	}
	slices.Sort(out)
	return out
}

// Len is how many stand in line.
func (l *Line) Len() int { return len(l.asks) }

// Knows says that somebody stands in line, or has a slot to begin with.
func (l *Line) Knows(run string) bool {
	_, waits := l.asks[run]
	_, granted := l.grants[run]
	return waits || granted
}

// Fill grants what can be to those that are ready to be let go, and names them in
// their order.
func (l *Line) Fill(room Room, at []string, now time.Time, ready func(Ask) bool) []string {
	l.tidy(at, now)
	fits := func(a Ask) bool { return l.fits(a, room, at, ahead{}) } // who does not may stand before one who does, by another policy
	var let []string
	for _, a := range l.inOrder(fits, now) {
		if fits(a) && ready(a) { // each that is let go leaves less room
			l.grant(a, now, false)
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
		hold := Hold
		if g.came {
			hold = Prepare
		}
		// Who asks may have looked at the clock before another one got its slot: only a
		// clock that was set back is much behind.
		if now.Sub(g.at) >= hold || g.at.Sub(now) >= Hold || slices.Contains(at, run) {
			delete(l.grants, run)
		}
	}
}

// fits says that there is a slot, with those that are to be let go before.
func (l *Line) fits(a Ask, room Room, at []string, before ahead) bool {
	by := a.Policy
	if a.Coordinator {
		by = Own
	} else if a.Most > 0 && l.inGroup(a.Group, at)+before.group >= a.Most {
		return false
	}
	most, ok := room[by]
	return !ok || most < 0 || len(at)+len(l.grants)+before.all < most
}

// inGroup counts the agents of a group that are at work, or were let go.
func (l *Line) inGroup(group string, at []string) (n int) {
	for _, run := range at {
		if l.Groups[run] == group {
			n++
		}
	}
	for _, g := range l.grants {
		if g.group == group {
			n++
		}
	}
	return n
}

func (l *Line) grant(a Ask, now time.Time, came bool) (begin time.Time) {
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
	l.grants[a.Run] = grant{now, begin, came, a.Group}
	return begin
}
