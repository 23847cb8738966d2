package ctl

import (
	"context"
	"os"
	"syscall"
	"time"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

const (
	redraw      = time.Second
	secondPress = 2 * time.Second
)

// policy says what happens to a followed run when something else does. Its
// methods return an error to end the command with, or nil to follow on.
type policy interface {
	// signal is told of an interrupt.
	signal(ctx context.Context, f *follower, sig os.Signal) error
	// asks is told of a view with a question to a person.
	asks(ctx context.Context, f *follower, v wire.RunView) error
}

// follower follows one run.
type follower struct {
	a      *app
	screen *screen
	asked  int // the question that a person was told of
}

// follow shows a run, the lines behind the sequence after, until it ends; then
// how it ended. It returns the exit code of the run. The caller hears signals.
func (a *app) follow(ctx context.Context, v wire.RunView, after uint64, p policy) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &follower{a: a, screen: newScreen(a, v)}
	steps := a.startPump(ctx, v.ID, after)
	// The pump must be gone before the caller closes what it uses.
	defer func() {
		cancel()
		for range steps {
		}
	}()
	if err := f.loop(ctx, steps, p); err != nil {
		f.screen.clear()
		return err
	}
	f.screen.clear()
	if v := f.screen.view; v.Exit >= 0 {
		if err := a.end(ctx, v); err != nil {
			return err
		}
		return status(v.Exit)
	}
	return ctx.Err()
}

func (f *follower) loop(ctx context.Context, steps <-chan step, p policy) error {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		var err error
		select {
		case s, ok := <-steps:
			if !ok {
				return nil
			}
			if err = f.step(s); err == nil && s.frame != nil && s.frame.View.Question != nil {
				err = p.asks(ctx, f, s.frame.View)
			}
		case <-tick.C:
			err = f.screen.tick()
		case sig := <-f.a.signals:
			err = p.signal(ctx, f, sig)
		}
		if err != nil {
			return err
		}
	}
}

func (f *follower) step(s step) error {
	switch {
	case s.err != nil:
		return s.err
	case s.lost:
		f.screen.note(render.Style.Lost)
	case s.back:
		f.screen.note(render.Style.Back)
	case s.frame != nil:
		return f.screen.show(*s.frame)
	}
	return nil
}

// end shows how a run ended. JSON has said it with the last frame.
func (a *app) end(ctx context.Context, v wire.RunView) error {
	if a.json {
		return nil
	}
	w := wire.WhyView{Run: v}
	if err := ask(ctx, a, wire.RunWhy, wire.RunRef{Run: v.ID}, &w); err != nil {
		// The run has ended as v says, whether or not it can be explained.
		w = wire.WhyView{Run: v, Next: []wire.NextCommand{{Command: "apctl why " + v.Handle, Why: "the details"}}}
	}
	return a.say(a.style(a.Out).End(w))
}

// followWatch leaves the run alone.
type followWatch struct{}

func (followWatch) signal(context.Context, *follower, os.Signal) error {
	return exitStatus(wire.ExitInterrupted)
}

// asks leaves that to who watches.
func (followWatch) asks(context.Context, *follower, wire.RunView) error { return nil }

// asks shows the request at a terminal, and follows on. Without one nobody is
// there to answer, so the command ends; the run waits.
func (p followRun) asks(ctx context.Context, f *follower, v wire.RunView) error {
	if f.asked == v.Question.Number {
		return nil
	}
	now, err := f.a.stillAsks(ctx, v)
	if err != nil || now.Question == nil {
		return err
	}
	if f.asked = v.Question.Number; f.a.interactive() {
		f.screen.note(func(s render.Style) string { return s.AsksYou(now) })
		return nil
	}
	f.screen.clear()
	if !f.a.json {
		if err := f.a.say(f.a.style(f.a.Out).AsksYou(now)); err != nil {
			return err
		}
	}
	return exitStatus(wire.ExitPerson)
}

// stillAsks looks whether the run waits with the question of a view now: frames
// show what was, also long ago. Without it the view has none.
func (a *app) stillAsks(ctx context.Context, v wire.RunView) (now wire.RunView, err error) {
	if err = ask(ctx, a, wire.RunGet, wire.RunRef{Run: v.ID}, &now); err != nil {
		return v, err
	}
	if now.Question != nil && now.Question.Number != v.Question.Number {
		now.Question = nil
	}
	return now, nil
}

// followRun detaches at a terminal; without one it stops the run, if it may.
type followRun struct{ stops bool }

func (p followRun) signal(ctx context.Context, f *follower, sig os.Signal) error {
	v := f.screen.view
	if !f.a.interactive() && p.stops {
		return p.stopNow(ctx, f, v)
	}
	if sig != os.Interrupt || !f.a.interactive() {
		f.screen.note(func(s render.Style) string { return s.Detached(v) })
		return exitStatus(wire.ExitInterrupted)
	}
	f.screen.note(func(s render.Style) string { return s.Interrupted(v) })
	again := time.NewTimer(secondPress)
	defer again.Stop()
	select {
	case <-again.C:
	case <-ctx.Done():
	case <-f.a.signals:
		if err := f.a.stop(ctx, v.ID, false); err != nil {
			return err
		}
		f.screen.note(func(s render.Style) string { return s.StopsAfter(v) })
	}
	return exitStatus(wire.ExitInterrupted)
}

// stopNow ends the agent and follows on, so that the command exits with how
// the run ended. A second signal does not wait for that.
func (p followRun) stopNow(ctx context.Context, f *follower, v wire.RunView) error {
	if v.Stopping != "" && v.Stopping != "iteration" {
		return exitStatus(wire.ExitInterrupted)
	}
	f.screen.note(func(s render.Style) string { return s.StopsNow(v) })
	if err := f.a.stop(ctx, v.ID, true); err != nil {
		return err
	}
	f.screen.view.Stopping = "now"
	return nil
}

// stop asks for it on a connection of its own: the pump's may be gone.
func (a *app) stop(ctx context.Context, run string, now bool) error {
	var reply wire.StopReply
	return ask(ctx, a, wire.RunStop, wire.StopRequest{RunRef: wire.RunRef{Run: run}, Now: now}, &reply)
}

// Interrupts are the signals that a follower wants to hear of.
func Interrupts() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
