package explain

import (
	"strings"

	"autopilot/events/wire"
)

// Worktree lists what a person does with the work tree that was made for a run
// which is done.
func Worktree(dir, branch string) []wire.NextCommand {
	return commands(
		"cd "+Quote(dir), "the work is there on branch "+branch+", not committed",
		"git worktree remove "+Quote(dir), "once its work is committed; --force throws the rest away",
	)
}

// Unused says what becomes of the work tree of a run that was refused.
func Unused(dir string) []wire.NextCommand {
	return commands("git worktree remove "+Quote(dir), "nothing was done in it")
}

// Quote writes a word as a shell reads it.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
