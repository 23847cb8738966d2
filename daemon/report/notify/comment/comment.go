package comment

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Bounds of what a comment shows.
const (
	lineBytes  = 400
	mostLines  = 60 // of a question, and of the hunks of a set
	errorLines = 20
	mostBytes  = 8 << 10
	mostFiles  = 50
	mostDigest = 50
)

// Of is the comment for a message. why is what is known of a run that is not
// live, and may be nil.
func Of(m wire.Notification, why *wire.WhyView) string {
	var b strings.Builder
	l := wire.LanguageOf(m.Run)
	b.WriteString("**autopilot** " + code(m.Line, lineBytes) + "\n")
	for i, item := range m.Items {
		if i == mostDigest {
			break
		}
		fmt.Fprintf(&b, "- %s%s\n", code(item.Line, lineBytes), after(" → ", code(item.Next, lineBytes)))
	}
	if v := m.Run; v != nil {
		b.WriteString(after(phrase.Say(l, "\nTask: ", "\nタスク: "), code(v.Task, lineBytes)) + "\n")
		b.WriteString(question(l, *v))
	}
	if why != nil {
		b.WriteString(outcome(l, *why, m.Line))
	}
	if m.Next != "" && (m.Run == nil || m.Run.Question == nil) {
		b.WriteString(phrase.Say(l, "\nNext, where it runs: %s", "\n実行環境での次の操作: %s", code(m.Next, lineBytes)) + "\n")
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
func question(l events.Language, v wire.RunView) string {
	q := v.Question
	if q == nil {
		return ""
	}
	var b strings.Builder
	again := ""
	if q.Again {
		again = phrase.Say(l, ", again", "(再提示)")
	}
	b.WriteString(phrase.Say(l, "\nGate %s of phase %s asks%s:", "\nゲート %s (フェーズ %s)からの質問です%s:", code(q.Gate, lineBytes), code(q.Phase, lineBytes), again) + "\n\n")
	said, diff := split(q.Text)
	if q.Kind != string(events.AskApproval) {
		said, diff = q.Text, ""
	} else if len(q.Files) > 0 {
		said, _, _ = strings.Cut(said, "\n\n"+q.Files[0]+"\n\n") // what is in the files is shown at the terminal alone
	}
	b.WriteString(block("text", said, mostLines, mostBytes))
	if i, err := wire.ParseIssue(v.Issue); err == nil && wire.PullRequest(q.Link, i.Repository) {
		b.WriteString(phrase.Say(l, "\nThe files: %s", "\nファイル: %s", q.Link) + "\n")
	}
	b.WriteString(options(l, *q))
	if q.Set != "" {
		b.WriteString(phrase.Say(l, "\nSet: %s", "\n対象: %s", code(q.Set, lineBytes)) + "\n")
	}
	b.WriteString(changed(l, diff))
	b.WriteString(answers(l, v.Handle, *q))
	return b.String()
}

func options(l events.Language, q wire.QuestionView) string {
	if q.Options == 0 {
		return ""
	}
	text := phrase.Say(l, "\nOptions: A to %c", "\n選択肢: A から %c", 'A'+rune(q.Options-1))
	if q.Recommended > 0 {
		text += phrase.Say(l, ", recommended is %c", "、推奨は %c", 'A'+rune(q.Recommended-1))
	}
	return text + "\n"
}

// changed is what has changed in a set since it was shown.
func changed(l events.Language, diff string) string {
	var b strings.Builder
	places, hunks := changes(l, diff)
	if len(places) > 0 {
		b.WriteString(phrase.Say(l, "\nPlaces:", "\n変更箇所:") + "\n\n")
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
func answers(l events.Language, handle string, q wire.QuestionView) string {
	answer := "apctl answer " + handle
	text := phrase.Say(l, "\nTo answer, at a terminal where it runs: %s", "\n回答は実行環境の端末で: %s", code(answer, lineBytes))
	if q.Kind == string(events.AskApproval) {
		text += phrase.Say(l, " shows it, %s approves the whole set, %s rejects it", " で表示、%s で全体を承認、%s で差し戻し",
			code(answer+" ok", lineBytes), code(answer+" no -m 'FILE:LINE: TEXT'", lineBytes))
	}
	if q.Expires != nil {
		text += phrase.Say(l, ", until %s", "(期限 %s)", q.Expires.UTC().Format(time.RFC3339))
	}
	return text + phrase.Say(l, ". A comment here answers nothing.", "。ここへのコメントは回答になりません。") + "\n"
}
