package log_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

var roomy = log.Config{Quota: 16 << 20, Reserve: 1 << 20}

func jetStream(t *testing.T, s *testServer) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// config is the present configuration of the first generation.
func config(t *testing.T, js jetstream.JetStream) jetstream.StreamConfig {
	t.Helper()
	st, err := js.Stream(t.Context(), "AP_EVENTS_1")
	if err != nil {
		t.Fatal(err)
	}
	return st.CachedInfo().Config
}

func TestOpenRefusesAnotherFormat(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	s.open(t, roomy)
	js := jetStream(t, s)
	for format, want := range map[string]error{"1": log.ErrOlder, "3": log.ErrNewer} {
		c := config(t, js)
		c.Metadata["autopilot.format"] = format
		if _, err := js.UpdateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		_, err := log.Open(t.Context(), s.nc, roomy)
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "AP_EVENTS_1") {
			t.Fatalf("format %s: open answered %v", format, err)
		}
	}
}

func TestOpenRefusesAStreamThatLosesEvents(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	s.open(t, roomy)
	js := jetStream(t, s)
	good := config(t, js)
	for what, change := range map[string]func(*jetstream.StreamConfig){
		"max messages per subject": func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject, c.DiscardNewPerSubject = 1, true },
		"max messages":             func(c *jetstream.StreamConfig) { c.MaxMsgs = 1 },
		"max age":                  func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"discard":                  func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
		"allow direct":             func(c *jetstream.StreamConfig) { c.AllowDirect = true },
		"subjects":                 func(c *jetstream.StreamConfig) { c.Subjects = append(c.Subjects, "ap.other") },
		"no event format":          func(c *jetstream.StreamConfig) { c.Metadata = nil },
	} {
		c := good
		change(&c)
		if _, err := js.UpdateStream(t.Context(), c); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := log.Open(t.Context(), s.nc, roomy); !errors.Is(err, log.ErrAltered) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: open answered %v", what, err)
		}
		if _, err := js.UpdateStream(t.Context(), good); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	s.open(t, roomy)
}

func TestOpenRefusesAQuotaThatLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []log.Config{{}, {Quota: 10, Reserve: 10}, {Quota: 10, Reserve: -1}} {
		if _, err := log.Open(t.Context(), nil, c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

func TestOpenPrefersTheNewestGeneration(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	js := jetStream(t, s)
	old := s.open(t, roomy)
	run := &logtest.Chain{Aggregate: events.Run("a")}
	cursor := run.Grow(t, old, 1)[0].Cursor
	c := config(t, js)
	retired := c
	retired.Subjects = []string{"ap.retired.1.>"}
	if _, err := js.UpdateStream(t.Context(), retired); err != nil {
		t.Fatal(err)
	}
	c.Name = "AP_EVENTS_12"
	if _, err := js.CreateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	l := s.open(t, roomy)
	run = &logtest.Chain{Aggregate: events.Run("a")}
	kept := run.Grow(t, l, 2)
	for _, err := range l.ReadAll(t.Context(), cursor) {
		var expired *log.CursorError
		if !errors.As(err, &expired) {
			t.Fatalf("a cursor of an old generation: %v", err)
		}
		if got := logtest.All(t, l.ReadAll(t.Context(), expired.Oldest)); len(got) != len(kept) {
			t.Fatalf("%d events from the oldest place, want %d", len(got), len(kept))
		}
	}
}

func TestAQuotaIsRaisedAndNeverLoweredAtTheServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	js := jetStream(t, s)
	run := &logtest.Chain{Aggregate: events.Run("a")}
	kept := run.Grow(t, s.open(t, log.Config{Quota: 64 << 10, Reserve: 1 << 10}), 20)

	small := s.open(t, log.Config{Quota: 4 << 10, Reserve: 1 << 10})
	if _, err := small.Append(t.Context(), run.Next(0), log.Closing); !errors.Is(err, log.ErrFull) {
		t.Fatalf("append over a lower quota answered %v", err)
	}
	if c := config(t, js); c.MaxBytes != 64<<10 {
		t.Fatalf("the server's quota is %d", c.MaxBytes)
	}
	large := s.open(t, roomy)
	if c := config(t, js); c.MaxBytes != roomy.Quota {
		t.Fatalf("the server's quota is %d", c.MaxBytes)
	}
	kept = append(kept, run.Grow(t, large, 200)...)
	if got := logtest.All(t, large.ReadAll(t.Context(), "")); len(got) != len(kept) {
		t.Fatalf("%d events, want %d", len(got), len(kept))
	}
}

func TestTheServersOwnLimitIsFull(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	js := jetStream(t, s)
	l := s.open(t, roomy)
	run := &logtest.Chain{Aggregate: events.Run("a")}
	run.Grow(t, l, 20)
	c := config(t, js)
	info, err := l.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.MaxBytes = info.Bytes + 10 // below what the log believes
	if _, err := js.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), run.Next(0), log.Closing); !errors.Is(err, log.ErrFull) {
		t.Fatalf("append answered %v", err)
	}
}

func TestUsageAgreesWithTheServerWithoutAsking(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	l := s.open(t, roomy)
	run := &logtest.Chain{Aggregate: events.Run("a")}
	run.Grow(t, l, 120) // positions of one, two and three digits
	counted := l.Counted()
	u, err := l.Usage(t.Context())
	if err != nil || u.Bytes != counted || u.Events != 120 {
		t.Fatalf("counted %d bytes, usage %+v, %v", counted, u, err)
	}
}

func TestReadersLeaveNoConsumerBehind(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	l := s.open(t, roomy)
	run := &logtest.Chain{Aggregate: events.Run("a")}
	run.Grow(t, l, 5)
	for range 5 {
		logtest.All(t, l.Read(t.Context(), run.Aggregate, 0))
		logtest.All(t, l.ReadAll(t.Context(), ""))
		for range l.Follow(t.Context(), "") { //nolint:errcheck // it is left at once
			break
		}
	}
	// A request on the same connection is answered after what was sent before.
	st, err := jetStream(t, s).Stream(t.Context(), "AP_EVENTS_1")
	if err != nil {
		t.Fatal(err)
	}
	for left := -1; left != 0; {
		info, err := st.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		left = info.State.Consumers
	}
}

func TestALostConsumerIsMadeAnew(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	l := s.open(t, roomy)
	st, err := jetStream(t, s).Stream(t.Context(), "AP_EVENTS_1")
	if err != nil {
		t.Fatal(err)
	}
	run := &logtest.Chain{Aggregate: events.Run("a")}
	run.Grow(t, l, 3)
	seen := uint64(0)
	for e, err := range l.Follow(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if e.Event.Seq != seen {
			t.Fatalf("event %d comes after %d", e.Event.Seq, seen-1)
		}
		if seen == 3 {
			for name := range st.ConsumerNames(t.Context()).Name() {
				if err := st.DeleteConsumer(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
			run.Grow(t, l, 3)
		}
		if seen == 6 {
			break
		}
	}
}

func TestAFollowerIsToldWhenTheServerIsGone(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	l := s.open(t, roomy)
	run := &logtest.Chain{Aggregate: events.Run("a")}
	kept := run.Grow(t, l, 3)
	var cursor log.Cursor
	var end error
	for e, err := range l.Follow(t.Context(), "") {
		if end = err; err != nil {
			break
		}
		cursor = e.Cursor
		if e.Event.Seq == 3 {
			s.stop()
		}
	}
	if !errors.Is(end, log.ErrUnavailable) {
		t.Fatalf("follow ended with %v", end)
	}
	if _, err := l.Append(t.Context(), run.Next(0), log.Ordinary); !errors.Is(err, log.ErrUnavailable) {
		t.Fatalf("append answered %v", err)
	}
	if _, err := l.Usage(t.Context()); !errors.Is(err, log.ErrUnavailable) {
		t.Fatalf("usage answered %v", err)
	}
	for _, err := range l.Read(t.Context(), run.Aggregate, 0) {
		if !errors.Is(err, log.ErrUnavailable) {
			t.Fatalf("read yielded %v", err)
		}
	}

	s.start(t)
	l = s.open(t, roomy)
	if cursor != kept[2].Cursor {
		t.Fatalf("cursor %q, want %q", cursor, kept[2].Cursor)
	}
	run.Grow(t, l, 1)
	for e, err := range l.Follow(t.Context(), cursor) {
		if err != nil || e.Event.Seq != 4 {
			t.Fatalf("followed on with %+v, %v", e, err)
		}
		break
	}
}

// put stores bytes past the log.
func put(t *testing.T, s *testServer, subject, body string) {
	t.Helper()
	if _, err := jetStream(t, s).PublishMsg(t.Context(), &nats.Msg{Subject: subject, Data: []byte(body)}); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedEventIsYieldedAndReadOver(t *testing.T) {
	t.Parallel()
	s := startServer(t, false)
	l := s.open(t, roomy)
	a := &logtest.Chain{Aggregate: events.Run("a")}
	b := &logtest.Chain{Aggregate: events.Run("b")}
	kept := a.Grow(t, l, 2)
	put(t, s, a.Aggregate.Subject(), "{}")
	put(t, s, "ap.event.run.c", string(kept[1].Bytes))
	b.Grow(t, l, 1)

	damaged, sound := 0, 0
	for e, err := range l.ReadAll(t.Context(), "") {
		switch {
		case err == nil:
			sound++
		case errors.Is(err, log.ErrDamaged) && len(e.Bytes) > 0 && e.Cursor != "":
			damaged++
		default:
			t.Fatal(err)
		}
	}
	if damaged != 2 || sound != 3 {
		t.Fatalf("%d damaged and %d sound events, want 2 and 3", damaged, sound)
	}
	if _, err := l.Append(t.Context(), a.Next(0), log.Ordinary); !errors.Is(err, log.ErrConflict) {
		t.Fatalf("append on top of what the log does not know answered %v", err)
	}
	if _, err := l.Append(t.Context(), a.Next(0), log.Ordinary); !errors.Is(err, log.ErrDamaged) {
		t.Fatalf("append on top of a damaged event answered %v", err)
	}
	report, err := log.Check(l.ReadAll(t.Context(), ""))
	if err != nil || len(report.Bad) != 2 || report.Bad[0].Aggregate != "run.a" || report.Bad[0].Seq != 3 || report.Bad[1].Aggregate != "run.c" {
		t.Fatalf("check says %+v, %v", report, err)
	}
}
