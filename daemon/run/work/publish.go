package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	shown, err := w.shown(ctx, s, p)
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

// shown publishes the final work. What others changed while its last gates ran is not the
// run's to publish, and nobody has said that it shall stay.
func (w *Worker) shown(ctx context.Context, s run.State, p *Plan) (draft.Shown, error) {
	if s.Foreign != nil {
		files, err := w.lines(s.Foreign.Files)
		return draft.Shown{Problem: "another session changed " + named(files) + " while the gates ran; commit the work, or put that back, and push it"}, err
	}
	final, err := w.final(ctx, s, p)
	if err != nil {
		return draft.Shown{}, err
	}
	l := w.language(s)
	return w.cfg.Draft(ctx, draft.Set{
		Run: s.ID, Number: s.Loop.Iteration, Issue: p.Spec.Issue, Title: final.Hide(firstLine(p.Task)),
		Body: comment.Final(l, s.Facts.Handle, p.Spec.Issue, latest(s), handedOver(s)), Work: final,
	})
}

// mostNamed bounds the files that a sentence names.
const mostNamed = 3

// named is a list of files in a sentence.
func named(files []string) string {
	text := strings.Join(files[:min(len(files), mostNamed)], ", ")
	if n := len(files) - mostNamed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
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
