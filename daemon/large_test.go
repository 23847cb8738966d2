package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// writer appends the events of one run.
type writer struct {
	log  log.Log
	id   string
	at   time.Time
	last log.Stored
}

func (w *writer) append(ctx context.Context, d events.Data) error {
	seq := w.last.Event.Seq + 1
	w.at = w.at.Add(time.Second)
	e := events.Event{
		ID: fmt.Sprint(w.id, "-", seq), Source: "autopilot/h", Aggregate: events.Run(w.id), Seq: seq, PrevHash: w.last.Hash,
		Time: w.at, Actor: "daemon:h", Data: d,
	}
	st, err := w.log.Append(ctx, e, log.Ordinary)
	w.last = st
	return err
}

const (
	manyRuns   = 10_000
	manyHalted = 10
)

// many appends runs that begin as another one did: some are halted, of the rest
// every third is done, failed or cancelled.
func (s *site) many(like events.RunStarted) {
	s.t.Helper()
	const writers = 4
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for n := range writers {
		wg.Go(func() {
			for i := n; i < manyRuns && errs[n] == nil; i += writers {
				w := writer{log: s.d.log, id: fmt.Sprintf("01KB%022d", i), at: time.Now().UTC().Add(-time.Hour)}
				begun := like
				begun.Handle = w.id[len(w.id)-6:]
				errs[n] = errors.Join(w.append(s.t.Context(), begun), w.append(s.t.Context(), fate(i, like)))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
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
	s.many(st.Facts)
	s.close()
	s.open()
	ctx := t.Context()

	list, err := s.d.runList(ctx, s.request(), wire.ListRequest{All: true})
	if err != nil || len(list.Runs)+list.More != manyRuns+1 {
		t.Errorf("ls --all: %d runs and %d more, %v", len(list.Runs), list.More, err)
	}
	inbox, err := s.d.inboxList(ctx, s.request(), struct{}{})
	if err != nil || len(inbox.Items) != manyHalted {
		t.Errorf("inbox: %d items, %v", len(inbox.Items), err)
	}
	since := time.Now().Add(-24 * time.Hour)
	report, err := s.d.reportMake(ctx, s.request(), wire.ReportRequest{Since: since, Limit: 20})
	want := wire.Counts{Halted: manyHalted, Done: (manyRuns-manyHalted)/3 + 1, Failed: (manyRuns - manyHalted) / 3}
	if report.Counts != want || err != nil {
		t.Errorf("report: %+v, want %+v, %v", report.Counts, want, err)
	}
	for _, format := range []string{wire.RetroJSON, wire.RetroHTML, wire.RetroMarkdown} {
		v, text := s.retroOf(wire.RetroRequest{Since: since, Format: format})
		if v.Many.Runs != manyRuns+1 || v.Many.Unread != 0 || v.Many.Done != want.Done || len(v.Many.Rows)+v.Many.More != v.Many.Runs {
			t.Errorf("retro: %d runs, %d unread, %d done, %d rows and %d more", v.Many.Runs, v.Many.Unread, v.Many.Done, len(v.Many.Rows), v.Many.More)
		}
		if len(text) > pageBytes {
			t.Errorf("the retro of many runs has %d bytes of %s", len(text), format)
		}
	}
}

// pageBytes is how large a page of a retro may be.
const pageBytes = 1 << 20

// longRunOf is a log with one run of so many iterations, each of which fails in
// another way than the one before.
func longRunOf(t *testing.T, like events.RunStarted, iterations int) (log.Log, run.State) {
	t.Helper()
	l := log.NewMemory(log.MemoryConfig{})
	w := writer{log: l, id: "01KB0000000000000000000LONG", at: time.Now().UTC().Add(-24 * time.Hour)}
	like.Handle, like.Limits.Iterations = "long", iterations
	var s run.State
	add := func(d events.Data) {
		if err := w.append(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		s = run.Evolve(s, w.last.Event)
	}
	add(like)
	for k := range iterations + 1 {
		tree := events.Tree(fmt.Sprintf("%040d", k))
		if k > 0 {
			add(events.IterationStarted{Phase: like.Phase, Iteration: k, Attempt: 1, Tree: tree, Work: tree})
			add(events.AgentEnded{
				Phase: like.Phase, Iteration: k, Attempt: 1, Outcome: events.Exited, DurationMS: 900, Tree: tree, Work: tree, Files: 1,
				Usage: events.Usage{Input: 10, TokensFrom: events.Reported, MicroUSD: 100, CostFrom: events.Reported},
			})
		}
		add(events.GatesStarted{Phase: like.Phase, Iteration: k})
		add(events.GatesJudged{Phase: like.Phase, Iteration: k, Tree: tree, Work: tree, Results: []events.GateResult{{
			Gate: "goal", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1,
			Failing: 1 + k%7, FailingSum: fmt.Sprint(k), OutputSum: fmt.Sprint(k),
		}}})
		if k > 0 {
			sum := fmt.Sprintf("%064d", k)
			add(events.IterationRecorded{Phase: like.Phase, Iteration: k, Attempt: 1, Verdict: events.Fail, Fingerprint: sum, Signature: sum, Tree: tree, Work: tree, Files: 1})
		}
	}
	add(events.RunHalted{Reason: events.HaltIterations, Phase: like.Phase, Iteration: iterations})
	return l, s
}

func TestARunOfTenThousandIterationsIsLookedAt(t *testing.T) {
	t.Parallel()
	const iterations = 10_000
	s := newSite(t, nil)
	l, st := longRunOf(t, s.play(s.spec("test -f ok", "touch ok")).Facts, iterations)
	served := s.d.log
	s.d.log = l
	defer func() { s.d.log = served }()
	s.d.fleet.mu.Lock()
	s.d.fleet.runs[st.ID] = &member{head: snapshot.HeadOf(st, ""), state: &st}
	s.d.fleet.mu.Unlock()

	w := s.why(st.ID)
	if len(w.Rows) != iterations || w.Run.Iteration != iterations || w.Rule == "" {
		t.Errorf("why: %d rows, %q, %+v", len(w.Rows), w.Rule, w.Run)
	}
	for _, k := range []int{1, iterations / 2, iterations} {
		at := fmt.Sprintf("iteration:%d", k)
		f, err := s.d.replayAt(t.Context(), st, at)
		if err != nil || f.View.Iteration != k || len(f.Why.Rows) != k || f.View.Usage.Agents != k || f.Seq != uint64(5*k+3) {
			t.Errorf("at %s: event %d of iteration %d, %d rows, %v", at, f.Seq, f.View.Iteration, len(f.Why.Rows), err)
		}
	}
	const enough = 2000 // events that are shown one by one
	frames := 0
	err := s.d.runReplay(t.Context(), s.request(), wire.ReplayRequest{RunRef: wire.RunRef{Run: st.ID}}, func(v any) error {
		frames++
		if frames < enough {
			return nil
		}
		if b, err := json.Marshal(v); err != nil || len(b) > wire.MaxFrame {
			t.Errorf("a frame has %d bytes, %v", len(b), err)
		}
		return context.Canceled
	})
	if !errors.Is(err, context.Canceled) || frames != enough {
		t.Errorf("replay: %d frames, %v", frames, err)
	}
	for _, format := range []string{wire.RetroHTML, wire.RetroMarkdown} {
		v, text := s.retroOf(wire.RetroRequest{RunRef: wire.RunRef{Run: st.ID}, Format: format})
		if r := v.Run; len(r.Iterations) != iterations+1 || r.Usage.Agents != iterations || r.Usage.MicroUSD != 100*iterations || r.Seq != st.Log.Seq {
			t.Errorf("retro: %d iterations, %+v, event %d", len(r.Iterations), r.Usage, r.Seq)
		}
		if len(text) > pageBytes || !strings.Contains(text, "10000") && !strings.Contains(text, "10,000") {
			t.Errorf("the retro of a long run has %d bytes of %s", len(text), format)
		}
	}
}
