package daemon

import (
	"context"

	"autopilot/daemon/report/notify"
	"autopilot/daemon/report/notify/comment"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// addComment adds what is told at the issue of a run, where a rule wants that.
// Without what explains the run, the line of the notice is told.
func (d *Daemon) addComment(ctx context.Context, n *notify.Notice, kind notify.Kind, s run.State) {
	if !d.Notes.Comments(kind, *n.View) {
		return
	}
	var why *wire.WhyView
	if s.Status != run.Live {
		v, err := d.api.Why(ctx, s, *n.View)
		if err != nil {
			d.cfg.Log.Warn("explain a run at its issue", "run", s.ID, "error", err)
		} else {
			why = &v
		}
	}
	n.Comment = comment.Of(wire.Notification{Line: n.Line, Next: n.Next, Run: n.View}, why)
}
