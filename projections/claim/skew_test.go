package claim

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"autopilot/events"
)

// party is a daemon on a host of its own, whose clock is off, with a session there.
type party struct {
	host  string
	off   time.Duration // of its clock
	alive bool          // the session's process
	seq   uint64        // of the latest beat that this daemon has seen,
	seen  time.Duration // and when, by a clock that runs alike everywhere
}

func (p *party) owner() events.ClaimOwner {
	return events.ClaimOwner{Host: p.host, PID: 7, Start: 7, Boot: "b"}
}

// sight is what the party's daemon sees of a claim.
func (p *party) sight(s State, elapsed time.Duration) Sight {
	if p.seq != s.Log.Seq {
		p.seq, p.seen = s.Log.Seq, elapsed
	}
	here := s.Owner.Host == p.host
	return Sight{Now: start.Add(elapsed + p.off), Here: here, Alive: here && p.alive, Seen: elapsed - p.seen}
}

// S18, S19, S20, S21, S50; A43: whatever many holders do, whose clocks are up to an
// hour off: a claim has one holder, its fences rise, and nobody takes it away from a
// holder that was heard of in time, or whose process is seen to go on. A person may.
func TestNoSequenceOfManyTakesAClaimFromALiveHolder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s State
		var elapsed, beat time.Duration
		last := uint64(0)
		parties := make([]*party, 3)
		for i, host := range []string{"h1", "h2", "h3"} {
			off := time.Duration(rapid.IntRange(-60, 60).Draw(t, "off")) * time.Minute
			parties[i] = &party{host: host, off: off, alive: true}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			elapsed += time.Duration(rapid.IntRange(0, 50).Draw(t, "minutes")) * time.Minute
			p := rapid.SampledFrom(parties).Draw(t, "party")
			act := rapid.SampledFrom([]string{"take", "take", "renew", "drop", "tend", "force", "end", "look"}).Draw(t, "act")
			at := p.sight(s, elapsed)
			d, err := p.acts(act, s, at)
			if d == nil || err != nil {
				continue
			}
			holder, live := s.Owner, s.Held() && elapsed-beat < s.TTL
			for _, o := range parties {
				live = live || s.Held() && o.host == holder.Host && o.host == p.host && o.alive // it goes on, before its own daemon's eyes
			}
			was := s
			s = Evolve(s, events.Event{Seq: s.Log.Seq + 1, Time: start.Add(elapsed + p.off), Data: d})
			switch d.(type) {
			case events.ClaimAcquired:
				if was.Held() || s.Fence <= last || !s.Owner.Same(p.owner()) {
					t.Fatalf("%s has it with fence %d behind %d, beside %+v", p.host, s.Fence, last, was)
				}
				last, beat = s.Fence, elapsed
			case events.ClaimRenewed:
				if !was.Owner.Same(p.owner()) {
					t.Fatalf("%s renews what %+v has", p.host, was.Owner)
				}
				beat = elapsed
			case events.ClaimReleased:
				if !was.Owner.Same(p.owner()) {
					t.Fatalf("%s gives back what %+v has", p.host, was.Owner)
				}
			case events.ClaimExpired:
				if live {
					t.Fatalf("%s takes it from %+v, heard of %s ago", p.host, holder, elapsed-beat)
				}
			}
			if _, forced := d.(events.ClaimForced); forced != (act == "force") {
				t.Fatalf("%s: %T", act, d)
			}
		}
	})
}

// acts is the event that somebody there makes, if any.
func (p *party) acts(act string, s State, at Sight) (events.Data, error) {
	switch act {
	case "take", "renew":
		if !p.alive || act == "renew" && !s.Owner.Same(p.owner()) {
			return nil, nil
		}
		return Take(s, ask(p.owner()), at)
	case "drop":
		return Drop(s, p.owner(), 0)
	case "tend": // each daemon looks after what is held from its host
		if at.Here && s.Standing(at) == Stale {
			return events.ClaimExpired{Fence: s.Fence}, nil
		}
	case "force":
		return Force(s, s.Fence, events.AssuredTTY)
	case "end":
		p.alive = !p.alive
	}
	return nil, nil
}
