package ctl

import (
	"context"
	"errors"
	"strings"

	"autopilot/ctl/render"
	"autopilot/ctl/tracker"
	"autopilot/events/wire"
)

// fromIssueAsk is the value of --from-issue that shows the text and asks.
const fromIssueAsk = "ask"

// minHash is the fewest characters of a hash that name a text. Who writes an issue could
// make two texts whose hashes begin alike, have one of them looked at and bring the
// other: that takes as many tries as half of these characters can tell apart.
const minHash = 40

// issueTask makes the text of the issue the task, once who starts the run has looked
// at exactly this text: by its hash, typed at the terminal or given with the flag.
// The run is about the issue that was read.
func (a *app) issueTask(ctx context.Context, spec *wire.RunSpec, hash string) error {
	i, err := wire.ParseIssue(spec.Issue)
	if err != nil {
		return render.BadIssue(spec.Issue)
	}
	if hash != fromIssueAsk && (len(hash) < minHash || strings.Trim(hash, "0123456789abcdef") != "") {
		return render.BadTextHash(hash, minHash)
	}
	r := tracker.Reader{Dir: spec.Workspace, Environ: a.Environ}
	if i.Repository == "" {
		if i.Repository, err = r.Repository(ctx); err != nil {
			return render.NoRepository(i, err)
		}
	}
	t, err := r.Read(ctx, i)
	if err != nil {
		return render.NoIssueText(i, err)
	}
	spec.Task, spec.Issue = t.Task(), i.String()
	if err := checkText("the text of the issue", spec.Task); err != nil {
		return err
	}
	return a.looked(t, hash)
}

// looked is nil where who starts the run has looked at the text.
func (a *app) looked(t tracker.Text, hash string) error {
	if hash != fromIssueAsk {
		if !strings.HasPrefix(t.Hash(), hash) {
			return render.OtherIssueText(t, hash)
		}
		return nil
	}
	typed, err := a.typed(func(s render.Style) string { return s.IssueTextAsk(t) })
	var nobody errUnasked
	if errors.As(err, &nobody) {
		a.note(a.style(a.Err).IssueText(t))
		return render.UnseenIssueText(t)
	}
	if err != nil {
		return err
	}
	if typed != wire.Challenge(t.Hash()) {
		return render.IssueTextLeft(t)
	}
	return nil
}
