package comment

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

// Bounds of what a comment shows.
const (
	lineBytes  = 400
	mostLines  = 60 // of a question, and of the hunks of a set
	mostBytes  = 8 << 10
	mostFiles  = 50
	mostDigest = 50
)

// Of is the comment for a message. why is what is known of a run that is not
// live, and may be nil.
func Of(m wire.Notification, why *wire.WhyView) string {
	var b strings.Builder
	b.WriteString("**autopilot** " + code(m.Line, lineBytes) + "\n")
	for i, item := range m.Items {
		if i == mostDigest {
			break
		}
		fmt.Fprintf(&b, "- %s%s\n", code(item.Line, lineBytes), after(" → ", code(item.Next, lineBytes)))
	}
	if v := m.Run; v != nil {
		b.WriteString(after("\nTask: ", code(v.Task, lineBytes)) + "\n")
		b.WriteString(question(*v))
	}
	if why != nil {
		b.WriteString(outcome(*why, m.Line))
	}
	if m.Next != "" && (m.Run == nil || m.Run.Question == nil) {
		b.WriteString("\nNext, where it runs: " + code(m.Next, lineBytes) + "\n")
	}
	return b.String()
}

// after is a text behind words that stand for nothing without it.
func after(words, text string) string {
	if text == "" {
		return ""
	}
	return words + text
}

// question is what a run asks a person: what it is about, the points to decide,
// and how it is answered. It is the one that the terminal shows.
//
// Source: atdd-kit, seeds 3.7, lessons A33 to A36.
func question(v wire.RunView) string {
	q := v.Question
	if q == nil {
		return ""
	}
	var b strings.Builder
	again := ""
	if q.Again {
		again = ", again"
	}
	fmt.Fprintf(&b, "\nGate %s of phase %s asks%s:\n\n", code(q.Gate, lineBytes), code(q.Phase, lineBytes), again)
	said, diff := split(q.Text)
	if q.Kind != string(events.AskApproval) {
		said, diff = q.Text, ""
	}
	b.WriteString(block("text", said, mostLines, mostBytes))
	b.WriteString(options(*q))
	if q.Set != "" {
		b.WriteString("\nSet: " + code(q.Set, lineBytes) + "\n")
	}
	b.WriteString(changed(diff))
	b.WriteString(answers(v.Handle, *q))
	return b.String()
}

func options(q wire.QuestionView) string {
	if q.Options == 0 {
		return ""
	}
	text := fmt.Sprintf("\nOptions: A to %c", 'A'+rune(q.Options-1))
	if q.Recommended > 0 {
		text += fmt.Sprintf(", recommended is %c", 'A'+rune(q.Recommended-1))
	}
	return text + "\n"
}

// changed is what has changed in a set since it was shown.
func changed(diff string) string {
	var b strings.Builder
	places, hunks := changes(diff)
	if len(places) > 0 {
		b.WriteString("\nPlaces:\n\n")
		for _, p := range places {
			b.WriteString("- " + p + "\n")
		}
	}
	if hunks != "" {
		b.WriteString("\n" + block("diff", hunks, mostLines, mostBytes))
	}
	return b.String()
}

// answers says how, and how long, a question is answered.
func answers(handle string, q wire.QuestionView) string {
	answer := "apctl answer " + handle
	text := "\nTo answer, at a terminal where it runs: " + code(answer, lineBytes)
	if q.Kind == string(events.AskApproval) {
		text += " shows it, " + code(answer+" ok", lineBytes) + " approves the whole set, " +
			code(answer+" no -m 'FILE:LINE: TEXT'", lineBytes) + " rejects it"
	}
	if q.Expires != nil {
		text += ", until " + q.Expires.UTC().Format(time.RFC3339)
	}
	return text + ". A comment here answers nothing.\n"
}
