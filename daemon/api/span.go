package api

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// spanNow is the present work tree, as the end of a range.
const spanNow = "now"

// span is two trees of a run.
type span struct {
	from, to  events.Tree
	own       bool // only what the run's agents and gates changed
	iteration int  // the only one; 0 for all
}

// span turns a range of iterations into two trees. "" is the whole run, and "K" one
// iteration: both are about the run's own work. "A..B" goes from the end of A to the end
// of B, with the changes of others: 0 is the start, "now" as an end the present work tree.
func (a *Looks) span(ctx context.Context, s run.State, text string) (d span, err error) {
	if text == "" {
		return span{from: s.Facts.Tree, to: s.Last.Tree, own: true}, nil
	}
	ends, err := a.trees(ctx, s)
	if err != nil {
		return d, err
	}
	first, last, two := strings.Cut(text, "..")
	if !two {
		k, err := strconv.Atoi(first)
		if err != nil || k < 1 {
			return d, wire.Errorf(wire.Usage, "%q names no iteration", text).WithHint("give K or A..B, where 0 is the start")
		}
		d.own, d.iteration = true, k
		first, last = strconv.Itoa(k-1), first
	}
	// The end comes first: where one iteration is missing, the error names the one that
	// was typed.
	if last == spanNow {
		d.to, err = a.Worker.Now(ctx, s)
	} else {
		d.to, err = pick(ends, last, s)
	}
	if err != nil {
		return d, err
	}
	d.from, err = pick(ends, first, s)
	return d, err
}

// shown lists the paths of a span to show, and says whether there are any. No list with
// some means all paths.
func (a *Looks) shown(ctx context.Context, s run.State, repo *tree.Repo, d span) (paths []string, some bool, err error) {
	if !d.own || s.Driven() {
		return nil, true, nil
	}
	own, err := a.own(ctx, s, repo, d.iteration)
	if err != nil {
		return nil, false, err
	}
	all, err := repo.Changes(ctx, d.from, d.to)
	if err != nil {
		return nil, false, err
	}
	for _, c := range all {
		if own[c.Path] {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == len(all) {
		return nil, true, nil
	}
	return paths, len(paths) > 0, nil
}

// own is the set of paths that agents and gates of a run changed, in one iteration or, for
// 0, in all. Trees are compared before and after each agent and its gates; changes between
// these times are those of others.
func (a *Looks) own(ctx context.Context, s run.State, repo *tree.Repo, iteration int) (map[string]bool, error) {
	own, others, at := map[string]bool{}, map[string]bool{}, s.Facts.Tree
	leave := func(ref events.Ref) {
		for _, path := range a.Lines(ref) {
			others[path] = true
		}
	}
	until := func(k int, to events.Tree) error {
		changes, err := repo.Changes(ctx, at, to)
		if at = to; err != nil || iteration > 0 && k != iteration {
			return err
		}
		for _, c := range changes {
			own[c.Path] = own[c.Path] || !others[c.Path]
		}
		return nil
	}
	for stored, err := range a.Log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return nil, err
		}
		switch e := stored.Event.Data.(type) {
		case events.IterationStarted:
			at = e.Tree
			clear(others)
		case events.AgentEnded:
			err = until(e.Iteration, e.Tree)
		case events.RunResumed:
			leave(e.Changed)
		case events.QuestionAnswered:
			leave(e.Changed)
		case events.QuestionExpired:
			leave(e.Others)
		case events.GatesJudged:
			leave(e.Foreign.Files)
			err = until(e.Iteration, e.Tree)
		}
		if err != nil {
			return nil, err
		}
	}
	return own, nil
}

// trees lists the recorded trees of a run by iteration; 0 is the start. An iteration ends
// with its agent where others changed the work tree during its gates.
func (a *Views) trees(ctx context.Context, s run.State) (map[int]events.Tree, error) {
	ends, foreign := map[int]events.Tree{0: s.Facts.Tree}, false
	for stored, err := range a.Log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return nil, err
		}
		switch e := stored.Event.Data.(type) {
		case events.AgentEnded:
			ends[e.Iteration] = e.Tree // the iteration is not judged yet
		case events.GatesJudged:
			foreign = e.Foreign.Count > 0
		case events.IterationRecorded:
			if _, ended := ends[e.Iteration]; !foreign || !ended {
				ends[e.Iteration] = e.Tree
			}
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
