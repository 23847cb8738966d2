package sched

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// The times of a line.
const (
	Hold           = 30 * time.Second // a granted slot that nobody uses is free again
	Stagger        = 200 * time.Millisecond
	AccountStagger = 2 * time.Second
	Raise          = 10 * time.Minute // so much waiting is one step of priority
)

// Ask is the wish to start an agent.
type Ask struct {
	Run         string
	Account     string // empty for none
	Policy      string // by whose room it is bound
	Priority    int    // higher goes first
	Coordinator bool   // begins also where there is no room for others
	Again       bool   // it follows an agent of the run: no more will be at work than were
	Since       time.Time
}

// Room is the most agents that may be at work, by policy; less than 0 is no bound,
// as is a policy that is not in it.
type Room map[string]int

// Why says what somebody in line waits for.
type Why string

// The reasons.
const (
	NoSlot    Why = "slots"   // as many are at work as may be
	Staggered Why = "stagger" // another has just begun
)

// Place is where somebody stands. The zero value is a slot.
type Place struct {
	Number int       // 1 is next
	Why    Why       // empty: granted
	Until  time.Time // when to ask again, where that is known
}

// Granted says that an agent may begin.
func (p Place) Granted() bool { return p.Why == "" }

// Line is who waits, and who was let go. The zero value is empty.
type Line struct {
	asks    map[string]Ask
	grants  map[string]grant
	last    time.Time            // a slot was granted
	account map[string]time.Time // by account
}

type grant struct {
	Ask
	at time.Time
}

// Ask puts a wish into the line, and grants what can be. A wish that is there
// already keeps its age.
func (l *Line) Ask(a Ask, room Room, at []string, now time.Time) Place {
	l.tidy(at, now)
	if _, ok := l.grants[a.Run]; ok {
		return Place{}
	}
	if was, ok := l.asks[a.Run]; ok {
		a.Since = was.Since
	}
	if a.Since.IsZero() {
		a.Since = now
	}
	if l.asks == nil {
		l.asks = map[string]Ask{}
	}
	l.asks[a.Run] = a
	l.fill(room, at, now)
	return l.place(a.Run, room, at, now)
}

// Fill grants what can be, and names who was let go, in their order.
func (l *Line) Fill(room Room, at []string, now time.Time) []string {
	l.tidy(at, now)
	return l.fill(room, at, now)
}

// Drop takes a wish or a grant back: the run waits for something else, or is over.
func (l *Line) Drop(run string) {
	delete(l.asks, run)
	delete(l.grants, run)
}

// Waiting lists who stands in line, first who is next.
func (l *Line) Waiting(now time.Time) []Ask {
	out := slices.Collect(maps.Values(l.asks))
	slices.SortFunc(out, func(a, b Ask) int {
		return cmp.Or(cmp.Compare(b.rank(now), a.rank(now)), a.Since.Compare(b.Since), cmp.Compare(a.Run, b.Run))
	})
	return out
}

// rank is the priority, raised by waiting.
func (a Ask) rank(now time.Time) int { return a.Priority + int(max(0, now.Sub(a.Since))/Raise) }

// Next is when a wish could be granted without anything else happening; zero for
// never.
func (l *Line) Next(room Room, at []string, now time.Time) time.Time {
	var next time.Time
	for _, a := range l.asks {
		if why, until := l.held(a, room, at, now); why == Staggered && (next.IsZero() || until.Before(next)) {
			next = until
		}
	}
	return next
}

// tidy forgets grants that are used or have run out.
func (l *Line) tidy(at []string, now time.Time) {
	for run, g := range l.grants {
		if now.Sub(g.at) >= Hold || now.Before(g.at) || slices.Contains(at, run) {
			delete(l.grants, run)
		}
	}
}

func (l *Line) fill(room Room, at []string, now time.Time) []string {
	var let []string
	for _, a := range l.Waiting(now) {
		if why, _ := l.held(a, room, at, now); why != "" {
			continue // of another account, or policy, the next one may do
		}
		l.grant(a, now)
		let = append(let, a.Run)
	}
	return let
}

func (l *Line) grant(a Ask, now time.Time) {
	if l.grants == nil {
		l.grants, l.account = map[string]grant{}, map[string]time.Time{}
	}
	delete(l.asks, a.Run)
	l.grants[a.Run] = grant{a, now}
	l.last = now
	if a.Account != "" {
		l.account[a.Account] = now
	}
}

// held says what holds a wish back, and until when if time alone does.
func (l *Line) held(a Ask, room Room, at []string, now time.Time) (Why, time.Time) {
	if most, ok := room[a.Policy]; ok && most >= 0 && len(at)+len(l.grants) >= most && !a.Coordinator {
		return NoSlot, time.Time{}
	}
	free := l.last.Add(Stagger)
	if t, ok := l.account[a.Account]; ok && t.Add(AccountStagger).After(free) {
		free = t.Add(AccountStagger)
	}
	if !a.Again && !l.last.IsZero() && now.Before(free) && !now.Before(l.last) {
		return Staggered, free
	}
	return "", time.Time{}
}

func (l *Line) place(run string, room Room, at []string, now time.Time) Place {
	a, ok := l.asks[run]
	if !ok {
		return Place{}
	}
	why, until := l.held(a, room, at, now)
	if why == "" {
		why = NoSlot // it stands behind others
	}
	n := slices.IndexFunc(l.Waiting(now), func(o Ask) bool { return o.Run == run })
	return Place{Number: n + 1, Why: why, Until: until}
}
