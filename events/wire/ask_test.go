package wire_test

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

// Autopilot protocols, seeds 5.1.
func TestAQuestionHasTwoToFourOptionsWithOneRecommendedOrNone(t *testing.T) {
	t.Parallel()
	whole := wire.Ask{Question: "which?", Options: []string{"this", "that"}, Recommended: 2, Reason: "it is smaller"}
	if err := whole.Check(); err != nil {
		t.Fatal(err)
	}
	if want := "which?\n\nA. this\nB. that (recommended)\n\nWhy: it is smaller\n"; whole.Text() != want {
		t.Errorf("%q", whole.Text())
	}
	if err := (wire.Ask{Question: "what is it for?"}).Check(); err != nil {
		t.Errorf("a text: %v", err)
	}
	if q := (wire.Ask{Question: "what is it for?", Reason: "it is not said"}); q.Check() != nil || q.Text() != "what is it for?\n\nWhy: it is not said\n" {
		t.Errorf("a text with a reason: %q", q.Text())
	}
	for name, tt := range map[string]struct {
		edit func(*wire.Ask)
		says string
	}{
		"no question":              {func(q *wire.Ask) { q.Question = " " }, "empty"},
		"one option":               {func(q *wire.Ask) { q.Options = q.Options[:1] }, "not 1"},
		"five options":             {func(q *wire.Ask) { q.Options = strings.Split("abcde", "") }, "not 5"},
		"none recommended":         {func(q *wire.Ask) { q.Recommended = 0 }, "recommended"},
		"one that is not there":    {func(q *wire.Ask) { q.Recommended = 3 }, "recommended"},
		"reason is missing":        {func(q *wire.Ask) { q.Reason = "" }, "without a reason"},
		"none to recommend":        {func(q *wire.Ask) { q.Options = nil }, "has no options"},
		"the same option twice":    {func(q *wire.Ask) { q.Options = []string{"This one", " this  one"} }, "the same"},
		"an empty option":          {func(q *wire.Ask) { q.Options = []string{"a", " "} }, "one line"},
		"an option of two lines":   {func(q *wire.Ask) { q.Options = []string{"a", "b\nc"} }, "one line"},
		"what no prompt can carry": {func(q *wire.Ask) { q.Question = "a\x00" }, "NUL byte"},
		"more than is taken":       {func(q *wire.Ask) { q.Question = strings.Repeat("x", wire.MaxAnswer) }, "the limit is"},
	} {
		q := whole
		tt.edit(&q)
		if err := q.Check(); err == nil || err.Code != wire.Usage || !strings.Contains(err.Message, tt.says) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
}
