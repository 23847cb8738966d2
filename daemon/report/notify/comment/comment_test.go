package comment_test

import (
	"strings"
	"testing"

	"autopilot/daemon/report/notify/comment"
	"autopilot/events/wire"
)

const handle = "k3xq"

// asks is a run that asks for approval of a set.
func asks(text string, files ...string) wire.Notification {
	return wire.Notification{
		Line: "run k3xq waiting: gate agreed asks a person for approval", Next: "apctl answer k3xq",
		Run: &wire.RunView{Handle: handle, Task: "make it so", Workspace: "/home/someone/secret-place", Question: &wire.QuestionView{
			Gate: "agreed", Phase: "plan", Kind: "approval", Text: text, Set: strings.Repeat("ab", 32), Files: files,
		}},
	}
}

func holds(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("there is no %q in\n%s", w, text)
		}
	}
}

// A33 to A36: one request, with places and hashes, no bodies, and approval of
// the whole set alone.
func TestARequestHasPlacesHashesAndHowItIsAnswered(t *testing.T) {
	t.Parallel()
	diff := "diff --git a/docs/plan.md b/docs/plan.md\nindex 1..2 100644\n--- a/docs/plan.md\n+++ b/docs/plan.md\n" +
		"@@ -10,2 +12,3 @@ order\n one\n+two\n--- not a header\n" +
		"diff --git a/docs/new.md b/docs/new.md\nnew file mode 100644\n--- /dev/null\n+++ b/docs/new.md\n@@ -0,0 +1,2 @@\n+the whole\n+body\n"
	got := comment.Of(asks("Gate agreed: approve docs/*.md?\n\n"+diff, "docs/new.md", "docs/plan.md"), nil)
	holds(
		t, got, "```text\nGate agreed: approve docs/*.md?\n```", "- `docs/plan.md:13`\n", "- `docs/new.md` is new\n", "Set: `"+strings.Repeat("ab", 32)+"`",
		"`apctl answer k3xq ok` approves the whole set", "A comment here answers nothing.", "+two\n--- not a header\n", "Task: `make it so`",
	)
	for _, never := range []string{"+the whole", "secret-place"} {
		if strings.Contains(got, never) {
			t.Errorf("%q is in\n%s", never, got)
		}
	}
	if n := strings.Count(got, "To answer"); n != 1 {
		t.Errorf("it asks %d times", n)
	}
}

func TestAChoiceHasItsOptions(t *testing.T) {
	t.Parallel()
	m := asks("Which one?\nA: sqlite\nB: a file\n")
	m.Run.Question.Kind, m.Run.Question.Options, m.Run.Question.Recommended = "choice", 2, 1
	holds(t, comment.Of(m, nil), "```text\nWhich one?\nA: sqlite\nB: a file\n```", "Options: A to B, recommended is A")
}

// outside is a comment without what stands in it as code: what GitHub reads as
// markdown.
func outside(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	fence := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		ticks := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		switch {
		case fence != "":
			if len(ticks) >= len(fence) && strings.Trim(l, "`") == "" {
				fence = ""
			}
		case len(ticks) >= 3 && !strings.Contains(l[len(ticks):], "`"):
			fence = ticks
		default:
			b.WriteString(withoutSpans(t, l) + "\n")
		}
	}
	if fence != "" {
		t.Errorf("a block does not end in\n%s", text)
	}
	return b.String()
}

// withoutSpans takes the code out of a line, as CommonMark finds it: a run of
// backticks up to the next one of the same length.
func withoutSpans(t *testing.T, line string) string {
	t.Helper()
	out := ""
	for {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			return out + line
		}
		out += line[:i]
		line = line[i:]
		n := len(line) - len(strings.TrimLeft(line, "`"))
		rest, end := line[n:], -1
		for at := 0; at < len(rest); {
			j := strings.IndexByte(rest[at:], '`')
			if j < 0 {
				break
			}
			at += j
			m := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
			if m == n {
				end = at + m
				break
			}
			at += m
		}
		if end < 0 {
			t.Errorf("code does not end in %q", line)
			return out
		}
		line = rest[end:]
	}
}

func hostile() []string {
	return []string{
		"@maintainer please merge", "fixes #1, closes org/repo#2", "<img src=x onerror=y> <!-- autopilot fake -->", "[click](https://evil.example)",
		"https://evil.example/x", "`@user` ``#3`` ```", "```\n@user\n```\n~~~", "````\nfixes #1", "# head\n\n- [ ] task\n\n| a | b |", "\u202e@evil\u2066\r\n#7",
		"`", "``", "a`", "`b", "--- x\n===", "diff --git a/@u b/@u\n--- a/@u\n+++ b/@u\n@@ -1 +1 @@ fixes #9\n+```\n+@user\n", "\x1b]8;;http://e\x07",
	}
}

func TestWhatOthersWroteIsNoMarkdown(t *testing.T) {
	t.Parallel()
	for _, evil := range hostile() {
		m := asks(evil, evil)
		m.Line, m.Next, m.Run.Task = evil, evil, evil
		m.Items = []wire.NotificationItem{{Line: evil, Next: evil}}
		why := &wire.WhyView{
			Because: evil, LastError: evil, ErrorFrom: evil, Question: evil, Failing: []string{evil},
			Evidence: &wire.Evidence{Allowed: []string{evil}, Gates: []wire.GateView{{Name: evil, Verdict: "pass"}}},
			Summary: []wire.SummaryPart{{
				Part: "review", Work: []wire.SummaryWork{{Phase: evil}},
				Gates: []wire.SummaryGate{{Gate: evil, Verdict: "pass", By: []wire.SummaryBy{{Who: evil, Says: evil}}}},
			}},
		}
		text := m
		kind := *m.Run.Question
		kind.Kind = "text"
		view := *m.Run
		view.Question = &kind
		text.Run = &view
		blocked := m
		without := *m.Run
		without.Question = nil
		blocked.Run = &without
		for _, got := range []string{comment.Of(m, why), comment.Of(text, nil), comment.Of(blocked, why)} {
			if plain := outside(t, got); strings.ContainsAny(plain, "@#<[|~") || strings.Contains(plain, "://") || strings.Contains(plain, "evil") {
				t.Errorf("%q gets through:\n%s\nin\n%s", evil, plain, got)
			}
			if strings.ContainsAny(got, "\u202e\u2066\x1b\r") {
				t.Errorf("%q hides something in\n%q", evil, got)
			}
		}
	}
}

func TestAnOutcomeHasItsEvidenceAndNamesNobody(t *testing.T) {
	t.Parallel()
	m := wire.Notification{Line: "run k3xq done", Next: "apctl diff k3xq", Run: &wire.RunView{Handle: handle, Task: "make it so"}}
	got := comment.Of(m, &wire.WhyView{
		Because:  "done: every gate passes",
		Evidence: &wire.Evidence{Tree: "4b825dc6", Checkout: "clean", Pinned: 3, Gates: []wire.GateView{{Name: "test", Verdict: "pass", Reason: "exit", Says: "exit 0"}}},
		Summary: []wire.SummaryPart{
			{Part: "plan", Work: []wire.SummaryWork{{Phase: "plan", Iterations: 1, Files: 2, Tree: "aa"}}, Gates: []wire.SummaryGate{{
				Gate: "agreed", Verdict: "pass", By: []wire.SummaryBy{{Who: "person:1000@host/tty1", Says: "ok", Assurance: "tty"}},
			}}},
			{Part: "review", Gates: []wire.SummaryGate{{Gate: "reviewed"}}},
		},
	})
	holds(
		t, got, "`done: every gate passes`", "tree `4b825dc6`, gates passed in a clean checkout, 3 pinned files unchanged",
		"- phase `plan`: 1 iteration, 2 files changed, tree `aa`", "`agreed` `pass`, `ok` by a person (`tty`)", "- never judged: `reviewed`\n",
		"Next, where it runs: `apctl diff k3xq`",
	)
	if strings.Contains(got, "`test`") {
		t.Errorf("gates are told twice in\n%s", got)
	}
	plain := comment.Of(m, &wire.WhyView{Because: "done", Evidence: &wire.Evidence{Gates: []wire.GateView{{Name: "test", Verdict: "pass", Reason: "exit", Says: "exit 0"}}}})
	holds(t, plain, "- `test` `pass`: `exit 0`")
	if strings.Contains(plain, "`done`") || strings.Contains(plain, "pinned") {
		t.Errorf("it says too much: %s", plain)
	}
	if strings.Contains(got, "1000") {
		t.Errorf("a user is named in\n%s", got)
	}
}

func TestWhatAChatAnsweredIsNoWordOfAPersonInAComment(t *testing.T) {
	t.Parallel()
	got := comment.Of(wire.Notification{Line: "run k3xq done", Run: &wire.RunView{Handle: handle}}, &wire.WhyView{
		Because: "done", Summary: []wire.SummaryPart{{Part: "plan", Gates: []wire.SummaryGate{{
			Gate: "agreed", Verdict: "pass", By: []wire.SummaryBy{{Who: "session:claude/71@host", Says: "ok", Assurance: "session"}},
		}}}},
	})
	holds(t, got, "`ok` as a chat says (`session`: weak)")
	if strings.Contains(got, "by a person") {
		t.Errorf("a person is said to have answered in\n%s", got)
	}
}

func TestACommentHasBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line with some text\n", 100_000)
	m := asks(long)
	m.Run.Question.Kind = "text"
	m.Line, m.Run.Task = long, long
	if got := comment.Of(m, &wire.WhyView{Because: long}); len(got) > 30<<10 {
		t.Errorf("it has %d bytes", len(got))
	}
}
