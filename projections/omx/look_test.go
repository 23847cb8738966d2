package omx_test

import (
	"testing"

	"autopilot/projections/omx"
)

func TestTheSlugOfAStateIsThatOfItsFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"handoff_artifacts":{"ralplan":{"plan_path":".omx/plans/prd-search-box.md"},"deep_interview":{"spec_path":".omx/specs/deep-interview-other.md"}}}`: "search-box",
		`{"handoff_artifacts":{"deep_interview":{"spec_path":".omx/specs/deep-interview-search.md"}}}`:                                                       "search",
		`{"context_snapshot_path":".omx/context/add-a-box-20260501T120000Z.md"}`:                                                                             "add-a-box",
		`{"handoff_artifacts":{"ralplan":{"plan_path":".omx/plans/prd-$(rm -rf x).md"}}}`:                                                                    "",
		`{"handoff_artifacts":{"ralplan":{"plan_path":".omx/plans/plan.md"}},"context_snapshot_path":".omx/context/x.md"}`:                                   "",
		`{}`: "",
	} {
		o, err := omx.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := omx.SlugOf(o); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
