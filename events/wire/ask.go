package wire

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"autopilot/events"
)

// Ask is a question of the agent to a person. It has two to four options, one of them
// recommended, or it asks for free text.
type Ask struct {
	Question    string   `json:"question"`
	Options     []string `json:"options,omitzero"`
	Recommended int      `json:"recommended,omitzero"` // number of the recommended option, from 1
	Reason      string   `json:"reason,omitzero"`      // of the recommendation, or of the question
	Class       string   `json:"class,omitzero"`       // what an answer decides about, where the workflow has classes
}

// AskForm is the form of a question in a result file, as one line.
const AskForm = `{"v":1,"claim":"progress","question":"Which database?","options":["sqlite","postgres"],"recommended":1,"reason":"nothing to install"}`

// MostOptions bounds the options of a question.
const MostOptions = 4

// RecommendedMark follows the recommended option.
const RecommendedMark = " (recommended)"

// Asks is the kind of answer to the question.
func (q Ask) Asks() events.Asks {
	if len(q.Options) == 0 {
		return events.Asks{Kind: events.AskText, Class: events.Name(q.Class)}
	}
	return events.Asks{Kind: events.AskChoice, Options: len(q.Options), Recommended: q.Recommended, Class: events.Name(q.Class)}
}

// Text is the question as people read it.
func (q Ask) Text() string {
	var b strings.Builder
	if q.Class != "" {
		b.WriteString("[" + q.Class + "] ")
	}
	b.WriteString(strings.TrimSpace(q.Question) + "\n")
	for i, o := range q.Options {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(string(rune('A'+i)) + ". " + strings.TrimSpace(o))
		if i+1 == q.Recommended {
			b.WriteString(RecommendedMark)
		}
		b.WriteString("\n")
	}
	if r := strings.TrimSpace(q.Reason); r != "" {
		b.WriteString("\nWhy: " + r + "\n")
	}
	return b.String()
}

// Check refuses a malformed question.
//
// Source: autopilot protocols, seeds 5: two to four options, one recommended, with a
// reason; interviews ask for free text.
func (q Ask) Check() *Error {
	n := len(q.Options)
	switch {
	case strings.TrimSpace(q.Question) == "":
		return Errorf(Usage, "the question is empty")
	case strings.ContainsRune(q.Text(), 0) || !utf8.ValidString(q.Text()):
		return Errorf(Usage, "the question has a NUL byte or is not valid UTF-8")
	case len(q.Text()) > MaxAnswer:
		return Errorf(Usage, "the question has %d bytes; the limit is %d", len(q.Text()), MaxAnswer)
	case q.Class != "" && !events.Name(q.Class).Valid():
		return Errorf(Usage, "the class of the question is not a name")
	case n == 0 && q.Recommended != 0:
		return Errorf(Usage, "an option is recommended, but the question has no options").WithHint("give two to four options, or ask for a text")
	case n == 0:
		return nil
	case n < 2 || n > MostOptions:
		return Errorf(Usage, "a question has two to four options, not %d", n).WithHint("leave them out to ask for a text")
	case q.Recommended < 1 || q.Recommended > n:
		return Errorf(Usage, "none of the %d options is recommended", n).WithHint("--recommend A")
	case strings.TrimSpace(q.Reason) == "":
		return Errorf(Usage, "an option is recommended without a reason").WithHint("--because REASON")
	case slices.ContainsFunc(q.Options, func(o string) bool { return strings.TrimSpace(o) == "" || strings.ContainsAny(o, "\n\r") }):
		return Errorf(Usage, "an option must be one line of text")
	case twice(q.Options):
		return Errorf(Usage, "two options are the same")
	}
	return nil
}

// CheckClass refuses a question without one of the classes that its workflow wants; none
// of them takes any question.
//
// Source: oh-my-codex, seeds 4.1: it goes on through safe and reversible steps.
func (q Ask) CheckClass(classes []string) *Error {
	if len(classes) == 0 || slices.Contains(classes, q.Class) {
		return nil
	}
	what := "has no class"
	if q.Class != "" {
		what = fmt.Sprintf("has the class %.40q", q.Class)
	}
	return Errorf(Usage, "the question %s; it must be about one of %s", what, strings.Join(classes, ", ")).
		WithHint("take safe and reversible steps without a question; else add \"class\": \"%s\"", classes[0])
}

// twice says that two options look the same to a person.
func twice(options []string) bool {
	seen := map[string]bool{}
	for _, o := range options {
		o = strings.ToLower(strings.Join(strings.Fields(o), " "))
		if seen[o] {
			return true
		}
		seen[o] = true
	}
	return false
}
