package notify

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events/wire"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func loud(string) bool  { return false }
func night(string) bool { return true }

func notice(i int, k Kind) Notice {
	id := fmt.Sprintf("01RUN%04d", i)
	return NewNotice(k, wire.RunView{ID: id, Handle: id[5:]}, 7, start, "run "+id[5:]+" "+string(k), "apctl why "+id[5:])
}

// sent plays a queue whose messages all arrive, until nothing is due before a
// time, and names what was sent.
func sent(q *queue, now, until time.Time, quiet func(time.Time) hush) []string {
	t := DefaultTiming()
	var out []string
	for range 10_000 {
		m, ok, again := q.next(now, t, quiet(now))
		if ok {
			what := m.Key
			if m.Kind == wire.KindDigest {
				what = m.Line
			}
			out = append(out, now.Sub(start).String()+" "+what)
			q.settle(m.Key, outcome{}, now, t)
			continue
		}
		if again.IsZero() || again.After(until) {
			return out
		}
		now = again
	}
	return append(out, "never comes to rest")
}

func always(h hush) func(time.Time) hush { return func(time.Time) hush { return h } }

func TestWhatIsGatheredIsToldOneByOneOrAsADigest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		fill  func(q *queue)
		until time.Duration
		want  []string
	}{
		{"nothing", func(*queue) {}, time.Hour, nil},
		{"one", func(q *queue) { q.add(notice(1, Done), start, loud) }, time.Hour, []string{"300ms 01RUN0001-7-done"}},
		{"a few are told one by one", func(q *queue) {
			q.add(notice(1, Done), start, loud)
			q.add(notice(2, Halted), start.Add(100*time.Millisecond), loud)
		}, time.Hour, []string{"400ms 01RUN0001-7-done", "400ms 01RUN0002-7-halted"}},
		{"a thousand halts in a second are one digest", func(q *queue) {
			for i := range 1000 {
				q.add(notice(i, Halted), start.Add(time.Duration(i)*time.Millisecond), loud)
			}
		}, time.Hour, []string{"1.2s 1000 notices: 1000 halted"}},
		{"a digest counts by kind", func(q *queue) {
			for i, k := range []Kind{Done, Halted, NeedsPerson, Done, Died, WaitingLimit} {
				q.add(notice(i, k), start, loud)
			}
		}, time.Hour, []string{"300ms 6 notices: 1 needs person, 1 halted, 2 done, 1 waiting limit, 1 died"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var q queue
			tc.fill(&q)
			if diff := cmp.Diff(tc.want, sent(&q, start, start.Add(tc.until), always(loud))); diff != "" {
				t.Error(diff)
			}
			if q.waiting() != 0 {
				t.Errorf("%d are left", q.waiting())
			}
		})
	}
}

func TestMoreThanTheBurstWaitsForTheEndOfTheWindow(t *testing.T) {
	t.Parallel()
	var q queue
	var got []string
	for i := range 8 {
		now := start.Add(time.Duration(i) * 2 * time.Second)
		q.add(notice(i, Halted), now, loud)
		got = append(got, sent(&q, now, now.Add(time.Second), always(loud))...)
	}
	got = append(got, sent(&q, start.Add(16*time.Second), start.Add(time.Hour), always(loud))...)
	want := []string{
		"300ms 01RUN0000-7-halted", "2.3s 01RUN0001-7-halted", "4.3s 01RUN0002-7-halted",
		"6.3s 01RUN0003-7-halted", "8.3s 01RUN0004-7-halted", "1m0.3s 3 notices: 3 halted",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheQuietTimeIsToldAtItsEndAsOneDigest(t *testing.T) {
	t.Parallel()
	s := Settings{Quiet: "12:00-13:00", QuietPass: []string{"needs_person"}}
	var q queue
	for i, k := range []Kind{Halted, NeedsPerson, Done} {
		q.add(notice(i, k), start, s.hush(start))
	}
	if got := sent(&q, start, start.Add(59*time.Minute), s.hush); !cmp.Equal(got, []string{"300ms 01RUN0001-7-needs_person"}) {
		t.Errorf("within the quiet time: %v", got)
	}
	end := start.Add(time.Hour)
	if got := sent(&q, end, end, s.hush); !cmp.Equal(got, []string{"1h0m0s 2 notices: 1 halted, 1 done"}) {
		t.Errorf("at its end: %v", got)
	}
}

func TestARetryRespectsTheQuietTime(t *testing.T) {
	t.Parallel()
	var q queue
	q.add(notice(1, Halted), start, loud)
	now := start.Add(time.Second)
	m, ok, _ := q.next(now, DefaultTiming(), loud)
	if !ok {
		t.Fatal("nothing is due")
	}
	q.settle(m.Key, outcome{err: errors.New("500"), again: true}, now, DefaultTiming())
	if _, ok, _ := q.next(now.Add(time.Minute), DefaultTiming(), night); ok {
		t.Error("the message is sent within the quiet time")
	}
	if _, ok, _ := q.next(now.Add(time.Minute), DefaultTiming(), loud); !ok {
		t.Error("the message is not sent after it")
	}
}

func TestARetryDoesNotWaitForAClockThatWasPutBack(t *testing.T) {
	t.Parallel()
	var q queue
	q.add(notice(1, Halted), start, loud)
	now := start.Add(time.Second)
	m, _, _ := q.next(now, DefaultTiming(), loud)
	q.settle(m.Key, outcome{err: errors.New("429"), again: true, after: time.Hour}, now, DefaultTiming())
	if _, ok, again := q.next(now, DefaultTiming(), loud); ok || again != now.Add(DefaultTiming().RetryMost) {
		t.Errorf("sent %v, looked at again at %v", ok, again)
	}
	if _, ok, _ := q.next(now.Add(-24*time.Hour), DefaultTiming(), loud); !ok {
		t.Error("the message waits for the clock to come back")
	}
}

func TestAWebhookIsTriedEightTimesOverAboutAnHour(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		o      outcome
		tries  int
		within [2]time.Duration
	}{
		{"a server that fails", outcome{err: errors.New("x"), again: true}, 8, [2]time.Duration{50 * time.Minute, 70 * time.Minute}},
		{"a server that asks to wait for a year", outcome{err: errors.New("x"), again: true, after: 365 * 24 * time.Hour}, 8, [2]time.Duration{3 * time.Hour, 4 * time.Hour}},
		{"a server that says no", outcome{err: errors.New("x")}, 1, [2]time.Duration{0, time.Second}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var q queue
			q.add(notice(1, Done), start, loud)
			now, first, tries := start, time.Time{}, 0
			keys := map[string]bool{}
			for {
				m, ok, again := q.next(now, DefaultTiming(), loud)
				if ok {
					tries++
					keys[m.Key] = true
					if first.IsZero() {
						first = now
					}
					q.settle(m.Key, tc.o, now, DefaultTiming())
					continue
				}
				if again.IsZero() {
					break
				}
				now = again
			}
			took := now.Sub(first)
			if tries != tc.tries || len(keys) != 1 || took < tc.within[0] || took > tc.within[1] {
				t.Errorf("%d tries with %d keys over %v", tries, len(keys), took)
			}
			if q.Failed != 1 || q.Error != "x" || q.waiting() != 0 {
				t.Errorf("left: %+v", q)
			}
		})
	}
}

func TestAQueueLosesNothingAndStaysSmall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		now, added, told := start, 0, 0
		quiet := loud
		take := func(m message) {
			if m.Kind == wire.KindDigest {
				for _, n := range m.Counts {
					told += n
				}
			} else {
				told++
			}
		}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				added++
				q.add(notice(added, rapid.SampledFrom(Kinds()).Draw(t, "kind")), now, quiet)
			case 2:
				now = now.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(2*time.Hour)).Draw(t, "time")))
			case 3:
				quiet = rapid.SampledFrom([]func(string) bool{loud, night}).Draw(t, "quiet")
			case 4:
				m, ok, _ := q.next(now, DefaultTiming(), quiet)
				if !ok {
					continue
				}
				o := rapid.SampledFrom([]outcome{{}, {err: errors.New("no")}, {err: errors.New("later"), again: true}}).Draw(t, "outcome")
				if q.settle(m.Key, o, now, DefaultTiming()) || o.err == nil {
					take(m)
				}
			}
			if len(q.Held.Notices) > maxItems || len(q.Night.Notices) > maxItems || len(q.Due) > maxDue+DefaultTiming().Burst {
				t.Fatalf("the queue grows: %d held, %d quiet, %d due", len(q.Held.Notices), len(q.Night.Notices), len(q.Due))
			}
		}
		for range 1000 {
			now = now.Add(2 * time.Hour)
			m, ok, _ := q.next(now, DefaultTiming(), loud)
			if ok {
				q.settle(m.Key, outcome{}, now, DefaultTiming())
				take(m)
			}
		}
		if told != added || q.waiting() != 0 {
			t.Errorf("%d of %d were told, %d wait", told, added, q.waiting())
		}
	})
}
