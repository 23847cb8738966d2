package daemon

import (
	"context"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// changed stores which files have changed since a run saw its work tree last, and how
// HEAD was moved, as a person lets it go on: from then on they are a part of it. Where
// that cannot be found out the run goes on all the same.
func (d *Daemon) changed(ctx context.Context, s run.State) (events.Ref, events.HeadMove) {
	files, moved, err := d.worker.Changed(ctx, s)
	if err != nil {
		d.cfg.Log.Warn("look what has changed in a work tree", "run", s.ID, "error", err)
	}
	return files, moved
}

// headMoved shows how HEAD was moved before a run went on; nil if it was not.
func (d *Daemon) headMoved(l events.Language, m events.HeadMove) *wire.HeadMoved {
	if m == (events.HeadMove{}) {
		return nil
	}
	return &wire.HeadMoved{
		From: phrase.HeadName(l, m.From, d.text(m.From.Branch)), To: phrase.HeadName(l, m.To, d.text(m.To.Branch)),
	}
}

// others says what is known of who has changed the work tree of a run, or has it.
func (d *Daemon) others(s run.State) []string {
	l, h := s.Facts.Language, s.Halt
	if h == nil {
		return nil
	}
	name := func(at events.Head) string {
		if at == (events.Head{}) {
			return ""
		}
		return phrase.HeadName(l, at, d.text(at.Branch))
	}
	was, is := name(s.Last.Head), name(h.Head)
	return explain.Others(l, *h, d.text(h.By), was, is)
}
