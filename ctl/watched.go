package ctl

import (
	"context"
	"iter"
	"sync"

	"autopilot/ctl/client"
	"autopilot/events/wire"
)

// watched asks the daemon for the full screen, over one connection as long as
// that holds. When it is lost, a daemon is started only for runs that go on:
// one that was stopped on purpose stays so.
type watched struct {
	a *app

	mu   sync.Mutex
	d    Daemon
	live bool
	used bool // there was a connection
}

func (w *watched) reach(ctx context.Context) (Daemon, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.d != nil {
		return w.d, nil
	}
	d, err := w.a.connect(ctx, w.live || !w.used)
	if err != nil {
		return nil, err
	}
	w.d, w.used = d, true
	return d, nil
}

// drop closes a connection that does not answer any more.
func (w *watched) drop(d Daemon) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.d == d {
		w.d = nil
		_ = d.Close()
	}
}

func (w *watched) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.d != nil {
		_ = w.d.Close()
		w.d = nil
	}
}

func call[Q, A any](ctx context.Context, w *watched, v wire.Verb[Q, A], req Q, reply *A) error {
	d, err := w.reach(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if err = client.Call(ctx, d, v, req, reply); unreachable(err) {
		w.drop(d)
	}
	return err
}

// List is the list as apctl ls shows it.
func (w *watched) List(ctx context.Context) (wire.ListReply, error) {
	var reply wire.ListReply
	err := call(ctx, w, wire.RunList, wire.ListRequest{}, &reply)
	if err != nil {
		return reply, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live = false
	for _, v := range reply.Runs {
		w.live = w.live || v.Exit < 0
	}
	return reply, nil
}

// Get is one run.
func (w *watched) Get(ctx context.Context, run string) (v wire.RunView, err error) {
	err = call(ctx, w, wire.RunGet, wire.RunRef{Run: run}, &v)
	return v, err
}

// Why explains one run.
func (w *watched) Why(ctx context.Context, run string) (v wire.WhyView, err error) {
	err = call(ctx, w, wire.RunWhy, wire.RunRef{Run: run}, &v)
	return v, err
}

// Logs is what a run prints.
func (w *watched) Logs(ctx context.Context, run string) iter.Seq2[wire.LogFrame, error] {
	return func(yield func(wire.LogFrame, error) bool) {
		d, err := w.reach(ctx)
		if err != nil {
			yield(wire.LogFrame{}, err)
			return
		}
		req := wire.LogsRequest{RunRef: wire.RunRef{Run: run}, Follow: true}
		for f, err := range client.Stream(ctx, d, wire.RunLogs, req) {
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// Stop stops a run after its iteration.
func (w *watched) Stop(ctx context.Context, run string) error { return w.a.stop(ctx, run, false) }
