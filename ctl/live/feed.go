package live

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// Source is what the screen asks of a daemon. Its methods may be called at the
// same time. An error of the code Unreachable means that there is none now.
type Source interface {
	List(ctx context.Context) (wire.ListReply, error)
	Get(ctx context.Context, run string) (wire.RunView, error)
	Why(ctx context.Context, run string) (wire.WhyView, error)
	// Logs is what a run printed in its latest iteration, and prints while it is
	// live.
	Logs(ctx context.Context, run string) iter.Seq2[wire.LogFrame, error]
	// Stop stops a run after its iteration.
	Stop(ctx context.Context, run string) error
}

// How often the daemon is asked.
const (
	everyLive = 2 * time.Second // while something goes on
	everyIdle = 5 * time.Second
	everyLost = time.Second // while none answers
	settling  = 150 * time.Millisecond
)

// feed asks the daemon and delivers messages for the model.
type feed struct {
	src   Source
	style render.Style
	send  func(any)
	now   func() time.Time
	guard func(work func()) func() // around each goroutine
	poll  chan struct{}            // ask for the list at once
	look  chan struct{}            // the selection has changed

	mu       sync.Mutex
	selected string
	seq      uint64
	epoch    int // counts how often the daemon came back
}

func newFeed(src Source, style render.Style, now func() time.Time, send func(any)) *feed {
	return &feed{src: src, style: style, send: send, now: now, guard: func(work func()) func() { return work }, poll: make(chan struct{}, 1), look: make(chan struct{}, 1)}
}

// run feeds until the end of ctx.
func (f *feed) run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(f.guard(func() { f.lists(ctx) }))
	wg.Go(f.guard(func() { f.details(ctx) }))
	wg.Wait()
}

// follow says what the model shows now.
func (f *feed) follow(m Model) {
	id, seq := m.Selected()
	f.mu.Lock()
	changed := id != f.selected || seq != f.seq
	f.selected, f.seq = id, seq
	f.mu.Unlock()
	if changed {
		nudge(f.look)
	}
}

// nudge wakes who waits for c, or will.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// rest waits for d, a nudge, or the end of ctx.
func rest(ctx context.Context, c <-chan struct{}, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// lists delivers the list again and again.
func (f *feed) lists(ctx context.Context) {
	lost := false
	for {
		wait := everyIdle
		switch reply, err := f.list(ctx); {
		case ctx.Err() != nil:
			return
		case err == nil:
			f.send(List{Reply: reply, At: f.now()})
			if slices.ContainsFunc(reply.Runs, func(v wire.RunView) bool { return v.Exit < 0 }) {
				wait = everyLive
			}
			if lost {
				f.returned()
			}
			lost = false
		case isLost(err):
			f.send(Lost{})
			lost, wait = true, everyLost
		default:
			f.send(Notice{Text: err.Error()})
		}
		if rest(ctx, f.poll, wait) != nil {
			return
		}
	}
}

// returned has the details asked for anew.
func (f *feed) returned() {
	f.mu.Lock()
	f.epoch++
	f.mu.Unlock()
	nudge(f.look)
}

// list is the list of the daemon, and the selected run if that is too old for
// it.
func (f *feed) list(ctx context.Context) (wire.ListReply, error) {
	reply, err := f.src.List(ctx)
	if err != nil {
		return reply, err
	}
	f.mu.Lock()
	id := f.selected
	f.mu.Unlock()
	if id == "" || slices.ContainsFunc(reply.Runs, func(v wire.RunView) bool { return v.ID == id }) {
		return reply, nil
	}
	if v, err := f.src.Get(ctx, id); err == nil {
		reply.Runs = append(reply.Runs, v)
	}
	return reply, nil
}

func isLost(err error) bool {
	var e *wire.Error
	return errors.As(err, &e) && e.Code == wire.Unreachable
}

// what is what the details were asked for.
type what struct {
	run   string
	seq   uint64
	epoch int
}

func (f *feed) wanted() what {
	f.mu.Lock()
	defer f.mu.Unlock()
	return what{f.selected, f.seq, f.epoch}
}

// details delivers the explanation of the selected run when it has changed,
// and its log as it grows. A selection that moves on at once costs nothing.
func (f *feed) details(ctx context.Context) {
	var have what
	log := &logs{f: f}
	defer log.stop()
	for {
		select {
		case <-f.look:
		case <-ctx.Done():
			return
		}
		for want := (what{}); want != f.wanted(); {
			want = f.wanted()
			if rest(ctx, nil, settling) != nil {
				return
			}
		}
		want := f.wanted()
		if want == have || want.run == "" {
			continue
		}
		log.show(ctx, want, have)
		if w, err := f.src.Why(ctx, want.run); err == nil {
			f.send(Why{View: w})
		}
		have = want
	}
}

// stop stops a run and says what came of it.
func (f *feed) stop(ctx context.Context, run, name string) {
	if err := f.src.Stop(ctx, run); err != nil {
		f.send(Notice{Text: err.Error()})
		return
	}
	f.send(Notice{Text: name + " stops after this iteration"})
	nudge(f.poll)
}
