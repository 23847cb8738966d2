package claim

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
)

var (
	start = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

	one   = events.ClaimOwner{Host: "h1", PID: 100, Start: 7, Boot: "b1", Program: "claude"}
	two   = events.ClaimOwner{Host: "h1", PID: 200, Start: 9, Boot: "b1"}
	ofRun = events.ClaimOwner{Host: "h1", Run: "01RUN"}
)

const ttl = 2 * time.Hour

func ask(o events.ClaimOwner) events.ClaimAcquired {
	return events.ClaimAcquired{Kind: events.ClaimBranch, Key: "k", Owner: o, TTLMS: ttl.Milliseconds()}
}

// fold adds events, one each second from the start.
func fold(data ...events.Data) State {
	var s State
	for i, d := range data {
		s = Evolve(s, events.Event{Aggregate: events.ClaimOf("c"), Seq: uint64(i + 1), Time: start.Add(time.Duration(i) * time.Second), Actor: "x", Data: d})
	}
	return s
}

func TestTheAgeOfTheLastBeatSaysHowAClaimStands(t *testing.T) {
	t.Parallel()
	here := func(age time.Duration, alive bool) Sight {
		return Sight{Now: start.Add(age), Here: true, Alive: alive, Seen: age}
	}
	there := func(age, seen time.Duration) Sight { return Sight{Now: start.Add(age), Seen: seen} }
	for name, tt := range map[string]struct {
		s    State
		at   Sight
		want Standing
	}{
		"nobody has it": {fold(), here(0, true), Free},
		"fresh":         {fold(ask(one)), here(ttl-1, true), Live},
		"fresh, and the process has ended (S17, S50)": {fold(ask(one)), here(ttl-1, false), Live},
		"exactly the TTL is stale":                    {fold(ask(one)), here(ttl, false), Stale},
		"over, and the process goes on (S18)":         {fold(ask(one)), here(ttl, true), Overdue},
		"over long since, and the process goes on":    {fold(ask(one)), here(100*ttl, true), Overdue},
		"renewed":                                               {fold(ask(one), events.ClaimRenewed{Fence: 1, TTLMS: ttl.Milliseconds()}), here(ttl, false), Live},
		"renewed, and over":                                     {fold(ask(one), events.ClaimRenewed{Fence: 1, TTLMS: ttl.Milliseconds()}), here(ttl+time.Second, false), Stale},
		"renewed for a shorter time":                            {fold(ask(one), events.ClaimRenewed{Fence: 1, TTLMS: 1000}), here(2*time.Second, false), Stale},
		"without a time it is stale (A58)":                      {State{Fence: 1, Owner: one, TTL: ttl}, Sight{Here: true}, Stale},
		"without a TTL it is stale (A58)":                       {State{Fence: 1, Owner: one, Beat: start}, here(0, false), Stale},
		"of another host, fresh":                                {fold(ask(one)), there(ttl-1, ttl-1), Live},
		"of another host, over":                                 {fold(ask(one)), there(ttl, ttl), Stale},
		"of another host, whose process cannot be seen":         {fold(ask(one)), Sight{Now: start.Add(ttl), Seen: ttl, Alive: true}, Stale},
		"of another host, whose clock is an hour behind":        {fold(ask(one)), there(ttl+time.Hour-1, ttl-1), Live},
		"the same, when the time is over here too":              {fold(ask(one)), there(ttl+time.Hour, ttl), Stale},
		"who looks is an hour behind":                           {fold(ask(one)), there(-time.Hour, time.Minute), Live},
		"the same, when the time is over by a clock that runs":  {fold(ask(one)), there(ttl-time.Hour, ttl), Live},
		"a beat from a future that will not come":               {fold(ask(one)), there(-24*365*time.Hour, ttl), Stale},
		"a beat from the future of this host, put back an hour": {fold(ask(one)), Sight{Now: start.Add(-time.Hour), Here: true, Seen: time.Minute}, Live},
	} {
		if got := tt.s.Standing(tt.at); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestAClaimIsTakenFromNobodyWhoIsLive(t *testing.T) {
	t.Parallel()
	late := Sight{Now: start.Add(ttl), Here: true, Seen: ttl}
	alive := Sight{Now: start.Add(ttl), Here: true, Alive: true, Seen: ttl}
	soon := Sight{Now: start.Add(time.Minute), Here: true, Alive: true, Seen: time.Minute}
	dead := Sight{Now: start.Add(time.Minute), Here: true, Seen: time.Minute}
	renewed := fold(ask(one)).Renewal(ttl.Milliseconds())
	for name, tt := range map[string]struct {
		s    State
		who  events.ClaimOwner
		at   Sight
		want events.Data
		err  error
	}{
		"nobody has it":                          {fold(), one, soon, ask(one), nil},
		"its owner renews":                       {fold(ask(one)), one, soon, renewed, nil},
		"its owner renews when it is over":       {fold(ask(one)), one, late, renewed, nil},
		"another, while it is fresh":             {fold(ask(one)), two, soon, nil, ErrHeld},
		"another, as its process has ended":      {fold(ask(one)), two, dead, nil, ErrHeld},
		"another, while its process goes on":     {fold(ask(one)), two, alive, nil, ErrHeld},
		"another, when it is over":               {fold(ask(one)), two, late, events.ClaimExpired{Fence: 1}, nil},
		"then it is free":                        {fold(ask(one), events.ClaimExpired{Fence: 1}), two, late, ask(two), nil},
		"a run beside a session":                 {fold(ask(one)), ofRun, soon, nil, ErrHeld},
		"a run again":                            {fold(ask(ofRun)), ofRun, soon, fold(ask(ofRun)).Renewal(ttl.Milliseconds()), nil},
		"who has no start time (S21)":            {fold(), events.ClaimOwner{Host: "h1", PID: 1, Boot: "b"}, soon, nil, ErrUnproven},
		"who has nothing, of a free claim (Q32)": {fold(), events.ClaimOwner{}, soon, nil, ErrUnproven},
	} {
		got, err := Take(tt.s, ask(tt.who), tt.at)
		if d := cmp.Diff(tt.want, got); d != "" || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

// S21, S22: one place decides who the owner is.
func TestAnyMissingPartOfAProofIsNoOwner(t *testing.T) {
	t.Parallel()
	without := func(f func(*events.ClaimOwner)) events.ClaimOwner {
		o := one
		f(&o)
		return o
	}
	for name, tt := range map[string]struct {
		a, b events.ClaimOwner
		want bool
	}{
		"the same":                      {one, one, true},
		"the same with another label":   {one, without(func(o *events.ClaimOwner) { o.Program = "codex" }), true},
		"another process":               {one, without(func(o *events.ClaimOwner) { o.PID++ }), false},
		"the number was given again":    {one, without(func(o *events.ClaimOwner) { o.Start++ }), false},
		"another boot":                  {one, without(func(o *events.ClaimOwner) { o.Boot = "b2" }), false},
		"another host":                  {one, without(func(o *events.ClaimOwner) { o.Host = "h2" }), false},
		"no process":                    {without(func(o *events.ClaimOwner) { o.PID = 0 }), without(func(o *events.ClaimOwner) { o.PID = 0 }), false},
		"no start":                      {without(func(o *events.ClaimOwner) { o.Start = 0 }), without(func(o *events.ClaimOwner) { o.Start = 0 }), false},
		"no boot":                       {without(func(o *events.ClaimOwner) { o.Boot = "" }), without(func(o *events.ClaimOwner) { o.Boot = "" }), false},
		"no host":                       {without(func(o *events.ClaimOwner) { o.Host = "" }), without(func(o *events.ClaimOwner) { o.Host = "" }), false},
		"nothing":                       {events.ClaimOwner{}, events.ClaimOwner{}, false},
		"a run":                         {ofRun, ofRun, true},
		"a run of another host":         {ofRun, events.ClaimOwner{Host: "h2", Run: "01RUN"}, false},
		"another run":                   {ofRun, events.ClaimOwner{Host: "h1", Run: "01RUM"}, false},
		"a run and a session beside it": {ofRun, one, false},
	} {
		if got := tt.a.Same(tt.b); got != tt.want || tt.b.Same(tt.a) != got {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// S20: who comes late does not take away what a sibling has got since.
func TestOnlyItsOwnerGivesAClaimBack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		s     State
		who   events.ClaimOwner
		fence uint64
		err   error
	}{
		"its owner":                      {fold(ask(one)), one, 0, nil},
		"its owner, with its fence":      {fold(ask(one)), one, 1, nil},
		"another":                        {fold(ask(one)), two, 0, ErrOwner},
		"nobody has it":                  {fold(), one, 0, ErrFree},
		"twice":                          {fold(ask(one), events.ClaimReleased{Fence: 1}), one, 1, ErrFree},
		"who had it before a sibling":    {fold(ask(one), events.ClaimExpired{Fence: 1}, ask(two)), one, 1, ErrOwner},
		"who has it anew, of the before": {fold(ask(one), events.ClaimExpired{Fence: 1}, ask(one)), one, 1, ErrFence},
	} {
		if _, err := Drop(tt.s, tt.who, tt.fence); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A43: what is forced says by which assurance, and whose it was.
func TestAPersonForcesTheClaimThatWasShown(t *testing.T) {
	t.Parallel()
	s := fold(ask(one), events.ClaimExpired{Fence: 1}, ask(two))
	got, err := Force(s, 3, events.AssuredTTY)
	if d := cmp.Diff(events.Data(events.ClaimForced{Fence: 3, Assurance: events.AssuredTTY}), got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	if _, err := Force(s, 1, events.AssuredTTY); !errors.Is(err, ErrFence) {
		t.Errorf("of a holder before: %v", err)
	}
	if _, err := Force(fold(), 0, events.AssuredTTY); !errors.Is(err, ErrFree) {
		t.Errorf("of nobody: %v", err)
	}
}

func TestEventsOfAHolderBeforeChangeNothing(t *testing.T) {
	t.Parallel()
	has := fold(ask(one), events.ClaimExpired{Fence: 1}, ask(two))
	for _, d := range []events.Data{
		events.ClaimRenewed{Fence: 1, TTLMS: 1}, events.ClaimReleased{Fence: 1}, events.ClaimExpired{Fence: 1}, events.ClaimForced{Fence: 1},
	} {
		got := Evolve(has, events.Event{Seq: 4, Time: start.Add(time.Hour), Data: d})
		want := has
		want.Log.Seq = 4
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T: %s", d, diff)
		}
	}
}

// Whoever asks in whatever order: one owner at a time, and fences only grow.
func TestOneOwnerAtATimeAndFencesGrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s State
		now, last := start, uint64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "minutes")) * time.Minute)
			who := rapid.SampledFrom([]events.ClaimOwner{one, two, ofRun}).Draw(t, "who")
			at := Sight{Now: now, Here: true, Alive: rapid.Bool().Draw(t, "alive"), Seen: now.Sub(s.Beat)}
			before := s
			var d events.Data
			var err error
			if rapid.Bool().Draw(t, "takes") {
				d, err = Take(s, ask(who), at)
			} else {
				d, err = Drop(s, who, 0)
			}
			if err != nil {
				continue
			}
			s = Evolve(s, events.Event{Seq: s.Log.Seq + 1, Time: now, Data: d})
			standing := before.Standing(at)
			if before.Held() && !before.Owner.Same(who) && standing != Stale {
				t.Fatalf("%T by %+v while %+v has it, %s", d, who, before.Owner, standing)
			}
			if _, ok := d.(events.ClaimAcquired); ok {
				if s.Fence <= last {
					t.Fatalf("fence %d behind %d", s.Fence, last)
				}
				last = s.Fence
			}
		}
	})
}
