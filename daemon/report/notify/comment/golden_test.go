package comment_test

import (
	"flag"
	"strings"
	"testing"

	texts "autopilot/ctl/golden"
	"autopilot/daemon/report/notify/comment"
	"autopilot/events"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// Seeds 3.7, A33 to A36: a comment asks once, has a link and the points to decide,
// and never the bodies.
func TestRequestsReadAsTheyDidInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range []events.Language{events.English, events.Japanese} {
		first := asks("Gate design-approved: Approve the design set?\nok approves the whole set, and the implementation begins.\n\n  docs/plan.md\n\n"+
			"Key decisions, with the places that they name:\n\n  docs/plan.md:7  - Rows are kept in store/db.go:40\n\ndocs/plan.md\n\n   1  the whole body\n", "docs/plan.md")
		first.Run.Language, first.Run.Issue, first.Run.Question.Link = string(l), "owner/name#24", "https://github.com/owner/name/pull/7"
		again := asks("Gate design-approved: Approve the design set?\nok approves the whole set, and the implementation begins.\n\n  docs/plan.md\n\n"+
			"Your findings, and the changes there:\n\n[P0] docs/plan.md:7\ntwo writers\n  docs/plan.md:7\n  @@ -7 +7 @@\n> -one\n  +two\n\nChanged since it was shown:\n\n"+
			"diff --git a/docs/plan.md b/docs/plan.md\nindex 1..2 100644\n--- a/docs/plan.md\n+++ b/docs/plan.md\n@@ -7 +7 @@\n-one\n+two\n", "docs/plan.md")
		again.Run.Language, again.Run.Issue, again.Run.Question.Link, again.Run.Question.Again = string(l), "owner/name#24", "https://evil.example/owner/other/pull/7", true
		draft := comment.Draft(l, handle, "owner/name#24", "Key decisions:\n\n  docs/plan.md:7  - closes #1 @someone\n", []string{"docs/plan.md", "docs/at.md"}, false)
		handed := comment.Draft(l, handle, "owner/name#24", "", []string{"docs/plan.md"}, true)
		got := "=== first\n" + comment.Of(first, nil) + "=== again\n" + comment.Of(again, nil) + "=== draft\n" + draft + "=== handed over\n" + handed +
			"=== final\n" + comment.Final(l, handle, "owner/name#24", []string{"requirements", "red", "green"}, []string{"requirements"})
		texts.Compare(t, *update, "request."+string(l), got)
		if strings.Contains(got, "the whole body") || strings.Contains(got, "evil.example") {
			t.Errorf("a body or a strange link is in\n%s", got)
		}
		if n := strings.Count(comment.Of(first, nil), "apctl answer k3xq ok"); n != 1 {
			t.Errorf("it asks %d times", n)
		}
	}
}

func TestADraftHasBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("語", 100_000)
	got := comment.Draft(events.English, handle, "o/n#1", long, strings.Split(strings.Repeat(strings.Repeat("p", 90)+"\n", 300), "\n"), false)
	if n := len([]rune(got)); n > 10_000 {
		t.Errorf("it has %d signs", n)
	}
	for _, evil := range hostile() {
		if plain := outside(t, comment.Draft(events.English, evil, evil, evil, []string{evil}, true)); strings.ContainsAny(strings.ReplaceAll(plain, "**autopilot**", ""), "@#<[|~") || strings.Contains(plain, "evil") {
			t.Errorf("%q gets through:\n%s", evil, plain)
		}
	}
}
