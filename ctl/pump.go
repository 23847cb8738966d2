package ctl

import (
	"context"
	"errors"
	"time"

	"autopilot/ctl/client"
	"autopilot/events/wire"
)

// How a lost daemon is waited for.
const (
	retryFirst  = 100 * time.Millisecond
	retryLast   = 2 * time.Second
	retryGiveUp = time.Minute
)

// step is what a pump delivers: a frame, a change of the connection, or the
// error that it ended with.
type step struct {
	frame *wire.WatchFrame
	lost  bool
	back  bool
	err   error
}

// pump delivers the frames of a run until it has ended. When the daemon goes
// away it waits, starts it on demand and goes on behind the last sequence.
type pump struct {
	a     *app
	run   string
	after uint64
	ended bool
	out   chan step
}

// startPump delivers what comes behind the sequence after, until the run has
// ended, an error, or the end of ctx; then it closes the channel.
func (a *app) startPump(ctx context.Context, run string, after uint64) <-chan step {
	p := &pump{a: a, run: run, after: after, out: make(chan step)}
	go p.loop(ctx)
	return p.out
}

func (p *pump) loop(ctx context.Context) {
	defer close(p.out)
	lost := false
	for delay := time.Duration(0); ; delay = retryFirst {
		d, err := p.a.reach(ctx, delay)
		if err != nil {
			p.send(ctx, step{err: err})
			return
		}
		if lost {
			lost = false
			p.send(ctx, step{back: true})
		}
		err = p.drain(ctx, d)
		_ = d.Close()
		switch {
		case ctx.Err() != nil || p.ended:
			return
		case err == nil: // the daemon ended the stream, but not the run: it is closing
		case !unreachable(err):
			p.send(ctx, step{err: err})
			return
		default:
			lost = true
			p.send(ctx, step{lost: true})
		}
	}
}

func (p *pump) send(ctx context.Context, s step) {
	select {
	case p.out <- s:
	case <-ctx.Done():
	}
}

// reach connects, and keeps trying as long as no daemon answers.
func (a *app) reach(ctx context.Context, delay time.Duration) (Daemon, error) {
	var waited time.Duration
	for {
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
		waited += delay
		d, err := a.connect(ctx, true)
		if err == nil || !unreachable(err) || waited >= retryGiveUp {
			return d, err
		}
		delay = min(max(2*delay, retryFirst), retryLast)
	}
}

// drain delivers what one connection has to say.
func (p *pump) drain(ctx context.Context, d Daemon) error {
	req := wire.WatchRequest{RunRef: wire.RunRef{Run: p.run}, After: p.after}
	for f, err := range client.Stream(ctx, d, wire.RunWatch, req) {
		if err != nil {
			return err
		}
		p.after = max(p.after, f.Seq)
		p.ended = f.View.Exit >= 0
		p.send(ctx, step{frame: &f})
	}
	return nil
}

func unreachable(err error) bool {
	var e *wire.Error
	return errors.As(err, &e) && e.Code == wire.Unreachable
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// until waits for the end of a run, or until it asks a person, and returns its
// last view, also with an error.
func (a *app) until(ctx context.Context, v wire.RunView) (wire.RunView, error) {
	ctx, cancel := context.WithCancel(ctx)
	steps := a.startPump(ctx, v.ID, v.Seq)
	defer func() {
		cancel()
		for range steps { // the pump must be gone before the caller goes on
		}
	}()
	for s := range steps {
		if s.err != nil {
			return v, s.err
		}
		if s.frame != nil {
			v = s.frame.View
		}
		if v.Question == nil {
			continue
		}
		if now, err := a.stillAsks(ctx, v); err != nil || now.Question != nil {
			return now, err
		}
	}
	return v, ctx.Err()
}
