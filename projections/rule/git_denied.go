package rule

import (
	"slices"

	"autopilot/events"
	"autopilot/events/stored"
)

// GitDenied lists what was done in a repository that rules do not allow: changes
// between its state at the start and now. What was so already when a person let the run
// go on last is not among them; seen is the state then, or empty.
func GitDenied(rules stored.GitRules, start, seen, now GitState) []GitChange {
	if !rules.Denies() {
		return nil
	}
	var before []GitChange
	if len(seen) > 0 {
		before = GitChanges(start, seen)
	}
	return slices.DeleteFunc(GitChanges(start, now), func(c GitChange) bool {
		denied := rules.Push == events.GitDeny && GitPushes(c) || rules.History == events.GitKeep && losesHistory(c)
		return !denied || slices.ContainsFunc(before, func(b GitChange) bool { return sameChange(b, c) })
	})
}

// GitPushes says that a change is a push.
func GitPushes(c GitChange) bool { return c.Kind == GitPush }

// losesHistory says that something of the start is not where it was, of what a
// repository keeps for people.
func losesHistory(c GitChange) bool {
	switch c.Kind {
	case GitLostCommits, GitRewoundBranch, GitRemovedBranch, GitMovedTag, GitRemovedTag, GitRemovedStash:
		return true
	default:
		return false
	}
}

func sameChange(a, b GitChange) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.From == b.From && a.To == b.To && a.Count == b.Count
}
