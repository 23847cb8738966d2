package daemon

import (
	"context"

	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// changed stores which files have changed since a run saw its work tree last, as a
// person lets it go on: from then on they are a part of it. Where that cannot be found
// out the run goes on all the same.
func (d *Daemon) changed(ctx context.Context, s run.State) events.Ref {
	files, err := d.worker.Changed(ctx, s)
	if err != nil {
		d.cfg.Log.Warn("look what has changed in a work tree", "run", s.ID, "error", err)
	}
	return files
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
		return explain.HeadName(l, at, d.text(at.Branch))
	}
	was, is := name(s.Last.Head), name(h.Head)
	return explain.Others(l, *h, d.text(h.By), was, is)
}
