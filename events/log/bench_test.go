package log_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"autopilot/events"
	"autopilot/events/log"
)

// benchRuns is how many aggregates take turns, as live runs do.
const benchRuns = 64

// BenchmarkAppend compares an append, encoding included, with the floor: a
// conditional publish of as many bytes to an equal stream of the same server,
// in turns with it. It reports the median of both and their ratio.
func BenchmarkAppend(b *testing.B) {
	b.Run("durability=power", func(b *testing.B) { benchAppend(b, true) })
	b.Run("durability=process", func(b *testing.B) { benchAppend(b, false) })
}

func benchAppend(b *testing.B, sync bool) {
	s := startServer(b, sync)
	l := s.open(b, log.Config{Quota: 4 << 30, Reserve: 1 << 20})
	floor := newFloor(b, s)
	runs := make([]events.Event, benchRuns)
	for i := range runs {
		runs[i] = benchEvent(fmt.Sprintf("01J%023d", i))
	}
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	appends, raws := make([]time.Duration, 0, b.N), make([]time.Duration, 0, b.N)
	body := benchBody(b, runs[0])
	for i := 0; b.Loop(); i++ {
		// Turns are taken in both orders, so that neither always pays for what
		// the other left behind.
		if i%2 == 0 {
			raws = append(raws, floor.publish(ctx, b, i%benchRuns, body))
		}
		e := &runs[i%benchRuns]
		begin := time.Now()
		st, err := l.Append(ctx, *e, log.Ordinary)
		took := time.Since(begin)
		if err != nil {
			b.Fatal(err)
		}
		e.Seq, e.PrevHash, body = e.Seq+1, st.Hash, st.Bytes
		appends = append(appends, took)
		if i%2 == 1 {
			raws = append(raws, floor.publish(ctx, b, i%benchRuns, body))
		}
	}
	a, r := median(appends), median(raws)
	b.ReportMetric(float64(a.Nanoseconds())/1e3, "append-p50-us")
	b.ReportMetric(float64(r.Nanoseconds())/1e3, "raw-p50-us")
	b.ReportMetric(float64(a)/float64(r), "ratio")
}

// floor publishes to a stream that is like the log's.
type floor struct {
	js   jetstream.JetStream
	last [benchRuns]uint64
}

func newFloor(b *testing.B, s *testServer) *floor {
	b.Helper()
	js, err := jetstream.New(s.nc)
	if err != nil {
		b.Fatal(err)
	}
	_, err = js.CreateStream(b.Context(), jetstream.StreamConfig{
		Name: "FLOOR", Subjects: []string{"ap.floor.>"}, Storage: jetstream.FileStorage,
		MaxBytes: 4 << 30, Discard: jetstream.DiscardNew, DenyDelete: true, DenyPurge: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	return &floor{js: js}
}

func (f *floor) publish(ctx context.Context, b *testing.B, run int, body []byte) time.Duration {
	b.Helper()
	subject := fmt.Sprintf("ap.floor.run.01J%023d", run)
	begin := time.Now()
	ack, err := f.js.Publish(ctx, subject, body, jetstream.WithExpectLastSequencePerSubject(f.last[run]))
	took := time.Since(begin)
	if err != nil {
		b.Fatal(err)
	}
	f.last[run] = ack.Sequence
	return took
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func benchBody(b *testing.B, e events.Event) []byte {
	b.Helper()
	body, err := events.Encode(e)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// benchEvent is as large as an ordinary iteration's gates.judged.v1.
func benchEvent(run string) events.Event {
	sum := events.Ref(events.Hash([]byte(run)))
	tree := events.Tree(sum[:40])
	return events.Event{
		ID: run, Source: "autopilot/3f786850e387550f", Aggregate: events.Run(run),
		Time: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC), Seq: 1,
		Actor: events.ActorDaemon("3f786850e387550f"),
		Data: events.GatesJudged{
			Phase: "converge", Iteration: 3, Tree: tree, Work: tree,
			Results: []events.GateResult{{
				Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail,
				Reason: events.ReasonExit, Exit: 1, DurationMS: 8123, Failing: 3, FailingIDs: sum,
				FailingSum: string(sum), OutputSum: string(sum), Excerpt: sum, Effect: run,
				Argv: string(sum), Env: string(sum), Tool: string(sum),
			}},
		},
	}
}

// BenchmarkRead reads one run out of many interleaved ones.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{0, 10, 50, 500} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			l, runs := benchFilled(b, n)
			b.ReportAllocs()
			for b.Loop() {
				benchDrain(b, l.Read(b.Context(), runs[7].Aggregate, 0), n)
			}
		})
	}
}

// BenchmarkReadAll reads a whole log.
func BenchmarkReadAll(b *testing.B) {
	const n = 200
	l, _ := benchFilled(b, n)
	b.ReportAllocs()
	for b.Loop() {
		benchDrain(b, l.ReadAll(b.Context(), ""), n*benchRuns)
	}
	b.ReportMetric(float64(n*benchRuns*b.N)/b.Elapsed().Seconds(), "events/s")
}

// benchFilled is a log with n events in each run.
func benchFilled(b *testing.B, n int) (*log.Stream, []events.Event) {
	b.Helper()
	s := startServer(b, false)
	l := s.open(b, log.Config{Quota: 4 << 30, Reserve: 1 << 20})
	runs := make([]events.Event, benchRuns)
	for i := range runs {
		runs[i] = benchEvent(fmt.Sprintf("01J%023d", i))
	}
	for i := range n * benchRuns {
		e := &runs[i%benchRuns]
		st, err := l.Append(b.Context(), *e, log.Ordinary)
		if err != nil {
			b.Fatal(err)
		}
		e.Seq, e.PrevHash = e.Seq+1, st.Hash
	}
	return l, runs
}

func benchDrain(b *testing.B, read iter.Seq2[log.Stored, error], want int) {
	b.Helper()
	got := 0
	for _, err := range read {
		if err != nil {
			b.Fatal(err)
		}
		got++
	}
	if got != want {
		b.Fatalf("read %d events, want %d", got, want)
	}
}
