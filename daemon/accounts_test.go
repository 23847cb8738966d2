package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	limits "autopilot/projections/account"
	"autopilot/projections/chain"
	"autopilot/projections/run"
)

func TestSevenAgentsOfAnAccountThatTakesTwoAllGetThere(t *testing.T) { // B-68
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, &provider{takes: 2, works: 5 * time.Minute, result: events.ResultRateLimited})
		for i := range 7 {
			w.begin(i)
		}
		time.Sleep(time.Minute)
		if a := w.account(); a.Slots != 3 || a.Streak != 1 {
			t.Errorf("after the first no: %d slots, %d in a row", a.Slots, a.Streak)
		}
		if n := w.provider.refusals(); n != 5 {
			t.Errorf("%d refusals at once, want 5", n)
		}
		w.until(48*time.Hour, w.every(over))
		if n := w.provider.refusals(); n > 20 {
			t.Errorf("%d refusals in all", n)
		}
	})
}

func TestARunGoesOnWhenTheLimitIsResetAndNotBefore(t *testing.T) { // B-25
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		reset := begun.Add(90 * time.Second)
		w := newWard(t, &provider{
			works: time.Minute, result: events.ResultRateLimited,
			closed: func() bool { return time.Now().Before(reset) }, reset: reset.UnixMilli,
		})
		for i := range 4 {
			w.begin(i)
		}
		w.until(time.Hour, w.every(over))
		// One goes ahead. Four met the limit at once, so two work at once for now.
		calls := w.provider.began()[4:]
		for i, want := range []struct{ from, to time.Duration }{
			{90 * time.Second, 95 * time.Second}, {120 * time.Second, 125 * time.Second}, {150 * time.Second, 155 * time.Second},
		} {
			after := calls[i].At.Sub(begun)
			if c := calls[i]; c.Run != fmt.Sprintf("01RUN%03d", i) || after < want.from || after > want.to {
				t.Errorf("call %d after the limit: %s after %v, want from %v to %v", i, c.Run, after, want.from, want.to)
			}
		}
		if n := w.provider.refusals(); n != 4 {
			t.Errorf("%d refusals, want 4", n)
		}
		if n := w.stored()[events.TypeAccountLimited]; n != 4 {
			t.Errorf("%d limits are stored, want 4", n)
		}
	})
}

func TestWhoWaitsLongerIsLetGoWhenAnotherHasWorked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		open := atomic.Bool{}
		w := newWard(t, &provider{works: time.Minute, result: events.ResultRateLimited, closed: func() bool { return !open.Load() }})
		first, second := w.begin(1), w.begin(2)
		time.Sleep(time.Minute)
		if s := w.state(second); s.Waiting == nil || s.Waiting.Cause != events.LimitRate || s.Waiting.Source != events.Guessed {
			t.Fatalf("the second waits for %+v", s.Waiting)
		}
		open.Store(true)
		if _, err := w.fleet.Do(t.Context(), first, engine.Lift{}, "local:0@sim/1", "now"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(90 * time.Second) // of 15 minutes
		if s := w.state(second); s.Waiting != nil || s.Stage != run.Agent {
			t.Errorf("the second: %s %+v", s.Stage, s.Waiting)
		}
		w.until(time.Hour, w.every(over))
	})
}

func TestAClockThatIsSetMakesNobodyWaitForEver(t *testing.T) { // B-46
	t.Parallel()
	for name, tc := range map[string]struct {
		told bool
		set  time.Duration
		want time.Duration // from the limit to the next agent, but for jitter
	}{
		"forward, to a time that was told":      {true, 8 * time.Hour, 11 * time.Minute},
		"back, from a time that was told":       {true, -8 * time.Hour, 8*time.Hour + 40*time.Minute},
		"forward, to a time that was guessed":   {false, 8 * time.Hour, 11 * time.Minute},
		"back, from a time that was guessed":    {false, -8 * time.Hour, 15 * time.Minute},
		"forward and back again within the one": {true, 0, 40 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				open := atomic.Bool{}
				p := &provider{works: time.Minute, result: events.ResultRateLimited, closed: func() bool { return !open.Load() }}
				if tc.told {
					p.reset = time.Now().Add(40 * time.Minute).UnixMilli
				}
				w := newWard(t, p)
				begun := time.Now()
				w.begin(1)
				time.Sleep(10 * time.Minute)
				open.Store(true)
				if tc.set == 0 {
					w.offset.Store(int64(8 * time.Hour))
					w.offset.Store(0)
				}
				w.offset.Store(int64(tc.set))
				w.until(24*time.Hour, func() bool { return len(p.began()) == 2 })
				if after := time.Since(begun); after < tc.want-time.Minute || after > tc.want+time.Minute {
					t.Errorf("went on after %v, want %v", after, tc.want)
				}
				w.until(time.Hour, w.every(over))
				if a := w.account(); a.Troubled() {
					t.Errorf("the account is %+v", a)
				}
			})
		})
	}
}

func TestADaemonThatDiesBeforeTheAccountsEventLearnsItAtTheNextStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, &provider{works: time.Minute, result: events.ResultRateLimited, closed: func() bool { return true }})
		whole := w.log
		for i := range 3 {
			w.begin(i)
		}
		time.Sleep(time.Minute)
		want, n := w.account(), w.stored()
		w.close()
		// The log without the account's events is what such a death leaves.
		w.log = log.NewMemory(log.MemoryConfig{})
		for st, err := range whole.ReadAll(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			if st.Event.Aggregate.Kind == events.KindRun {
				if _, err := w.log.Append(t.Context(), st.Event, log.Ordinary); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 { // the second finds all of it stored
			w.open()
			got := w.account()
			if !got.Until.Equal(want.Until) || got.Cause != want.Cause || got.Streak != want.Streak || cmp.Diff(n, w.stored()) != "" {
				t.Errorf("learned %+v of %v, want %+v of %v", got, w.stored(), want, n)
			}
			w.close()
		}
		w.open()
	})
}

func TestAWaitOutlivesItsDaemons(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		reset := begun.Add(2 * time.Hour)
		w := newWard(t, &provider{
			works: time.Minute, result: events.ResultRateLimited,
			closed: func() bool { return time.Now().Before(reset) }, reset: reset.UnixMilli,
		})
		for i := range 3 {
			w.begin(i)
		}
		for range 3 {
			time.Sleep(30 * time.Minute)
			w.again()
		}
		w.until(time.Hour, w.every(over))
		if n := w.provider.refusals(); n != 3 {
			t.Errorf("%d refusals, want 3", n)
		}
		if n := w.stored()[events.TypeAccountLimited]; n != 3 {
			t.Errorf("%d limits are stored, want 3", n)
		}
	})
}

func TestAnOverloadedProviderIsAskedLessAndLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		w := newWard(t, &provider{
			works: time.Minute, result: events.ResultOverloaded,
			closed: func() bool { return time.Since(begun) < 3*time.Hour },
		})
		for i := range 4 {
			w.begin(i)
		}
		w.until(6*time.Hour, w.every(over))
		// In three hours, with 15 minutes between the probes: a probe each time, and
		// not all four.
		if n := w.provider.refusals(); n > 4+2*16 {
			t.Errorf("%d refusals in the storm", n)
		}
		if s := w.all()[0]; s.Loop.Iteration != 2 || s.Loop.Noops != 0 {
			t.Errorf("waiting counts for something: %+v", s.Loop)
		}
	})
}

func TestARefusedLoginHaltsEveryRunOnceAndAResumeTriesAgain(t *testing.T) { // B-69
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := atomic.Bool{}
		in.Store(true)
		w := newWard(t, &provider{works: 10 * time.Minute, result: events.ResultAuthFailed, closed: func() bool { return !in.Load() }})
		w.need = 3
		for i := range 5 {
			w.begin(i)
			time.Sleep(time.Minute)
		}
		in.Store(false)
		w.until(time.Hour, w.every(halted))
		if n := w.stored(); cmp.Diff(map[string]int{events.TypeAccountRefused: 1}, n) != "" {
			t.Errorf("stored %v", n)
		}
		causes := 0
		for _, s := range w.all() {
			if s.Halt.Reason != events.HaltAuthFailed || s.Halt.Account != simAccount {
				t.Errorf("%s: %+v", s.ID, s.Halt)
			}
			if s.Halt.Cause == "" {
				causes++
			}
		}
		if n := w.provider.refusals(); n != causes || n > 2 {
			t.Errorf("%d agents were refused, %d runs say that they met it", n, causes)
		}

		resume := func(n int) {
			if _, err := w.fleet.Do(t.Context(), w.all()[n].ID, engine.Resume{}, "local:0@sim/1", fmt.Sprint("resume", n, time.Now().UnixMilli())); err != nil {
				t.Fatal(err)
			}
		}
		refused := w.provider.refusals()
		resume(0) // too early: it tries, and halts alone
		resume(1) // this one waits for what the first finds
		w.until(time.Hour, w.every(halted))
		if n := w.provider.refusals(); n != refused+1 {
			t.Errorf("%d agents tried again, want one", n-refused)
		}
		in.Store(true)
		for i := range 5 {
			resume(i)
		}
		w.until(3*time.Hour, w.every(over))
		if a := w.account(); a.Troubled() {
			t.Errorf("the account is %+v", a)
		}
	})
}

func TestARunThatDoesNotWaitHaltsAtALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, &provider{works: time.Minute, result: events.ResultRateLimited, closed: func() bool { return true }})
		id := w.begin(1, func(d *events.RunStarted) { d.Limits.NoWait = true })
		w.until(time.Hour, w.every(halted))
		h := w.state(id).Halt
		if h.Reason != events.HaltLimit || h.Value != string(events.LimitRate) || h.Account != simAccount {
			t.Errorf("halted: %+v", h)
		}
	})
}

func TestWhatAProviderSaidCountsWhereItCannotBeStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, &provider{works: time.Minute, result: events.ResultRateLimited, closed: func() bool { return true }})
		w.close()
		refuses := atomic.Bool{}
		refuses.Store(true)
		w.log = log.NewMemory(log.MemoryConfig{Faults: func(e events.Event, _ int) log.Fault {
			if e.Aggregate.Kind == events.KindAccount && refuses.Load() {
				return log.FaultUnavailable
			}
			return log.FaultNone
		}})
		w.open()
		id := w.begin(1)
		time.Sleep(5 * time.Minute)
		if s := w.state(id); s.Waiting == nil || len(w.provider.began()) != 1 {
			t.Errorf("it does not wait: %+v after %d agents", s.Waiting, len(w.provider.began()))
		}
		refuses.Store(false)
		w.until(5*time.Minute, func() bool { return w.account().Cause == events.LimitRate })
	})
}

func TestAnyRunsOfAnAccountKeepToItsSlotsAndAllOfThemGetThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		runs := rapid.IntRange(1, 8).Draw(rt, "runs")
		takes := rapid.IntRange(0, 4).Draw(rt, "takes")
		works := time.Duration(rapid.IntRange(1, 900).Draw(rt, "seconds of a turn")) * time.Second
		result := rapid.SampledFrom([]events.Result{events.ResultRateLimited, events.ResultOverloaded}).Draw(rt, "says")
		told := rapid.Bool().Draw(rt, "tells when")
		apart := time.Duration(rapid.IntRange(0, 400).Draw(rt, "seconds between starts")) * time.Second
		closedAt := time.Duration(rapid.IntRange(0, 60).Draw(rt, "minutes until a limit")) * time.Minute
		closedFor := time.Duration(rapid.IntRange(0, 120).Draw(rt, "minutes of a limit")) * time.Minute
		killed := rapid.SliceOfN(rapid.IntRange(1, 90), 0, 3).Draw(rt, "minutes until the daemon dies")
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			from, to := begun.Add(closedAt), begun.Add(closedAt+closedFor)
			p := &provider{takes: takes, works: works, result: result}
			p.closed = func() bool { return !time.Now().Before(from) && time.Now().Before(to) }
			if told {
				p.reset = func() int64 {
					if p.closed() {
						return to.UnixMilli()
					}
					return time.Now().Add(20 * time.Second).UnixMilli()
				}
			}
			w := newWard(t, p)
			for i := range runs {
				w.begin(i)
				time.Sleep(apart)
			}
			for _, m := range killed {
				time.Sleep(time.Duration(m) * time.Minute)
				w.again()
			}
			w.until(100*time.Hour, func() bool {
				for _, s := range w.all() {
					due := s.Waiting != nil && s.Status == run.Live && s.Stage == run.Ready
					if due && time.Now().After(time.UnixMilli(s.Waiting.UntilMS).Add(2*time.Second)) {
						t.Fatalf("%s should have gone on at %v: %+v", s.ID, time.UnixMilli(s.Waiting.UntilMS), s.Waiting)
					}
				}
				return w.every(over)()
			})
			w.inOrder()
		})
	})
}

// inOrder checks that of the runs that wait for slots none was let go before an
// older one that waited as long.
func (w *ward) inOrder() {
	w.t.Helper()
	type wait struct {
		run      string
		from, to time.Time
	}
	var waits []wait
	for _, s := range w.all() {
		var open *wait
		for st, err := range w.log.Read(context.Background(), events.Run(s.ID), 0) {
			if err != nil {
				w.t.Fatal(err)
			}
			switch d := st.Event.Data.(type) {
			case events.LimitWaiting:
				if open = nil; d.Cause == events.LimitSlots {
					open = &wait{run: s.ID, from: st.Event.Time}
				}
			case events.IterationStarted:
				if open != nil {
					open.to = st.Event.Time
					waits, open = append(waits, *open), nil
				}
			}
		}
	}
	for _, old := range waits {
		for _, young := range waits {
			if old.run < young.run && !old.from.After(young.from) && young.to.Before(old.to) && young.to.After(old.from) {
				w.t.Fatalf("%s waited from %v to %v, and %s before it only to %v", old.run, old.from, old.to, young.run, young.to)
			}
		}
	}
}

func TestAnAccountsRecordThatIsNotWholeHaltsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, &provider{works: time.Minute, result: events.ResultRateLimited})
		w.close()
		forged := events.Event{
			ID: journal.NewID(time.Now()), Source: "autopilot/sim", Aggregate: events.Account(simAccount), Time: time.Now(), Actor: "daemon:sim",
			Seq: 1, Data: events.AccountWorked{Run: "r", Effect: "e"},
		}
		first, err := w.log.Append(t.Context(), forged, log.Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		forged.ID, forged.Seq, forged.PrevHash = journal.NewID(time.Now()), 2, first.Hash
		if _, err := w.log.Append(t.Context(), forged, log.Ordinary); err != nil {
			t.Fatal(err)
		}
		w.log = swapped{w.log}
		w.open()
		r, err := journal.Open(t.Context(), w.journal, events.Account(simAccount), journal.Fold[limits.State]{
			Evolve: limits.Evolve, Log: func(s *limits.State) *chain.Log { return &s.Log },
		}, slog.New(slog.DiscardHandler))
		if _, werr := r.Whole(); err != nil || !errors.Is(werr, journal.ErrNotWhole) {
			t.Fatalf("opened: %v, whole: %v", err, werr)
		}
		w.begin(1)
		w.until(time.Hour, w.every(over))
	})
}
