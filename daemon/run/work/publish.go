package work

import (
	"context"
	"slices"

	"autopilot/daemon/report/draft"
	"autopilot/daemon/report/notify/comment"
	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Publish implements engine.Worker: it puts passed work on the branch of the run, where
// people review it, and updates the draft. It merges nothing and marks nothing as ready. A
// landing moves its target instead.
//
// Source: atdd-kit, seeds 3.1 and 3.7: bodies travel as the diff of a draft, and a merge
// is never a run's.
func (w *Worker) Publish(ctx context.Context, s run.State, act engine.Publish) (_ events.WorkPublished, err error) {
	defer func() { err = noRoom(err) }()
	d := events.WorkPublished{Phase: act.Phase, Iteration: act.Iteration}
	d.Ready = mergeReady(s, "")
	if s.Facts.Land.Commit == "" && (w.cfg.Draft == nil || s.Facts.Branch == "") {
		return d, nil
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return d, err
	}
	if p.lands() {
		return w.landed(ctx, s, p, d)
	}
	final, err := w.final(ctx, s, p)
	if err != nil {
		return d, err
	}
	l := w.language(s)
	shown, err := w.cfg.Draft(ctx, draft.Set{
		Run: s.ID, Number: s.Loop.Iteration, Issue: p.Spec.Issue, Title: final.Hide(firstLine(p.Task)),
		Body: comment.Final(l, s.Facts.Handle, p.Spec.Issue, latest(s), handedOver(s)), Work: final,
	})
	if err != nil {
		return d, err
	}
	d.Commit = shown.Commit
	if shown.Link != "" {
		if d.Link, err = w.putExact(ctx, shown.Link); err != nil {
			return d, err
		}
	}
	if shown.Problem != "" {
		d.Problem, err = w.put(ctx, shown.Problem)
	}
	d.Ready = mergeReady(s, d.Problem)
	return d, err
}

// mergeReady says that passed work needs no more than its merge: a person handed its
// gates off, nobody rejected one since, and it is where it has to be.
func mergeReady(s run.State, problem events.Ref) bool { return len(s.Handed) > 0 && problem == "" }

// latest lists the passed gates of a run with their last texts.
func latest(s run.State) []string {
	var out []string
	for _, g := range s.Facts.Gates {
		for _, r := range slices.Concat(s.Last.Results, s.Last.Seen) {
			if r.Gate == g.Name {
				if rule.Passes(r) {
					out = append(out, string(r.Gate))
				}
				break
			}
		}
	}
	return out
}

// handedOver lists the gates that no role or person looked at.
func handedOver(s run.State) []string {
	var out []string
	for _, q := range s.Handed {
		out = append(out, string(q.Gate))
	}
	return out
}
