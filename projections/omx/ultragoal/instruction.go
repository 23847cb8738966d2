package ultragoal

import (
	"fmt"
	"strings"
)

// Instruction is what the leader of a plan does next with a story.
func Instruction(p Plan, g Goal, command string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("Story %s, attempt %d: %s", g.ID, g.Attempt, g.Title)
	say("Plan: %s, ledger: %s", GoalsPath, LedgerPath)
	say("")
	say("Outcome:\n%s", g.Objective)
	say("")
	objective, last := p.objectives(&g)[0], p.Last(g.ID)
	if p.Mode == Aggregate {
		say("The goal of the host is the whole plan. Call get_goal; where there is none, call create_goal with:\n%s", objective)
	} else {
		say("The goal of the host is this story. Call get_goal; where there is none, call create_goal with:\n%s", objective)
	}
	switch {
	case last:
		say("It is the last story. When it is done, call update_goal, and pass get_goal and the whole quality gate:")
		say("  %s checkpoint --goal-id %s --status complete --evidence TEXT --codex-goal-json JSON --quality-gate-json JSON", command, g.ID)
		say("A review that is not clean goes to %s record-review-blockers, before update_goal.", command)
	case p.Mode == Aggregate:
		say("Other stories follow: the goal of the host stays active. When this one is done:")
		say("  %s checkpoint --goal-id %s --status complete --evidence TEXT --codex-goal-json JSON", command, g.ID)
	default:
		say("When it is done, call update_goal, then:")
		say("  %s checkpoint --goal-id %s --status complete --evidence TEXT --codex-goal-json JSON", command, g.ID)
	}
	say("Stop and say so with --status failed, or --status blocked and the JSON of get_goal, where it does not go on.")
	return strings.TrimSuffix(b.String(), "\n")
}
