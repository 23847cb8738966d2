package api

import (
	"context"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// changed stores, at a resume, the files and HEAD moves since the run last saw its work
// tree. From then on they are a part of the run. Where they cannot be read, the run goes
// on all the same.
func (a *Views) changed(ctx context.Context, s run.State) (events.Ref, events.HeadMove) {
	files, moved, err := a.Worker.Changed(ctx, s)
	if err != nil {
		a.Out.Warn("look what has changed in a work tree", "run", s.ID, "error", err)
	}
	return files, moved
}

// headMoved shows the move of HEAD before a resume; nil without one.
func (a *Views) headMoved(l events.Language, m events.HeadMove) *wire.HeadMoved {
	if m == (events.HeadMove{}) {
		return nil
	}
	return &wire.HeadMoved{
		From: phrase.HeadName(l, m.From, a.Text(m.From.Branch)), To: phrase.HeadName(l, m.To, a.Text(m.To.Branch)),
	}
}

// others names the known programs that changed the work tree of a run, or work in it.
func (a *Views) others(s run.State) []string {
	l, h := s.Facts.Language, s.Halt
	if h == nil {
		return nil
	}
	name := func(at events.Head) string {
		if at == (events.Head{}) {
			return ""
		}
		return phrase.HeadName(l, at, a.Text(at.Branch))
	}
	was, is := name(s.Last.Head), name(h.Head)
	return explain.Others(l, *h, a.Text(h.By), was, is)
}
