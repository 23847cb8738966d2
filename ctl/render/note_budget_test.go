package render

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

// The bound that a run names at its start is the one that its phases have.
func TestTheEndOfARunOfPhasesNamesThemAll(t *testing.T) {
	t.Parallel()
	v := wire.RunView{Handle: "k3xq", Workspace: "/w", Iterations: 4, Budgets: []wire.BudgetView{{Phase: "stories", Iterations: 4}, {Phase: "plan", Iterations: 4}, {Phase: "impl", Iterations: 8}}}
	if got := (Style{}).Began(v); !strings.Contains(got, "\n  ends after 4 iterations of stories, 4 of plan or 8 of impl\n") {
		t.Error(got)
	}
	v.Language = string(events.Japanese)
	if got := (Style{}).Began(v); !strings.Contains(got, "\n  終了: フェーズごとのイテレーション stories は 4 回、plan は 4 回、impl は 8 回まで\n") {
		t.Error(got)
	}
	v.Language, v.Iterations, v.Budgets = "", 10, []wire.BudgetView{{Phase: "work", Iterations: 10}}
	if got := (Style{}).Began(v); !strings.Contains(got, "ends after 10 iterations\n") {
		t.Error(got)
	}
}
