package phrase

import (
	"strings"

	"autopilot/events"
)

// HeadName names a HEAD, whose branch is called so; an empty one is none.
func HeadName(l events.Language, h events.Head, branch string) string {
	commit := Say(l, "no commit", "コミットなし")
	if h.Commit != "" {
		commit = h.Commit[:min(7, len(h.Commit))]
	}
	if branch == "" {
		return commit
	}
	return Say(l, "%s at %s", "%s(%s)", strings.TrimPrefix(branch, "refs/heads/"), commit)
}
