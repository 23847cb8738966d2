package live

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// fakeSource is a daemon that can be gone.
type fakeSource struct {
	mu    sync.Mutex
	gone  bool
	runs  []wire.RunView
	logs  []wire.LogFrame
	calls map[string]int
}

func (s *fakeSource) call(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[name]++
	if s.gone {
		return wire.Errorf(wire.Unreachable, "no daemon answers")
	}
	return nil
}

func (s *fakeSource) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[name]
}

func (s *fakeSource) set(edit func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit()
}

func (s *fakeSource) List(context.Context) (wire.ListReply, error) {
	err := s.call("list")
	s.mu.Lock()
	defer s.mu.Unlock()
	return wire.ListReply{Runs: append([]wire.RunView(nil), s.runs...)}, err
}

func (s *fakeSource) Get(_ context.Context, run string) (wire.RunView, error) {
	return wire.RunView{ID: run, Handle: "old", State: "done"}, s.call("get")
}

func (s *fakeSource) Why(_ context.Context, run string) (wire.WhyView, error) {
	return wire.WhyView{Run: wire.RunView{ID: run}, Because: "because"}, s.call("why")
}

func (s *fakeSource) Logs(ctx context.Context, _ string) iter.Seq2[wire.LogFrame, error] {
	return func(yield func(wire.LogFrame, error) bool) {
		if err := s.call("logs"); err != nil {
			yield(wire.LogFrame{}, err)
			return
		}
		for _, f := range s.logs {
			if !yield(f, nil) {
				return
			}
		}
		<-ctx.Done()
		yield(wire.LogFrame{}, ctx.Err())
	}
}

func (s *fakeSource) Stop(context.Context, string) error { return s.call("stop") }

// desk is a model that is fed, in a bubble.
type desk struct {
	mu   sync.Mutex
	m    Model
	told []string
	feed *feed
}

func sit(t *testing.T, src Source, run string) *desk {
	t.Helper()
	d := &desk{m: New(render.Style{Now: noon}, "/home/u/p", "/home/u/p", run)}
	d.m, _ = d.m.Update(Resize{80, 24})
	d.feed = newFeed(src, render.Style{}, func() time.Time { return noon }, d.take)
	d.feed.follow(d.m)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { d.feed.run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return d
}

func (d *desk) take(msg any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if told, ok := msg.(Notice); ok {
		d.told = append(d.told, told.Text)
	}
	d.m, _ = d.m.Update(msg)
	d.feed.follow(d.m)
}

func (d *desk) screen() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.m.View(), "\n")
}

// after lets time go by in the bubble.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAnIdleScreenAsksLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &fakeSource{runs: runs()}
		sit(t, src, "")
		after(time.Minute - time.Second)
		if got := []int{src.count("list"), src.count("why"), src.count("logs"), src.count("get")}; !cmp.Equal(got, []int{30, 1, 1, 0}) {
			t.Errorf("list, why, logs, get were asked %v times in a minute", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		src := &fakeSource{runs: runs()[2:]}
		sit(t, src, "")
		after(time.Minute - time.Second)
		if n := src.count("list"); n != 12 {
			t.Errorf("without a live run the list was asked for %d times in a minute", n)
		}
	})
}

func TestAChangedRunIsExplainedAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &fakeSource{runs: runs()}
		sit(t, src, "")
		after(time.Second)
		src.set(func() { src.runs[0].Seq++ })
		after(3 * time.Second)
		if got := []int{src.count("why"), src.count("logs")}; !cmp.Equal(got, []int{2, 1}) {
			t.Errorf("why and logs were asked %v times", got)
		}
	})
}

func TestALostDaemonIsFoundAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &fakeSource{runs: runs()}
		d := sit(t, src, "")
		after(time.Second)
		src.set(func() { src.gone = true })
		after(5 * time.Second)
		if s := d.screen(); !strings.Contains(s, "no daemon, as of 12:00:00") || !strings.Contains(s, "k3xq") {
			t.Errorf("while it is gone:\n%s", s)
		}
		src.set(func() { src.gone = false })
		after(2 * time.Second)
		if s := d.screen(); !strings.Contains(s, "the daemon is back") || strings.Contains(s, "no daemon") {
			t.Errorf("when it is back:\n%s", s)
		}
		if got := []int{src.count("why"), src.count("logs")}; !cmp.Equal(got, []int{2, 2}) {
			t.Errorf("why and logs were asked %v times", got)
		}
	})
}

func TestARunThatIsTooOldForTheListIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &fakeSource{runs: runs()}
		d := sit(t, src, "01OLD")
		after(time.Second)
		if s := d.screen(); !strings.Contains(s, "▸ old") {
			t.Errorf("it is not selected:\n%s", s)
		}
	})
}

func TestALogComesCleanAndWithHeads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &fakeSource{runs: runs(), logs: []wire.LogFrame{
			{Iteration: 3, Source: "agent", Data: []byte("a\x1b[2J\tb\nno end\x1b")},
			{Iteration: 3, Source: "agent", Data: []byte("[31m yet")},
			{Iteration: 3, Source: "test", Gap: 2048, Data: []byte("FAIL\n")},
		}}
		d := sit(t, src, "")
		after(time.Second)
		want := []string{"==> iteration 3, agent <==", "a       b", "no end yet", "==> iteration 3, gate test <==", "[ 2.0 KiB were not kept ]", "FAIL"}
		if diff := cmp.Diff(want, d.m.data.log); diff != "" {
			t.Error(diff)
		}
	})
}

func TestALongLogKeepsItsTail(t *testing.T) {
	t.Parallel()
	tl := &tail{}
	for range 5 {
		tl.add(wire.LogFrame{Source: "agent", Data: []byte(strings.Repeat("x\n", 999) + strings.Repeat("y", 3*lineBytes) + "\n")})
	}
	lines, changed := tl.take()
	if !changed || len(lines) != keptLines || len(lines[len(lines)-1]) != lineBytes {
		t.Errorf("%d lines, the last of %d bytes", len(lines), len(lines[len(lines)-1]))
	}
	if _, changed := tl.take(); changed {
		t.Error("nothing came, and it changed")
	}
}

func TestAStopIsToldAndShownAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &fakeSource{runs: runs()}
		d := sit(t, src, "")
		after(time.Second)
		d.feed.stop(t.Context(), "01A", "k3xq")
		synctest.Wait()
		src.set(func() { src.gone = true })
		d.feed.stop(t.Context(), "01A", "k3xq")
		if diff := cmp.Diff([]string{"k3xq stops after this iteration", "no daemon answers"}, d.told); diff != "" || src.count("list") != 2 {
			t.Errorf("%s; the list was asked for %d times", diff, src.count("list"))
		}
	})
}

// Whatever ends the screen, the terminal is left as it was found.
func TestEveryGoroutineGivesTheTerminalBackBeforeItsPanicIsShown(t *testing.T) {
	t.Parallel()
	var order []string
	func() {
		defer func() { order = append(order, recover().(string)) }()
		guarded(func() { order = append(order, "given back") }, func() { panic("panic") })()
	}()
	if diff := cmp.Diff([]string{"given back", "panic"}, order); diff != "" {
		t.Error(diff)
	}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		n := 0
		src := &fakeSource{runs: runs()}
		f := newFeed(src, render.Style{}, time.Now, func(any) {})
		f.guard = func(work func()) func() {
			mu.Lock()
			defer mu.Unlock()
			n++
			return work
		}
		f.follow(New(render.Style{}, "/", "/", src.runs[0].ID))
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { f.run(ctx) })
		after(time.Second)
		cancel()
		wg.Wait()
		if n != 4 { // lists, details, a log and its stream
			t.Errorf("%d goroutines are guarded", n)
		}
	})
}
