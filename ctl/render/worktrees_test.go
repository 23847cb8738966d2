package render

import (
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
)

// Every reason is a sentence of its own, and no word of a program reaches people.
func TestEveryReasonOfAWorkTreeIsSaid(t *testing.T) {
	t.Parallel()
	all := []wire.TreeHold{
		wire.HoldMain, wire.HoldLocked, wire.HoldGitAtWork, wire.HoldProcess, wire.HoldClaim, wire.HoldOther, wire.HoldRun, wire.HoldSession,
		wire.HoldRecord, wire.HoldYoung, wire.HoldChanged, wire.HoldStaged, wire.HoldUntracked, wire.HoldHalfway, wire.HoldAlone,
		wire.HoldUnpushed, wire.HoldNested, wire.HoldSubmodules, wire.HoldContains, wire.HoldMount, wire.HoldStrange, wire.HoldStuck,
		wire.HoldBytes, wire.HoldNotOurs, wire.HoldUnknown, wire.HoldUnreadable, wire.HoldMoved, wire.HoldUnshown, wire.HoldFailed,
	}
	seen := map[string]wire.TreeHold{}
	for _, why := range all {
		text := stayFor(wire.TreeHeld{Why: why, What: "x\x1b[31m", N: 2})
		if other, twice := seen[text]; twice || strings.Contains(text, "\x1b") || !strings.Contains(text, " ") || text == string(why)+" x" {
			t.Errorf("%s: %q, as %s", why, text, other)
		}
		seen[text] = why
	}
}

func TestAWorkTreeThatSomebodyElseHasRemovedIsNoneThatStays(t *testing.T) {
	t.Parallel()
	v := wire.WorktreesView{Worktrees: []wire.TreeView{
		{Dir: "/p", Main: true, Class: wire.TreeMain, Held: []wire.TreeHeld{{Why: wire.HoldMain}}},
		{Dir: "/p-a", Class: wire.TreeStale, Gone: true},
	}}
	want := "no work tree to prune\n\nremoved by somebody else meanwhile\n  /p-a\n"
	if got := (Style{}).PrunedWorktrees(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWorkTreesAreListedWithWhatIsInThem(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 8, 6, 0, 0, 0, time.UTC)
	used := now.Add(-9 * 24 * time.Hour)
	v := wire.WorktreesView{
		Worktrees: []wire.TreeView{
			{Dir: "/p", Main: true, Here: true, Class: wire.TreeMain, Branch: "main", Commit: "abcdef0123456789", Held: []wire.TreeHeld{{Why: wire.HoldMain}}},
			{
				Dir: "/p-a", Class: wire.TreeStale, Branch: "autopilot/a", Commit: "abcdef0123456789", Used: &used, Run: "k3xq", State: "done",
				Changed: []string{"a", "b", "c", "d", "e"}, Alone: 2, Unpushed: 2, Held: []wire.TreeHeld{{Why: wire.HoldChanged, N: 25}, {Why: wire.HoldAlone, N: 2}},
			},
			{Dir: "/p-b", Class: wire.TreeStale, Missing: true, Commit: "abcdef0123456789", Goes: true},
		},
		Merged:  []wire.MergedBranch{{Name: "autopilot/m", In: "main"}},
		Removed: []wire.RemovedTree{{Dir: "/p-c", At: used, Back: []string{"git worktree add /p-c autopilot/c"}}},
	}
	want := `/p  main, here
  at  main, abcdef0123
/p-a  stale
  at     autopilot/a, abcdef0123
  run    k3xq, done
  used   9d ago
  has    changed: a, b, c, d and 21 more
         2 commits in no other branch, remote branch or tag
  stays  25 files changed and not committed
         2 commits of it in no other branch, remote branch or tag
/p-b  stale, its directory is gone
  at    detached, abcdef0123
  used  unknown when last

branches of runs that are merged
  autopilot/m  all in main
  git branch -d autopilot/m   deletes them

removed
  /p-c, 2026-02-27 06:00
    git worktree add /p-c autopilot/c

1 work tree to prune: apctl archive prune --worktrees
`
	if got := (Style{Now: now}).Worktrees(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
