package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/report/notify/comment"
	"autopilot/events"
	"autopilot/events/wire"
)

// A rule with a repository comments at issues and pull requests of it, by the
// user's own gh. What is told at one issue is a queue of its own, so that a
// digest is never of several.
//
// A comment is made at least once. What could double it, a try whose outcome is
// not known, is looked for at the issue before the next one, by the mark that
// each comment ends with.

const (
	commentFile = "comment.md"
	issueSign   = "#"
	ghTail      = 400 // bytes of what gh printed that an error shows
	ghNoLogin   = 4   // gh help exit-codes
	noCommand   = 127
)

// tracker is where the rule comments; zero where it does not, or cannot.
func (r Rule) tracker() wire.Issue {
	i, _ := wire.ParseTracker(r.GitHub)
	return i
}

// queue is the id of the queue of the issue at which the rule tells of a notice:
// that of the run, else the one of the rule; empty for none.
func (r Rule) queue(x Notice) string {
	at := r.tracker()
	if x.View != nil && x.View.Issue != "" {
		run, err := wire.ParseIssue(x.View.Issue)
		if err != nil || !run.Of(at.Repository) {
			return ""
		}
		at.Number = run.Number
	}
	if at.Number == 0 {
		return ""
	}
	return r.id() + issueSign + strconv.Itoa(at.Number)
}

// ruleOf is the rule that a queue belongs to.
func ruleOf(queue string) string {
	id, _, _ := strings.Cut(queue, issueSign)
	return id
}

// issueOf is the number of the issue that a queue tells at.
func issueOf(queue string) (string, bool) {
	_, number, ok := strings.Cut(queue, issueSign)
	return number, ok
}

// tidy takes out the queues of issues that nothing is left of.
func (b *outbox) tidy(now time.Time, t Timing) {
	maps.DeleteFunc(b.Rules, func(id string, q *queue) bool {
		_, ofIssue := issueOf(id)
		q.pace(now, t)
		return ofIssue && q.waiting() == 0 && len(q.Sent) == 0 && q.Failed == 0 && q.Error == ""
	})
}

// Repositories are those that rules comment in, each once.
func (s Settings) Repositories() []string {
	var out []string
	for _, r := range s.Rules {
		at := r.tracker()
		known := at.Repository == ""
		for _, o := range out {
			known = known || at.Of(o)
		}
		if !known {
			out = append(out, at.Repository)
		}
	}
	return out
}

// Comments says whether a rule comments on a run for a kind, and so whether the
// text of a comment is wanted.
func (n *Notifier) Comments(k Kind, v wire.RunView) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readSettingsLocked()
	for _, r := range n.settings.Rules {
		if r.GitHub != "" && r.matches(k) && r.queue(Notice{View: &v}) != "" {
			return true
		}
	}
	return false
}

// comment makes a comment. It is tried again until gh says that it is there, or
// that nobody is logged in.
func (n *Notifier) comment(ctx context.Context, id, repository string, m message) outcome {
	number, ok := issueOf(id)
	if !ok { // a test of a rule for whatever issue a run has
		_, o := n.gh(ctx, m.effect(id), "", "api", "repos/"+repository, "--silent")
		return o
	}
	if m.Tries > 0 {
		if there, o := n.commented(ctx, m.effect(id)+"-seen", repository, number, m); there || o.err != nil {
			return o
		}
	}
	body := cmp.Or(m.Comment, comment.Of(m.Notification, nil))
	body = redact.Text(redact.Secrets(n.cfg.Env), body) + "\n" + mark(m.Key) + "\n"
	_, o := n.gh(ctx, m.effect(id), body, "issue", "comment", number, "--repo", repository, "--body-file", "-")
	return o
}

// mark is what a comment is found again by. It is not shown.
func mark(key string) string { return "<!-- autopilot " + key + " -->" }

// commented looks whether the comment is at the issue already.
func (n *Notifier) commented(ctx context.Context, id, repository, number string, m message) (bool, outcome) {
	n.forget(id)
	since := m.Time.Add(-24 * time.Hour) // clocks differ
	out, o := n.gh(ctx, id, "", "api", "--method", "GET", "--paginate",
		fmt.Sprintf("repos/%s/issues/%s/comments", repository, number),
		"-f", "per_page=100", "-f", "since="+since.UTC().Format(time.RFC3339),
		"--jq", fmt.Sprintf(".[].body | select(contains(%q)) | 1", mark(m.Key)))
	n.forget(id)
	return o.err == nil && strings.Contains(out, "1"), o
}

// gh runs the user's gh with a text on its standard input, and returns the end of
// what it printed.
func (n *Notifier) gh(ctx context.Context, id, stdin string, args ...string) (string, outcome) {
	dir := n.cfg.Effects.Open(id)
	env := append(n.cfg.Env[:len(n.cfg.Env):len(n.cfg.Env)], "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1")
	out, err := n.cfg.Effects.Run(ctx, shim.Spec{
		ID: id, Argv: append([]string{"gh"}, args...), Dir: n.cfg.Home, Env: env, Stdin: filepath.Join(dir.Box(), commentFile),
		Wall: n.cfg.Timing.GitHub, Grace: grace, Head: keptBytes, Tail: keptBytes, Secrets: redact.Secrets(n.cfg.Env),
	}, effect.Box{commentFile: []byte(stdin)}, nil)
	if err != nil {
		return "", outcome{err: err, again: true}
	}
	// What it printed may not be there any more; how it ended is what counts.
	printed, _ := out.Dir.Tail(shim.Merged, keptBytes)
	text := strings.TrimSpace(strings.ToValidUTF8(string(printed), "\uFFFD"))
	return text, n.ghOutcome(out, text)
}

func (n *Notifier) ghOutcome(out effect.Outcome, printed string) outcome {
	if len(printed) > ghTail {
		printed = "..." + strings.ToValidUTF8(printed[len(printed)-ghTail:], "")
	}
	said := strings.TrimSuffix(": "+printed, ": ")
	switch {
	case out.Outcome == events.Exited && out.Exit == 0:
		return outcome{}
	case out.Outcome == events.SpawnFailed, out.Outcome == events.Exited && out.Exit == noCommand:
		return outcome{err: errors.New("gh is not on the PATH of the daemon: install it, or apctl daemon restart where it is")}
	case out.Outcome == events.Exited && out.Exit == ghNoLogin:
		return outcome{err: errors.New("gh is not logged in: gh auth login (a token in your shell does not reach the daemon)" + said)}
	case out.Outcome == events.Exited:
		return outcome{err: fmt.Errorf("gh exited with %d%s", out.Exit, said), again: true}
	case out.Outcome == events.WallTimeout:
		return outcome{err: fmt.Errorf("gh took longer than %v and was ended%s", n.cfg.Timing.GitHub, said), again: true}
	}
	return outcome{err: fmt.Errorf("gh has ended: %s%s", out.Outcome, said), again: true}
}
