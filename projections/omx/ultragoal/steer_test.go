package ultragoal_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"autopilot/projections/omx/ultragoal"
)

func proposal(kind string, change func(*ultragoal.Proposal)) ultragoal.Proposal {
	p := ultragoal.Proposal{Kind: kind, Source: "cli", Evidence: "e", Rationale: "r"}
	if change != nil {
		change(&p)
	}
	return p
}

func TestASteeringNeedsEvidenceAndWeakensNothing(t *testing.T) {
	t.Parallel()
	add := func(title, objective string) func(*ultragoal.Proposal) {
		return func(p *ultragoal.Proposal) { p.Title, p.Objective = title, objective }
	}
	at := func(id string, more ...func(*ultragoal.Proposal)) func(*ultragoal.Proposal) {
		return func(p *ultragoal.Proposal) {
			p.TargetGoalID = id
			for _, m := range more {
				m(p)
			}
		}
	}
	after := func(text string) func(*ultragoal.Proposal) {
		return func(p *ultragoal.Proposal) { p.After = jsontext.Value(text) }
	}
	order := func(ids ...string) func(*ultragoal.Proposal) {
		return func(p *ultragoal.Proposal) { p.PendingOrder = ids }
	}
	for name, c := range map[string]struct {
		p    ultragoal.Proposal
		want string
	}{
		"a kind that is none":          {proposal("drop_goal", nil), `the kind "drop_goal" is none of`},
		"a source that is none":        {proposal(ultragoal.Annotate, func(p *ultragoal.Proposal) { p.Source = "me" }), `the source "me"`},
		"no evidence":                  {proposal(ultragoal.Annotate, func(p *ultragoal.Proposal) { p.Evidence = " " }), "needs evidence"},
		"no rationale":                 {proposal(ultragoal.Annotate, func(p *ultragoal.Proposal) { p.Rationale = "" }), "needs evidence and a rationale"},
		"no title":                     {proposal(ultragoal.AddSubgoal, add("", "o")), "needs a title"},
		"no objective":                 {proposal(ultragoal.AddSubgoal, add("t", "")), "needs a title and an objective"},
		"it skips tests":               {proposal(ultragoal.AddSubgoal, add("t", "skip the slow tests")), "weaken"},
		"it removes reviews":           {proposal(ultragoal.Annotate, func(p *ultragoal.Proposal) { p.Rationale = "Remove the\nreview" }), "weaken"},
		"it completes by itself":       {proposal(ultragoal.Annotate, func(p *ultragoal.Proposal) { p.Rationale = "auto-complete it" }), "weaken"},
		"a guarded member":             {proposal(ultragoal.Revise, at("G002-b", after(`{"title":"x","status":"complete"}`))), "no steering may change"},
		"a guarded member deep in it":  {proposal(ultragoal.SplitSubgoal, at("G002-b", after(`{"children":[{"title":"x","objective":"y","completedAt":"z"}]}`))), "no steering may change"},
		"a name that says complete":    {proposal(ultragoal.Revise, at("G002-b", after(`{"title":"x","isComplete":true}`))), "no steering may change"},
		"an unknown target":            {proposal(ultragoal.Revise, at("G009", add("x", ""))), `there is no story "G009"`},
		"no target":                    {proposal(ultragoal.Revise, add("x", "")), "needs a target"},
		"new wording of a started one": {proposal(ultragoal.Revise, at("G001-a", add("x", ""))), "is not pending"},
		"no new wording":               {proposal(ultragoal.Revise, at("G002-b")), "a title or an objective"},
		"a split of a started one":     {proposal(ultragoal.SplitSubgoal, at("G001-a", after(`{"children":[{"title":"x","objective":"y"}]}`))), "is not pending"},
		"a split into nothing":         {proposal(ultragoal.SplitSubgoal, at("G002-b")), "the stories that take its place"},
		"a child without an objective": {proposal(ultragoal.SplitSubgoal, at("G002-b", after(`{"children":[{"title":"x"}]}`))), "no title or no objective"},
		"an order of nothing":          {proposal(ultragoal.Reorder, nil), "at least one pending story"},
		"an order with one twice":      {proposal(ultragoal.Reorder, order("G002-b", "G002-b")), "twice"},
		"an order with a started one":  {proposal(ultragoal.Reorder, order("G001-a")), "is not a pending story"},
	} {
		s := begin(t, ultragoal.Aggregate, "a", "b", "c")
		s.next(false)
		before := encode(t, s.plan)
		got, err := ultragoal.Steer(s.plan, s.rows, c.p, now)
		if err != nil || got.Accepted || !strings.Contains(strings.Join(got.Rejected, "; "), c.want) {
			t.Errorf("%s: %v %q", name, err, got.Rejected)
			continue
		}
		if err := s.take(got.Change, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, encode(t, s.plan)); diff != "" || s.rows[len(s.rows)-1].Event != ultragoal.SteeringRejected {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := ultragoal.Steer(ultragoal.Plan{}, nil, proposal(ultragoal.Revise, after(`[`)), now); err == nil {
		t.Error("after that is not JSON")
	}
}

func TestWhatSteeringChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		p    ultragoal.Proposal
		want string // ids with their steering, in order
		next string
	}{
		"a story at the end": {proposal(ultragoal.AddSubgoal, func(p *ultragoal.Proposal) { p.Title, p.Objective = "d", "do d" }), "G001-a G002-b G003-c G004-d", "G001-a"},
		"a split": {proposal(ultragoal.SplitSubgoal, func(p *ultragoal.Proposal) {
			p.TargetGoalID, p.After = "G001-a", jsontext.Value(`{"children":[{"title":"x","objective":"y"},{"title":"z","objective":"y"}]}`)
		}), "G001-a:superseded G004-x G005-z G002-b G003-c", "G004-x"},
		"an order":       {proposal(ultragoal.Reorder, func(p *ultragoal.Proposal) { p.After = jsontext.Value(`{"pendingGoalIds":["G003-c","G002-b"]}`) }), "G003-c G002-b G001-a", "G003-c"},
		"one that waits": {proposal(ultragoal.Supersede, func(p *ultragoal.Proposal) { p.TargetGoalIDs = []string{"G001-a"} }), "G001-a:blocked G002-b G003-c", "G002-b"},
		"one in another's place": {proposal(ultragoal.Supersede, func(p *ultragoal.Proposal) {
			p.TargetGoalID, p.Children = "G001-a", []ultragoal.Child{{Title: "x", Objective: "y"}}
		}), "G001-a:superseded G004-x G002-b G003-c", "G004-x"},
		"a note": {proposal(ultragoal.Annotate, nil), "G001-a G002-b G003-c", "G001-a"},
	} {
		s := begin(t, ultragoal.Aggregate, "a", "b", "c")
		got, err := ultragoal.Steer(s.plan, s.rows, c.p, now)
		if err != nil || !got.Accepted {
			t.Errorf("%s: %v %q", name, err, got.Rejected)
			continue
		}
		if err := s.take(got.Change, nil); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, g := range s.plan.Goals {
			id := g.ID
			if g.SteeringStatus != "" {
				id += ":" + g.SteeringStatus
			}
			ids = append(ids, id)
		}
		if diff := cmp.Diff(c.want, strings.Join(ids, " ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if g := s.next(false); g == nil || g.ID != c.next {
			t.Errorf("%s: next is %+v", name, g)
		}
	}
}

func TestASupersededStoryIsOverWhenThoseInItsPlaceAre(t *testing.T) {
	t.Parallel()
	s := begin(t, ultragoal.Aggregate, "a")
	st, err := ultragoal.Steer(s.plan, s.rows, proposal(ultragoal.SplitSubgoal, func(p *ultragoal.Proposal) {
		p.TargetGoalID, p.Children = "G001-a", []ultragoal.Child{{Title: "x", Objective: "y"}, {Title: "z", Objective: "y"}}
	}), now)
	if err := s.take(st.Change, err); err != nil {
		t.Fatal(err)
	}
	s.next(false)
	if err := s.done("G002-x", "active", ""); err != nil || s.plan.Done() {
		t.Fatalf("%v %+v", err, s.plan.Summary())
	}
	s.next(false)
	if err := s.done("G003-z", "complete", gate); err != nil || !s.plan.Done() {
		t.Fatalf("%v %+v", err, s.plan.Summary())
	}
	st, err = ultragoal.Steer(s.plan, s.rows, proposal(ultragoal.Annotate, nil), now)
	if err != nil || st.Accepted {
		t.Errorf("a complete plan is steered: %v", err)
	}
}

func TestAKeyIsAppliedOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, ultragoal.Aggregate, "a")
	p := proposal(ultragoal.AddSubgoal, func(p *ultragoal.Proposal) { p.Title, p.Objective, p.IdempotencyKey = "d", "do d", "k1" })
	for n := range 2 {
		st, err := ultragoal.Steer(s.plan, s.rows, p, now)
		if err != nil || !st.Accepted || st.Deduped != (n == 1) {
			t.Fatalf("%d: %v %+v", n, err, st)
		}
		if err := s.take(st.Change, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.plan.Goals) != 2 {
		t.Errorf("%d stories", len(s.plan.Goals))
	}
}
