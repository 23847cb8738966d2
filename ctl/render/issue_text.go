package render

import (
	"errors"
	"fmt"
	"strings"

	"autopilot/ctl/tracker"
	"autopilot/events/wire"
	"autopilot/projections/visible"
)

// IssueText shows the text of an issue as it would be the task of a run: with what
// is not seen in a browser.
func (s Style) IssueText(t tracker.Text) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, as it is in the tracker now:\n\n", s.paint(yellow, "issue"), Line(t.Issue.String()))
	for line := range strings.Lines(visible.Text(t.Task())) {
		b.WriteString("  | " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// IssueTextAsk shows the text, says what it means to take it, and asks.
func (s Style) IssueTextAsk(t tracker.Text) string {
	return s.IssueText(t) + "\nIf you take it, agents work on it with what they may do here. That holds for\nexactly this text; another one is asked about again.\n\n" +
		s.challenge("take it", wire.Challenge(t.Hash()), false)
}

// UnseenIssueText is a text that nobody at a terminal could be asked about.
func UnseenIssueText(t tracker.Text) *wire.Error {
	return &wire.Error{
		Code: wire.NeedsPerson, Message: fmt.Sprintf("the text of issue %s was written by others, and there is no terminal to ask at whether it is the task; nothing was started", Line(t.Issue.String())),
		Hint: fmt.Sprintf("apctl run --issue %s --from-issue=%s ...   takes exactly the text above", Line(t.Issue.String()), t.Hash()[:shownHash]),
	}
}

// shownHash is how much of the hash of a text is given: as much as names it.
const shownHash = 40

// OtherIssueText is a text that has another hash than the one that was looked at.
func OtherIssueText(t tracker.Text, hash string) *wire.Error {
	return &wire.Error{
		Code: wire.NeedsPerson, Message: fmt.Sprintf("issue %s says something else than the text %s now; nothing was started", Line(t.Issue.String()), Line(hash)),
		Hint: "apctl run --issue " + Line(t.Issue.String()) + " --from-issue ...   shows what it says now",
	}
}

// IssueTextLeft is a text that a person did not take.
func IssueTextLeft(t tracker.Text) *wire.Error {
	return &wire.Error{Code: wire.NeedsPerson, Message: "the text of issue " + Line(t.Issue.String()) + " was not taken; nothing was started"}
}

// BadTextHash is a hash that names no text.
func BadTextHash(hash string, least int) *wire.Error {
	return usage("--from-issue alone shows the text and asks", "--from-issue: %q is not the beginning of a hash, of at least %d characters 0-9 and a-f", hash, least)
}

// FromNoIssue is a text that is asked for without saying of which issue.
func FromNoIssue() *wire.Error {
	return usage("--issue 24 --from-issue", "--from-issue takes the text of an issue, and none was named")
}

// IssueAlone is an issue without a task.
func IssueAlone(issue string) *wire.Error {
	return usage("apctl run --issue "+Line(issue)+" --from-issue ...   takes its text, once you have seen it; or give a task beside it", "the task is empty: --issue says what a run is about, and not what it shall do")
}

// NoRepository is an issue that may be of any repository.
func NoRepository(i wire.Issue, err error) *wire.Error {
	which := "OWNER/NAME"
	var several *tracker.SeveralError
	if errors.As(err, &several) {
		which = several.Repositories[0]
	}
	return usage("--issue "+Line(which)+i.String(), "which repository has issue %s is not clear: %v", i.String(), Line(err.Error()))
}

// NoIssueText is an issue whose text could not be read.
func NoIssueText(i wire.Issue, err error) *wire.Error {
	e := &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("the text of issue %s cannot be read: %s", Line(i.String()), Line(err.Error()))}
	switch {
	case errors.Is(err, tracker.ErrNoLogin):
		e.Hint = "gh auth login"
	case errors.Is(err, tracker.ErrNoGh):
		e.Hint = "install it from https://cli.github.com, or give the task with -f FILE"
	case errors.Is(err, tracker.ErrTooLong):
		e.Hint = "write what counts of it into a file: apctl run -f FILE --issue " + Line(i.String())
	case errors.Is(err, tracker.ErrMoved):
		e.Hint = "name the issue that it is now with --issue"
	}
	return e
}
