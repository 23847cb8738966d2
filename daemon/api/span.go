package api

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// spanNow is the present work tree, as the end of a range.
const spanNow = "now"

// span turns a range of iterations into two trees. "" is the whole run, and "K" one
// iteration. "A..B" goes from the end of A to the end of B: 0 is the start, "now" as an
// end the present work tree.
func (a *Looks) span(ctx context.Context, s run.State, text string) (from, to events.Tree, err error) {
	if text == "" {
		return s.Facts.Tree, s.Last.Tree, nil
	}
	ends, err := a.trees(ctx, s)
	if err != nil {
		return "", "", err
	}
	first, last, two := strings.Cut(text, "..")
	if !two {
		k, err := strconv.Atoi(first)
		if err != nil || k < 1 {
			return "", "", wire.Errorf(wire.Usage, "%q names no iteration", text).WithHint("give K or A..B, where 0 is the start")
		}
		first, last = strconv.Itoa(k-1), first
	}
	// The end comes first: where one iteration is missing, the error names the one that
	// was typed.
	if last == spanNow {
		to, err = a.Worker.Now(ctx, s)
	} else {
		to, err = pick(ends, last, s)
	}
	if err != nil {
		return "", "", err
	}
	from, err = pick(ends, first, s)
	return from, to, err
}

// trees lists the recorded trees of a run by iteration; 0 is the start.
func (a *Views) trees(ctx context.Context, s run.State) (map[int]events.Tree, error) {
	ends := map[int]events.Tree{0: s.Facts.Tree}
	for stored, err := range a.Log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return nil, err
		}
		switch e := stored.Event.Data.(type) {
		case events.AgentEnded:
			ends[e.Iteration] = e.Tree // the iteration is not judged yet
		case events.IterationRecorded:
			ends[e.Iteration] = e.Tree
		}
	}
	return ends, nil
}

func pick(ends map[int]events.Tree, text string, s run.State) (events.Tree, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 0 {
		return "", wire.Errorf(wire.Usage, "%q names no iteration", text).WithHint("give K or A..B, where 0 is the start")
	}
	t, ok := ends[k]
	if !ok {
		return "", wire.Errorf(wire.NotFound, "run %s has no recorded iteration %d", s.Facts.Handle, k).
			WithHint("apctl why %s   lists its iterations", s.Facts.Handle)
	}
	return t, nil
}

// cursorError tells a client that its cursor has expired.
func cursorError(err error) error {
	var expired *log.CursorError
	if errors.As(err, &expired) {
		e := wire.Errorf(wire.CursorExpired, "%v", err).WithHint("the oldest position is --after %s", expired.Oldest)
		e.Cursor = string(expired.Oldest)
		return e
	}
	return err
}
