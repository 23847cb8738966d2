package omx

import (
	"path"
	"strings"

	"autopilot/projections/slug"
)

// Unproven lists what a state of autopilot lacks for the phases behind it, in their
// order: what would have been refused here, had it been written by this program.
//
// Source: oh-my-codex, seeds 4.1.2.
func Unproven(o Object, w World) []Gap {
	var out []Gap
	add := func(g *Gap) {
		if g != nil {
			out = append(out, *g)
		}
	}
	at := Child(o)
	done := Phase(o.Text("current_phase")) == Complete
	past := func(phase string) bool {
		order := []string{Interview, Plan, Goal, Review, QA}
		if implements(at) {
			at = Goal
		}
		for _, p := range order {
			if p == at && !done {
				return false
			}
			if p == phase {
				return at != "" || done
			}
		}
		return false
	}
	if past(Interview) {
		add(interview(o, w, Strict))
	}
	if past(Plan) {
		add(consensus(o, w, Strict))
	}
	if past(Goal) {
		add(implemented(o, w, Goal))
	}
	if past(Review) {
		add(cleanReview(o, w, Strict))
	}
	if past(QA) {
		add(cleanQA(o, w, Strict))
	}
	return out
}

// Judge says what a write that somebody else made would have been refused for; nil for a
// write that would have been taken.
func Judge(was, next Object, w World) error {
	if was.True("active") || len(was) > 0 {
		if Phase(was.Text("current_phase")) == Complete && next.True("active") {
			return gap("autopilot-phase", "a new run: one that is complete is not begun anew", "autopilot would go on from complete")
		}
	}
	if Phase(next.Text("current_phase")) == "" {
		return gap("autopilot-phase", "a phase that is known", "autopilot would be in no phase")
	}
	g, err := newMove(was, next, w, Strict).gap()
	if err != nil {
		return err
	}
	if g != nil {
		return g
	}
	return nil
}

// SlugOf is the name by which the files of a state are called: of its plan, its
// specification or its context. It is empty where they have none that a workflow takes.
func SlugOf(o Object) string {
	for _, name := range []struct{ path, before string }{
		{planOf(o), "prd-"}, {specOf(o), "deep-interview-"}, {snapshotOf(o), ""},
	} {
		base, is := strings.CutPrefix(strings.TrimSuffix(path.Base(name.path), ".md"), name.before)
		if name.before == "" { // a context has the time behind it
			at := strings.LastIndexByte(base, '-')
			if is = at > 0; is {
				base = base[:at]
			}
		}
		if is && slug.Of(base, slug.File) == base {
			return base
		}
	}
	return ""
}
