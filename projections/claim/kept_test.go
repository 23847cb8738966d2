package claim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/projections/chain"
)

// from gives an event its number, time and host.
func from(seq uint64, host string, d events.Data) events.Event {
	return events.Event{
		Aggregate: events.ClaimOf("c"), Seq: seq, Time: start.Add(time.Duration(seq) * time.Second), Source: events.SourceOf(host), Data: d,
	}
}

// The log of a team keeps the latest events of a claim: the last one says as much of the
// holder as the whole history.
func TestTheLatestEventSaysAllOfTheHolder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s State
		var last events.Event
		for seq := uint64(1); seq <= uint64(rapid.IntRange(1, 30).Draw(t, "events")); seq++ {
			who := rapid.SampledFrom([]events.ClaimOwner{one, two, ofRun}).Draw(t, "who")
			at := Sight{Now: start.Add(time.Duration(seq) * time.Second), Here: true, Seen: time.Hour}
			d, err := Take(s, ask(who), at)
			if err != nil {
				d = events.ClaimReleased{Fence: s.Fence}
			}
			last = from(seq, "h1", d)
			s = Evolve(s, last)
		}
		cut := Evolve(State{Log: chain.From(last.Seq)}, last)
		whole := s
		for _, x := range []*State{&whole, &cut} { // who acquired it is said by the one event that did
			x.By, x.Log = "", Log{}
			if !x.Held() {
				x.Kind, x.Key = "", ""
			}
		}
		if d := cmp.Diff(whole, cut); d != "" {
			t.Fatalf("after %T: %s", last.Data, d)
		}
	})
}

// Whoever writes to the log of a team does so in the name of one host: the servers say
// which one.
func TestNobodyChangesAClaimInTheNameOfAnotherHost(t *testing.T) {
	t.Parallel()
	held := Evolve(State{}, from(1, "h1", ask(one)))
	thief := one
	thief.Host = "h2"
	for name, tt := range map[string]struct {
		host string
		d    events.Data
		held string // host that has it then
	}{
		"its own host gives it back":            {"h1", events.ClaimReleased{Fence: 1}, ""},
		"another host gives it back":            {"h2", events.ClaimReleased{Fence: 1}, "h1"},
		"another host renews it":                {"h2", held.Renewal(1), "h1"},
		"another host takes it in that name":    {"h2", ask(one), "h1"},
		"another host renews it as its own":     {"h2", events.ClaimRenewed{Fence: 1, TTLMS: 1, Owner: thief}, "h1"},
		"another host says that it is over":     {"h2", events.ClaimExpired{Fence: 1}, ""},
		"a person on another host has it freed": {"h2", events.ClaimForced{Fence: 1}, ""},
	} {
		if got := Evolve(held, from(2, tt.host, tt.d)); got.Owner.Host != tt.held || tt.held != "" && got.TTL != held.TTL {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Evolve(State{Log: chain.From(7)}, from(7, "h2", held.Renewal(1))); got.Held() {
		t.Errorf("a renewal in another name, with nothing before it: %+v", got)
	}
}
