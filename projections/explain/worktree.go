package explain

import (
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Worktree lists what a person does with the work tree that was made for a run
// which is done.
func Worktree(l events.Language, dir, branch string, committed bool) []wire.NextCommand {
	there := say(l, "the work is there on branch %s, not committed", "作業はブランチ %s にあり、未コミット", branch)
	if committed {
		there = say(l, "the work is there on branch %s, with commits of who worked", "作業はブランチ %s にあり、作業者のコミットを含む", branch)
	}
	return commands(
		"cd "+phrase.Quote(dir), there,
		"git worktree remove "+phrase.Quote(dir), say(l, "once its work is committed; --force throws the rest away", "コミットした後で。--force は残りを破棄する"),
	)
}

// Unused says what becomes of the work tree of a run that was refused.
func Unused(l events.Language, dir string) []wire.NextCommand {
	return commands("git worktree remove "+phrase.Quote(dir), say(l, "nothing was done in it", "ここでは何も行われていない"))
}
