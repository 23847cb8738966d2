package daemon

import (
	"context"

	"autopilot/daemon/config"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/report/notify/comment"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// issueIn completes an issue that is a number alone: its repository is the one
// that the user's rules tell at. No file of a project can name one, so that what
// is in a work tree decides nowhere who is told of its runs.
func issueIn(given string, user *config.UserFile) (string, error) {
	if given == "" || user == nil {
		return given, nil
	}
	issue, err := wire.ParseIssue(given)
	if err != nil || issue.Repository != "" {
		return given, nil // the check of the run says what is wrong
	}
	repos := user.Notify.Repositories()
	if len(repos) > 1 {
		return given, wire.Errorf(wire.Usage, "issue %s may be one of %s or of %s", issue, repos[0], repos[1]).
			WithHint("--issue %s%s   says which", repos[0], issue)
	}
	if len(repos) == 1 {
		issue.Repository = repos[0]
	}
	return issue.String(), nil
}

// addComment adds what is told at the issue of a run, where a rule wants that.
// Without what explains the run, the line of the notice is told.
func (d *Daemon) addComment(ctx context.Context, n *notify.Notice, kind notify.Kind, s run.State) {
	if !d.notes.Comments(kind, *n.View) {
		return
	}
	var why *wire.WhyView
	if s.Status != run.Live {
		v, err := d.why(ctx, s, *n.View)
		if err != nil {
			d.cfg.Log.Warn("explain a run at its issue", "run", s.ID, "error", err)
		} else {
			why = &v
		}
	}
	n.Comment = comment.Of(wire.Notification{Line: n.Line, Next: n.Next, Run: n.View}, why)
}
