package account

import (
	"context"
	"time"

	"autopilot/daemon/failpoint"
	"autopilot/events"
	folded "autopilot/projections/account"
	"autopilot/projections/run"
)

// now is the account with the end of its limit as it is to be kept to. A guess
// is also a length of time: when the clock was put back, what is left of it is
// counted from when this daemon saw it.
func (b *book) now(wall time.Time) folded.State {
	s := b.record.State()
	if b.seen.IsZero() || s.No != b.no {
		b.no, b.seen = s.No, time.Now()
		b.told = map[string]bool{}
	}
	if s.Cause == "" || s.Source != events.Guessed {
		return s
	}
	if left := s.Until.Sub(s.At) - time.Since(b.seen); s.Until.Sub(wall) > left {
		s.Until = wall.Add(left)
	}
	return s
}

// learn stores what the latest agent of a run says of the account, if it has
// worked on that, and answers the account with it. runs are all of the account. What cannot be stored counts
// all the same for who has asked, and is tried again.
func (c *Calendar) learn(ctx context.Context, b *book, s run.State, runs []*run.State) folded.State {
	was := b.record.State()
	effect := s.Last.End.Effect
	if s.SessionAccount() != b.id || s.AtWork() || effect == "" || effect != s.Last.Session.Effect || b.learned[s.ID] == effect {
		return b.now(c.cfg.Now())
	}
	let, ok := b.let[s.ID]
	ok = ok && let.before != effect // else it is of the agent that comes next
	d := folded.Learn(was, folded.Ended{
		Run: s.ID, Agent: s.Last.End,
		At:     ended(s),
		Knew:   knew(was, s, let, ok),
		Others: b.beside(s, runs),
	})
	if d != nil {
		if err := b.record.Append(ctx, d); err != nil {
			c.cfg.Log.Error("store what a provider said", "account", b.id, "run", s.ID, "error", err)
			b.owes = true
			return folded.Evolve(was, events.Event{Seq: was.Log.Seq + 1, Time: c.cfg.Now().UTC(), Data: d})
		}
		failpoint.Hit(failpoint.AfterAccount)
		c.mind(b.id, b.record.State().Troubled())
		c.look(b.id)
	}
	b.learned[s.ID] = effect
	if ok {
		delete(b.let, s.ID)
	}
	return b.now(c.cfg.Now())
}

// ended is when the latest agent of a run ended, or a little before: while the
// host sleeps nothing is counted.
func ended(s run.State) time.Time {
	return s.Clock.Agent.Add(time.Duration(s.Last.End.DurationMS) * time.Millisecond)
}

// together is how close the ends of agents are that one no has ended.
const together = 5 * time.Second

// beside counts the other agents that were at work when that of a run ended:
// also those that ended with it, as which is looked at first is chance.
func (b *book) beside(s run.State, runs []*run.State) int {
	n := b.working(s.ID, runs, 0)
	for _, o := range runs {
		over := o.ID != s.ID && o.SessionAccount() == b.id && !o.AtWork() && o.Last.End.Effect != "" && o.Last.End.Effect == o.Last.Session.Effect
		if let, ok := b.let[o.ID]; ok && let.before == o.Last.Session.Effect {
			continue // counted as let in
		}
		if over && o.Clock.Agent.Before(ended(s)) && ended(*o).After(ended(s).Add(-together)) {
			n++
		}
	}
	return n
}

// knew says that the latest agent of a run was let in after the account's latest
// no: by the order in which this daemon has seen both, else by their times.
func knew(a folded.State, s run.State, let entry, ok bool) bool {
	if ok {
		return let.no >= a.No
	}
	return a.No == 0 || s.Clock.Agent.After(a.At)
}

// working counts the other runs whose agents work, or were let in and have not
// begun: all of them, or those that were let in after a no.
func (b *book) working(except string, runs []*run.State, no uint64) int {
	a, n := b.record.State(), 0
	for _, s := range runs {
		if s.ID == except || s.Status != run.Live {
			continue
		}
		let, ok := b.let[s.ID]
		begun := !ok || let.before != s.Last.Session.Effect
		switch {
		case s.AtWork() && begun && s.SessionAccount() != b.id: // it works elsewhere
		case s.AtWork() && begun:
			if no == 0 || knew(a, *s, let, ok) {
				n++
			}
		case ok && !begun && time.Since(let.at) < beginsWithin:
			if no == 0 || let.no >= no {
				n++
			}
		}
	}
	return n
}
