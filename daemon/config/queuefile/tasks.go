package queuefile

import (
	"fmt"
	"strings"

	"autopilot/projections/regex"
)

// taskLine is an open task of a GitHub task list.
var taskLine = regex.New(`^(\s*[-*+] \[) (\] +)(\S.*?)\s*$`)

// doneLine is a task that is done.
var doneLine = regex.New(`^\s*[-*+] \[[xX]\] +(\S.*?)\s*$`)

// tasks are the open tasks of a Markdown file. A task that is indented below another one
// belongs to its text. Fenced code has none.
func tasks(path, text string) (File, error) {
	var f File
	done := 0
	for _, l := range lines(text) {
		m := taskLine.FindStringSubmatch(l.text)
		switch {
		case l.code:
		case m == nil && doneLine.MatchString(l.text):
			done++
		case m == nil:
		case strings.TrimLeft(m[1], " \t") != m[1] && len(f.Items) > 0:
			f.Items[len(f.Items)-1].Task += "\n- " + m[3]
		default:
			f.Items = append(f.Items, Item{Task: m[3], Line: l.text})
		}
	}
	if len(f.Items) == 0 {
		return f, fmt.Errorf("%s has no open task (- [ ] TASK); %d are done", path, done)
	}
	return f, nil
}

// Tick ticks off the task of a line, and what is indented below it. ok is false where the
// line is no open task of the text any more.
func Tick(text, task string) (ticked string, ok bool) {
	var out strings.Builder
	below := false
	for _, l := range lines(text) {
		m := taskLine.FindStringSubmatch(l.text)
		indented := strings.TrimLeft(l.text, " \t") != l.text
		switch {
		case !ok && m != nil && !l.code && l.text == task:
			ok, below = true, true
		case below && (indented || l.text == ""):
		default:
			below = false
		}
		if below && m != nil && !l.code {
			l.text = m[1] + "x" + l.text[len(m[1])+1:]
		}
		out.WriteString(l.text + l.end)
	}
	return out.String(), ok
}

// line is a line of a text and its end.
type line struct {
	text, end string
	code      bool // it is within a fence
}

func lines(text string) []line {
	var out []line
	fence := ""
	for l := range strings.Lines(text) {
		body := strings.TrimRight(l, "\r\n")
		at := strings.TrimLeft(body, " ")
		mark := at[:min(len(at), 3)]
		code := fence != ""
		switch {
		case fence == "" && (mark == "```" || mark == "~~~"):
			fence, code = mark, true
		case fence != "" && mark == fence:
			fence = ""
		}
		out = append(out, line{body, l[len(body):], code})
	}
	return out
}
