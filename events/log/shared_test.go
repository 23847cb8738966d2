package log_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

func shared(host string, keep int) *log.Sharing { return &log.Sharing{Host: host, Keep: keep} }

// A log that several hosts share keeps what every log promises.
func TestASharedLogConforms(t *testing.T) {
	t.Parallel()
	logtest.Run(t, func(t *testing.T, cfg logtest.Config) logtest.Place {
		s := startServer(t, false)
		var faults log.Faults
		return logtest.Place{
			Open: func(t *testing.T) log.Log {
				l := s.open(t, log.Config{Quota: cfg.Quota, Reserve: cfg.Reserve, Shared: shared("test", 1<<20)})
				if faults != nil {
					l.Fail(faults)
				}
				return l
			},
			Restart: func(t *testing.T) { s.stop(); s.start(t) },
			Fail:    func(f log.Faults) { faults = f },
		}
	})
}

// hostLogs is a log that hosts share on one server.
type hostLogs struct {
	t *testing.T
	s *testServer
}

const kept = 4

func (h hostLogs) of(host string) *log.Stream {
	return h.s.open(h.t, log.Config{Quota: 16 << 20, Reserve: 1 << 20, Shared: shared(host, kept)})
}

// appends stores an event of a claim as one host, in the name of one.
func (h hostLogs) appends(l *log.Stream, name, id string) (log.Stored, error) {
	h.t.Helper()
	last, _, err := l.Last(h.t.Context(), events.ClaimOf(id))
	if err != nil {
		h.t.Fatal(err)
	}
	seq := last.Event.Seq + 1
	return l.Append(h.t.Context(), events.Event{
		ID: fmt.Sprintf("%026d", seq), Time: time.Date(2026, 3, 1, 0, 0, 0, int(seq), time.UTC), Source: events.SourceOf(name), Actor: events.ActorDaemon(name),
		Aggregate: events.ClaimOf(id), Seq: seq, PrevHash: last.Hash, Data: events.ClaimExpired{Fence: seq},
	}, log.Ordinary)
}

func (h hostLogs) grows(l *log.Stream, host, id string, n int) {
	h.t.Helper()
	for range n {
		if _, err := h.appends(l, host, id); err != nil {
			h.t.Fatal(err)
		}
	}
}

func seqs(t *testing.T, l log.Log, id string, after uint64) (out []uint64, cut bool) {
	t.Helper()
	for st, err := range l.Read(t.Context(), events.ClaimOf(id), after) {
		if err != nil {
			t.Fatal(err)
		}
		cut = cut || st.Cut
		out = append(out, st.Event.Seq)
	}
	return out, cut
}

func TestASharedLogKeepsTheLatestEventsOfEachHost(t *testing.T) {
	t.Parallel()
	h := hostLogs{t, startServer(t, false)}
	one, two := h.of("one"), h.of("two")
	h.grows(one, "one", "a", 3)
	h.grows(two, "two", "a", 2)  // 4, 5
	h.grows(one, "one", "a", 10) // 6 to 15: of its own 12 to 15 are kept
	h.grows(two, "two", "b", 1)
	for name, l := range map[string]*log.Stream{"one": one, "anew": h.of("three")} {
		if got, cut := seqs(t, l, "a", 0); !slices.Equal(got, []uint64{12, 13, 14, 15}) || !cut {
			t.Errorf("%s reads %v, cut: %v", name, got, cut)
		}
		if got, cut := seqs(t, l, "a", 14); !slices.Equal(got, []uint64{15}) || cut {
			t.Errorf("%s reads %v behind 14, cut: %v", name, got, cut)
		}
		if last, ok, err := l.Last(t.Context(), events.ClaimOf("a")); err != nil || !ok || last.Event.Seq != 15 || !last.Cut {
			t.Errorf("%s has %d as the last: %v", name, last.Event.Seq, err)
		}
	}
	if got, cut := seqs(t, one, "b", 0); !slices.Equal(got, []uint64{1}) || cut {
		t.Errorf("of b it reads %v, cut: %v", got, cut)
	}
	// A start hears of the latest of each host, and then of what comes.
	var heard []string
	for st, err := range h.of("four").FollowLasts(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, fmt.Sprintf("%s %d", st.Event.Aggregate.ID, st.Event.Seq))
		if len(heard) == 3 {
			h.grows(two, "two", "b", 1)
		}
		if len(heard) == 4 {
			break
		}
	}
	if want := []string{"a 5", "a 15", "b 1", "b 2"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
	if r, err := one.CheckAll(t.Context()); err != nil || len(r.Bad) > 0 || r.Aggregates != 2 || r.Events != 8 || r.Cut != 1 {
		t.Errorf("checked: %+v, %v", r, err)
	}
}

// The subject says which credentials have stored an event.
func TestAnEventInTheNameOfAnotherHostIsDamaged(t *testing.T) {
	t.Parallel()
	h := hostLogs{t, startServer(t, false)}
	one, two := h.of("one"), h.of("two")
	h.grows(one, "one", "a", 1)
	if _, err := h.appends(two, "one", "a"); err != nil {
		t.Fatal(err)
	}
	r, err := h.of("three").CheckAll(t.Context())
	if err != nil || len(r.Bad) != 1 || !strings.Contains(r.Bad[0].What, "autopilot/one was written with the credentials of host two") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhatTheServersHaveNotDroppedIsMissing(t *testing.T) {
	t.Parallel()
	event := func(host string, seq uint64, hash, prev string) log.Stored {
		return log.Stored{Subject: "ap.event.claim.a", Hash: hash, Position: seq, Event: events.Event{
			Aggregate: events.ClaimOf("a"), Seq: seq, PrevHash: prev, Source: events.SourceOf(host), Data: events.ClaimExpired{},
		}}
	}
	for name, tt := range map[string]struct {
		all  []log.Stored
		want string
		cut  int
	}{
		"whole":                             {[]log.Stored{event("h", 1, "a", ""), event("h", 2, "b", "a")}, "", 0},
		"a beginning that was dropped":      {[]log.Stored{event("h", 3, "c", "b"), event("h", 4, "d", "c")}, "", 1},
		"a middle that was dropped":         {[]log.Stored{event("g", 1, "a", ""), event("h", 3, "c", "b"), event("h", 4, "d", "c")}, "", 1},
		"a beginning that nobody dropped":   {[]log.Stored{event("g", 3, "c", "b"), event("h", 4, "d", "c")}, "events 1 to 2 are missing", 0},
		"a middle that nobody dropped":      {[]log.Stored{event("h", 1, "a", ""), event("h", 2, "b", "a"), event("h", 4, "d", "c")}, "events 3 to 3 are missing", 0},
		"another hash than the one before":  {[]log.Stored{event("h", 1, "a", ""), event("h", 2, "b", "x")}, "does not carry the hash of event 1", 0},
		"one twice":                         {[]log.Stored{event("h", 1, "a", ""), event("h", 1, "b", "a")}, "stored behind event 1", 0},
		"a first event that has one before": {[]log.Stored{event("h", 1, "a", "x")}, "does not carry the hash", 0},
	} {
		r, err := log.CheckShared(func(yield func(log.Stored, error) bool) {
			for _, st := range tt.all {
				if !yield(st, nil) {
					return
				}
			}
		}, 2)
		got := ""
		if len(r.Bad) > 0 {
			got = r.Bad[0].What
		}
		if err != nil || (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) || r.Cut != tt.cut {
			t.Errorf("%s: %q, cut %d, %v", name, got, r.Cut, err)
		}
	}
}
