package ctl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// try runs what was found once.
func (i *setup) try(ctx context.Context) error {
	var gates []wire.GateSpec
	for _, g := range i.view.Project.Gates {
		if len(g.Missing) == 0 {
			gates = append(gates, wire.GateSpec{Name: g.Name, Role: g.Role, Command: g.Command})
		}
	}
	if len(gates) == 0 || i.o.noRun {
		return nil
	}
	if yes, err := i.mayRun(); err != nil || !yes {
		return err
	}
	defer i.a.hear()()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	frames := i.stream(ctx, wire.GateTryRequest{Workspace: i.view.Project.Root, Env: i.env, Gates: gates})
	err := i.follow(frames)
	cancel()
	for range frames { // the stream must be over before its connection is closed
	}
	return err
}

// mayRun asks before the commands of a project are run.
func (i *setup) mayRun() (bool, error) {
	a := i.a
	if i.o.yes || a.json || !a.InIsTTY || a.Err.Columns == nil {
		return true, nil
	}
	for {
		a.note(a.style(a.Err).MayRun())
		answer, err := readLine(a.In)
		if errors.Is(err, io.EOF) {
			a.note("\n" + render.InitLeft())
			return false, exitStatus(wire.ExitCancelled)
		}
		if err != nil {
			return false, fmt.Errorf("read the answer: %w", err)
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "", "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		a.note(render.YesOrNo())
	}
}

// readLine reads no more than one line, so that what follows is left for the
// next question.
func readLine(r io.Reader) (string, error) {
	var line []byte
	b := bufio.NewReaderSize(oneByte{r}, 16)
	for {
		c, err := b.ReadByte()
		if errors.Is(err, io.EOF) && len(line) > 0 || err == nil && c == '\n' {
			return string(line), nil
		}
		if err != nil {
			return "", err
		}
		if len(line) < maxAnswer {
			line = append(line, c)
		}
	}
}

// maxAnswer is as long as an answer to yes or no gets.
const maxAnswer = 64

type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }

// tryStep is a frame of gate.try, or the error that it ended with.
type tryStep struct {
	frame wire.GateTryFrame
	err   error
}

func (i *setup) stream(ctx context.Context, req wire.GateTryRequest) <-chan tryStep {
	out := make(chan tryStep)
	go func() {
		defer close(out)
		for frame, err := range client.Stream(ctx, i.d, wire.GateTry, req) {
			select {
			case out <- tryStep{frame, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// follow shows the gates while they run. An interrupt ends them.
func (i *setup) follow(frames <-chan tryStep) error {
	now := &trying{setup: i}
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	defer now.clear()
	for {
		select {
		case s, ok := <-frames:
			if !ok {
				return nil
			}
			if s.err != nil {
				return s.err
			}
			if err := now.show(s.frame); err != nil {
				return err
			}
		case <-tick.C:
			if err := now.draw(); err != nil {
				return err
			}
		case <-i.a.signals:
			now.clear()
			if !i.a.json {
				i.a.note(render.NotWritten())
			}
			return exitStatus(wire.ExitInterrupted)
		}
	}
}

// trying is the gate that runs.
type trying struct {
	*setup
	gate  wire.GateView
	since time.Time
	drawn bool
}

func (t *trying) show(f wire.GateTryFrame) error {
	t.clear()
	switch {
	case f.Ended && f.Gate.Name == "":
		t.view.Made = f.Made
		return t.say(func(s render.Style) string { return s.TryMade(f) })
	case f.Ended:
		t.gate = wire.GateView{}
		t.view.Tried = append(t.view.Tried, f)
		return t.say(func(s render.Style) string { return s.Tried(f) })
	}
	t.gate, t.since = f.Gate, t.a.Now()
	return t.draw()
}

// draw refreshes the line of the gate that runs, on a terminal.
func (t *trying) draw() error {
	if t.gate.Name == "" || t.a.json || !t.a.refreshes(t.a.Out) {
		return nil
	}
	t.drawn = true
	return t.a.say(lineStart + t.a.style(t.a.Out).Trying(t.gate, t.a.Now().Sub(t.since)) + lineEnd)
}

func (t *trying) clear() {
	if t.drawn {
		t.drawn = false
		_, _ = fmt.Fprint(t.a.Out, lineClear)
	}
}
