//go:build !race

// A run of ten thousand iterations takes a minute under the race detector, and has
// nothing for it that short ones have not: make sim plays these.

package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// writer appends the events of one run, and folds them.
type writer struct {
	t     *testing.T
	log   log.Log
	id    string
	at    time.Time
	last  log.Stored
	state run.State
}

func (w *writer) append(d events.Data) {
	w.t.Helper()
	seq := w.last.Event.Seq + 1
	w.at = w.at.Add(time.Second)
	st, err := w.log.Append(w.t.Context(), events.Event{
		ID: fmt.Sprint(w.id, "-", seq), Source: "autopilot/h", Aggregate: events.Run(w.id), Seq: seq, PrevHash: w.last.Hash,
		Time: w.at, Actor: "daemon:h", Data: d,
	}, log.Ordinary)
	if err != nil {
		w.t.Fatal(err)
	}
	w.last, w.state = st, run.Evolve(w.state, st.Event)
}

// knows puts runs that are not live into the daemon, and their log, in memory,
// into the place of its own. The function that it returns undoes that.
func (s *site) knows(l log.Log, states ...run.State) (undo func()) {
	own := s.d.Log
	s.d.Log = l
	for _, st := range states {
		s.d.Fleet.Serve(s.t.Context(), st, engine.Reboot{})
	}
	return func() { s.d.Log = own }
}

const (
	manyRuns   = 10_000
	manyHalted = 10
)

// manyRunsLike makes runs that begin as another one did: some are halted, of the
// rest every third is done, failed or cancelled.
func manyRunsLike(t *testing.T, like events.RunStarted) (log.Log, []run.State) {
	t.Helper()
	l := log.NewMemory(log.MemoryConfig{})
	states := make([]run.State, manyRuns)
	for i := range states {
		w := writer{t: t, log: l, id: fmt.Sprintf("01KB%022d", i), at: time.Now().UTC().Add(-time.Hour)}
		like.Handle = w.id[len(w.id)-6:]
		w.append(like)
		w.append(fate(i, like))
		states[i] = w.state
	}
	return l, states
}

func fate(i int, like events.RunStarted) events.Data {
	if i < manyHalted {
		return events.RunHalted{Reason: events.HaltStuck, Phase: like.Phase}
	}
	state := []events.End{events.EndDone, events.EndFailed, events.EndCancelled}[i%3]
	return events.RunEnded{State: state, Tree: like.Tree}
}

func TestTenThousandRunsAreLookedAt(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	s.wants(st, "done")
	l, states := manyRunsLike(t, st.Facts)
	defer s.knows(l, states...)()
	ctx := t.Context()

	list, err := s.d.api.RunList(ctx, s.request(), wire.ListRequest{All: true})
	if err != nil || len(list.Runs)+list.More != manyRuns+1 {
		t.Errorf("ls --all: %d runs and %d more, %v", len(list.Runs), list.More, err)
	}
	inbox, err := s.d.api.InboxList(ctx, s.request(), wire.InboxRequest{})
	if err != nil || len(inbox.Items) != manyHalted {
		t.Errorf("inbox: %d items, %v", len(inbox.Items), err)
	}
	since := time.Now().Add(-24 * time.Hour)
	report, err := s.d.api.ReportMake(ctx, s.request(), wire.ReportRequest{Since: since, Limit: 20})
	want := wire.Counts{Halted: manyHalted, Done: (manyRuns-manyHalted)/3 + 1, Failed: (manyRuns - manyHalted) / 3}
	if report.Counts != want || err != nil {
		t.Errorf("report: %+v, want %+v, %v", report.Counts, want, err)
	}
	v, text := s.retroOf(wire.RetroRequest{Since: since, Format: wire.RetroHTML})
	if v.Many.Runs != manyRuns || v.Many.Unread != 1 || v.Many.Done != want.Done-1 || len(v.Many.Rows)+v.Many.More != v.Many.Runs {
		t.Errorf("retro: %d runs, %d unread, %d done, %d rows and %d more", v.Many.Runs, v.Many.Unread, v.Many.Done, len(v.Many.Rows), v.Many.More)
	}
	if len(text) > pageBytes {
		t.Errorf("the retro of many runs has %d bytes", len(text))
	}
}

// pageBytes is how large a page of a retro may be.
const pageBytes = 1 << 20

// longRunOf is a log with one run of so many iterations, each of which fails in
// another way than the one before.
func longRunOf(t *testing.T, like events.RunStarted, iterations int) (log.Log, run.State) {
	t.Helper()
	l := log.NewMemory(log.MemoryConfig{})
	w := writer{t: t, log: l, id: "01KB0000000000000000000LONG", at: time.Now().UTC().Add(-24 * time.Hour)}
	like.Handle, like.Limits.Iterations = "long", iterations
	w.append(like)
	for k := range iterations + 1 {
		tree := events.Tree(fmt.Sprintf("%040d", k))
		if k > 0 {
			w.append(events.IterationStarted{Phase: like.Phase, Iteration: k, Attempt: 1, Tree: tree, Work: tree})
			w.append(events.AgentEnded{
				Phase: like.Phase, Iteration: k, Attempt: 1, Outcome: events.Exited, DurationMS: 900, Tree: tree, Work: tree, Files: 1,
				Usage: events.Usage{Input: 10, TokensFrom: events.Reported, MicroUSD: 100, CostFrom: events.Reported},
			})
		}
		w.append(events.GatesJudged{Phase: like.Phase, Iteration: k, Tree: tree, Work: tree, Results: []events.GateResult{{
			Gate: "goal", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1,
			Failing: 1 + k%7, FailingSum: fmt.Sprint(k), OutputSum: fmt.Sprint(k),
		}}})
		if k > 0 {
			sum := fmt.Sprintf("%064d", k)
			w.append(events.IterationRecorded{Phase: like.Phase, Iteration: k, Attempt: 1, Verdict: events.Fail, Fingerprint: sum, Signature: sum, Tree: tree, Work: tree, Files: 1})
		}
	}
	w.append(events.RunHalted{Reason: events.HaltIterations, Phase: like.Phase, Iteration: iterations})
	return l, w.state
}

func TestARunOfTenThousandIterationsIsLookedAt(t *testing.T) {
	t.Parallel()
	const iterations = 10_000
	s := newSite(t, nil)
	l, st := longRunOf(t, s.play(s.spec("test -f ok", "touch ok")).Facts, iterations)
	defer s.knows(l, st)()

	w := s.why(st.ID)
	if len(w.Rows) != iterations || w.Run.Iteration != iterations || w.Rule == "" {
		t.Errorf("why: %d rows, %q, %+v", len(w.Rows), w.Rule, w.Run)
	}
	for _, k := range []int{1, iterations / 2, iterations} {
		at := fmt.Sprintf("iteration:%d", k)
		frames, err := s.replay(s.request(), wire.ReplayRequest{RunRef: wire.RunRef{Run: st.ID}, At: at})
		s.must(err)
		f := frames[0]
		if f.View.Iteration != k || len(f.Why.Rows) != k || f.View.Usage.Agents != k || f.Seq != uint64(4*k+2) {
			t.Errorf("at %s: event %d of iteration %d, %d rows", at, f.Seq, f.View.Iteration, len(f.Why.Rows))
		}
	}
	const enough = 500 // events that are shown one by one
	frames := 0
	err := s.d.api.RunReplay(t.Context(), s.request(), wire.ReplayRequest{RunRef: wire.RunRef{Run: st.ID}}, func(b wire.Raw) error {
		frames++
		if frames < enough {
			return nil
		}
		if len(b) > wire.MaxFrame {
			t.Errorf("a frame has %d bytes", len(b))
		}
		return context.Canceled
	})
	if !errors.Is(err, context.Canceled) || frames != enough {
		t.Errorf("replay: %d frames, %v", frames, err)
	}
	v, text := s.retroOf(wire.RetroRequest{RunRef: wire.RunRef{Run: st.ID}, Format: wire.RetroHTML})
	if r := v.Run; len(r.Iterations) != iterations+1 || r.Usage.Agents != iterations || r.Usage.MicroUSD != 100*iterations || r.Seq != st.Log.Seq {
		t.Errorf("retro: %d iterations, %+v, event %d", len(r.Iterations), r.Usage, r.Seq)
	}
	if len(text) > pageBytes || !strings.Contains(text, "10000") && !strings.Contains(text, "10,000") {
		t.Errorf("the retro of a long run has %d bytes", len(text))
	}
}
