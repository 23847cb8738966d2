package stream

import (
	"strings"

	"autopilot/projections/regex"
)

// asksYou are the ends of texts with which programs wait for a person at a terminal: a
// choice of yes and no, a question for leave, a dialog about trust, a key to press.
var asksYou = regex.New(`(?i)(?:[\[(] ?(?:y(?:es)?/n(?:o)?(?:/\w+)?|n/y) ?[\])][ :?>]*$` +
	`|(?:do you want to|would you like to|are you sure you want to|may i|shall i) (?:proceed|continue|allow|run|make|execute|trust|create|edit|apply)\b[^\n]{0,120}\?[^\n]{0,40}$` +
	`|(?:allow|approve|run|execute|trust) (?:this|the) (?:command|tool|edit|action|folder|directory|workspace|project)\b[^\n]{0,80}\?[^\n]{0,40}$` +
	`|do you trust\b[^\n]{0,120}\?[^\n]{0,40}$` +
	`|press (?:enter|return|any key)\b[^\n]{0,60}$|\bproceed\? *$|\bcontinue\? *$)`)

// waitsForKey are questions that no agent asks in what it writes: of another one that has
// a line of its own, only a menu or a line without an end shows that it waits.
var waitsForKey = regex.New(`(?i)[\[(] ?(?:y(?:es)?/n|n/y)|press (?:enter|return|any key)`)

// choices are lines below a question: a menu, and how to choose from it.
var choices = regex.New(`(?i)^\W*(?:\d[.)] |yes\b|no\b|cancel\b|esc\b|enter\b|\(use arrow|↑|↓|always\b|allow\b|don.?t ask)`)

// maxMenu is how many lines a menu may have.
const maxMenu = 8

// Prompt is the question with which the output ends so far, if that is one to a person
// at a terminal, who is not there; empty is none. A line need not have ended.
func (r *Reader) Prompt() string {
	if r.sum.Ended || len(r.open.b) > 0 && r.size == 0 {
		return ""
	}
	text := r.plains.text()
	if r.line == nil || r.size > 0 {
		text += clean(valid(r.buf[max(len(r.buf)-maxTail, 0):], false))
	}
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	for i, n := len(lines)-1, 0; i >= 0 && n < maxMenu; i, n = i-1, n+1 {
		line := strings.Trim(lines[i], " \t\r│┃|╭╮╰╯─")
		switch {
		case line == "":
			continue
		case asksYou.MatchString(line) && (r.size > 0 || n > 0 || waitsForKey.MatchString(line)):
			return short(line)
		case !choices.MatchString(line):
			return ""
		}
	}
	return ""
}
