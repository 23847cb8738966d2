package gate

import (
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
)

// GitName is the gate of runs that do not allow everything in git.
const GitName events.Name = "git-rules"

// Git is the verdict on what was done in a repository that the run does not allow; say
// words one change. A push goes first: it cannot be undone.
func Git(denied []rule.GitChange, say func(rule.GitChange) string) (events.GateResult, Texts) {
	r := events.GateResult{
		Gate: GitName, Kind: events.GateGit, Role: events.RoleInvariant, Verdict: events.Pass, Reason: events.ReasonGitKept, Exit: -1,
	}
	if len(denied) == 0 {
		return r, Texts{}
	}
	r.Verdict, r.Reason = events.Fail, events.ReasonHistory
	var pushed, lost, files strings.Builder
	for _, c := range denied {
		files.WriteString(oneLine(gitSpan(c)) + "\n")
		to := &lost
		if rule.GitPushes(c) {
			r.Reason, to = events.ReasonPushed, &pushed
		}
		to.WriteString("  " + oneLine(say(c)+", "+gitSpan(c)) + "\n")
	}
	var text string
	if pushed.Len() > 0 {
		text = "The run allows no push, and this was pushed:\n" + pushed.String()
	}
	if lost.Len() > 0 {
		text += "Commits, branches, tags and stashes of the start must stay. Put these back where they were:\n" + lost.String()
	}
	r.OutputSum = hash([]byte(files.String()))
	return r, Texts{Files: files.String(), Excerpt: Excerpt([]byte(text), ExcerptBytes, 0, "")}
}

// GitUnread is the verdict where the state of the repository is not known.
func GitUnread() (events.GateResult, Texts) {
	r, _ := Git(nil, nil)
	r.Verdict, r.Reason = events.Unverifiable, events.ReasonUnread
	return r, Texts{Excerpt: "The state of git cannot be read, so pushes and lost commits cannot be ruled out. The daemon's log has the error.\n"}
}

// gitSpan names a change by what it is about and its object ids, in full.
func gitSpan(c rule.GitChange) string {
	from, to := c.From, c.To
	if strings.Trim(from, "0") == "" {
		from = "nothing"
	}
	if to == "" {
		return c.Name + " was at " + from
	}
	return c.Name + " from " + from + " to " + to
}
