package ultragoal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"autopilot/projections/omx/ultragoal"
)

func TestADamagedLedgerIsRefusedAndNamed(t *testing.T) {
	t.Parallel()
	s := begin(t, ultragoal.Aggregate, "a")
	s.next(false)
	text, err := ultragoal.Lines(s.rows)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]string{
		"empty":              {"", "line 1: there is no row"},
		"cut off":            {string(text[:len(text)-4]), "line 2: the row is cut off"},
		"no line end":        {strings.TrimSuffix(string(text), "\n"), "line 2: the row is cut off"},
		"not JSON":           {string(text) + "x\n", "line 3"},
		"not an object":      {string(text) + "[]\n", "line 3"},
		"a member twice":     {string(text) + `{"ts":"a","ts":"b","event":"goal_started"}` + "\n", "line 3"},
		"no event":           {string(text) + `{"ts":"a"}` + "\n", "line 3: it has no ts or no event"},
		"its first row gone": {string(text[strings.IndexByte(string(text), '\n')+1:]), "line 1: it begins with goal_started"},
	} {
		if _, err := ultragoal.ReadLedger([]byte(c[0])); !errors.Is(err, ultragoal.ErrDamaged) || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPlanThatDoesNotFitItsLedgerIsRefusedAndTheStoryNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*ultragoal.Plan, *[]ultragoal.Row)
		want   string
	}{
		"a story was removed from the plan": {func(p *ultragoal.Plan, _ *[]ultragoal.Row) { p.Goals = p.Goals[:1] }, "G002-b was removed from .omx/ultragoal/goals.json"},
		"one was put into it": {func(p *ultragoal.Plan, _ *[]ultragoal.Row) {
			p.Goals = append(p.Goals, ultragoal.Goal{ID: "G9", Status: "pending"})
		}, "has G9"},
		"one was completed in it":                  {func(p *ultragoal.Plan, _ *[]ultragoal.Row) { p.Goals[1].Status = "complete" }, "G002-b is complete"},
		"one was reopened in it":                   {func(p *ultragoal.Plan, _ *[]ultragoal.Row) { p.Goals[0].Status = "pending" }, "G001-a is pending"},
		"its completion was taken from the ledger": {func(_ *ultragoal.Plan, r *[]ultragoal.Row) { *r = (*r)[:2] }, "G001-a is complete"},
		"a plan of the release, one removed": {func(p *ultragoal.Plan, r *[]ultragoal.Row) {
			(*r)[0].GoalIDs = nil
			p.Goals = p.Goals[:1]
		}, "has 1 stories, and .omx/ultragoal/ledger.jsonl has recorded 2"},
		"one that steering made was removed": {func(_ *ultragoal.Plan, r *[]ultragoal.Row) {
			*r = append(*r, ultragoal.Row{Event: ultragoal.SteeringAccepted, Steering: &ultragoal.Audit{Kind: ultragoal.SplitSubgoal, After: jsontext.Value(`{"children":[{"id":"G003-c"}]}`)}})
		}, "G003-c was removed"},
	} {
		s := begin(t, ultragoal.Aggregate, "a", "b")
		s.next(false)
		if err := s.done("G001-a", "active", ""); err != nil {
			t.Fatal(err)
		}
		c.change(&s.plan, &s.rows)
		if err := ultragoal.Agree(s.plan, s.rows); !errors.Is(err, ultragoal.ErrDamaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
