package explain

import (
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
)

// Worktree lists what a person does with the work tree that was made for a run
// which is done. git is its state, nil where that is not known. How it is removed is
// said only where no commit would go with it.
func Worktree(l events.Language, dir, branch string, committed bool, git *wire.GitView) []wire.NextCommand {
	place, alone := branch, false
	if git != nil {
		place = git.Branch
		for _, c := range git.Changes {
			alone = alone || c.Kind == string(rule.GitLooseCommits) || c.Kind == string(rule.GitUnfinished)
		}
	}
	there := say(l, "the work is on branch %s, not committed", "作業はブランチ %s にあり、未コミット", place)
	switch {
	case place == "":
		there = say(l, "the work is in the work tree, and HEAD is on no branch", "作業はそこにあり、HEAD はどのブランチ上にもない")
	case committed:
		there = say(l, "the work is on branch %s, with commits of the agent", "作業はブランチ %s にあり、作業者のコミットを含む", place)
	}
	next := commands("cd "+phrase.Quote(dir), there)
	if alone {
		return next
	}
	return append(next, commands("git worktree remove "+phrase.Quote(dir),
		say(l, "after you commit its work; --force discards the rest", "コミットした後で。--force は残りを破棄する"))...)
}

// Unused says what becomes of the work tree of a run that was refused.
func Unused(l events.Language, dir string) []wire.NextCommand {
	return commands("git worktree remove "+phrase.Quote(dir), say(l, "it has no changes", "ここでは何も行われていない"))
}
