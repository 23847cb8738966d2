package graph

import (
	"fmt"
	"strings"

	"autopilot/daemon/run/workflow"
	"autopilot/projections/phrase"
	"autopilot/projections/visible"
)

// maxText is how long one line of a phase is, in columns.
const maxText = 76

// node is a phase.
type node struct {
	name string
	rows []row
	next int // place of the node that follows when the gates pass; -1 is the end
	back int // place of the node that it goes back to, -1 for none
}

// row is one line of a phase: what it is, and the text.
type row struct{ label, text string }

// The labels of rows to which an edge belongs.
const (
	labelBack = "unclean"
	labelNext = "next"
)

// drawing is a workflow as it is drawn.
type drawing struct {
	title, about string
	nodes        []node
}

func makeDrawing(w workflow.Workflow) drawing {
	place := func(name string) int {
		for i, p := range w.Phases {
			if p.Name == name && name != "" {
				return i
			}
		}
		return -1
	}
	d := drawing{title: line(w.Name), about: line(w.Description)}
	for i, p := range w.Phases {
		n := node{name: line(p.Name), rows: rows(w, p), next: i + 1, back: place(p.Unclean)}
		if p.Next != "" {
			n.next = place(p.Next)
			n.rows = append(n.rows, row{labelNext, "goes on with " + line(p.Next)})
		}
		if i == len(w.Phases)-1 && p.Next == "" {
			n.next = -1
		}
		if n.back >= 0 {
			n.rows = append(n.rows, row{labelBack, fmt.Sprintf("back to %s, at most %d times in a run", line(p.Unclean), w.Limits.Cycles)})
		}
		d.nodes = append(d.nodes, n)
	}
	return d
}

func rows(w workflow.Workflow, p workflow.Phase) []row {
	out := []row{{"works", worker(w, p)}}
	add := func(label, text string) {
		if text != "" {
			out = append(out, row{label, cut(text)})
		}
	}
	for _, g := range p.Entry {
		add("entry", gate(g))
	}
	if all, globs := p.May(); !all && p.Works() {
		add("changes", "only "+texts(globs))
	}
	add("writes", texts(p.Produces))
	for _, g := range p.Gates {
		add("gate", gate(g))
	}
	if l := p.Limits; l.Iterations > 0 || l.Wall > 0 {
		add("limits", bounds(l))
	}
	return out
}

func bounds(l workflow.Budget) string {
	var parts []string
	if l.Iterations > 0 {
		parts = append(parts, phrase.Count(l.Iterations, "iteration"))
	}
	if l.Wall > 0 {
		parts = append(parts, workflow.DurationText(l.Wall)+" an agent")
	}
	return strings.Join(parts, ", ")
}

// worker says who works in a phase.
func worker(w workflow.Workflow, p workflow.Phase) string {
	if !p.Works() {
		return "nobody"
	}
	who := "the agent of the run"
	if p.Role != "" {
		who = line(p.Role)
		if r, ok := w.Role(p.Role); ok && len(r.Agents) > 0 {
			who += " (" + line(strings.Join(r.Agents, ", then ")) + ")"
		}
	}
	return cut(who + ", " + line(p.Prompt))
}

// gate says what a gate asks, and of whom.
func gate(g workflow.Gate) string {
	if g.Group != "" {
		if g.Again {
			return line(string(g.Group)) + " of the run, again"
		}
		return line(string(g.Group)) + " of the run"
	}
	text := line(g.Name) + ": " + line(string(g.Kind))
	if shows := workflow.KindOf(g.Kind).Shows; shows != nil {
		text += ", " + line(shows(g))
	}
	return text
}

// looks says that somebody looks at a gate who did not do the work.
func looks(n node) bool {
	for _, r := range n.rows {
		if r.label == "works" {
			return r.text == "nobody"
		}
	}
	return false
}

func texts(list []string) string { return line(strings.Join(list, " ")) }

// line is a text of the workflow on one line, with what cannot be seen in it.
func line(s string) string {
	return strings.TrimSpace(visible.Line(strings.Join(strings.Fields(s), " ")))
}

// columns is how wide a text is: scripts from Hangul on have wide characters.
func columns(s string) (n int) {
	for _, r := range s {
		n += width(r)
	}
	return n
}

func width(r rune) int {
	if r >= 0x1100 {
		return 2
	}
	return 1
}

func cut(s string) string {
	if columns(s) <= maxText {
		return s
	}
	n := 0
	for i, r := range s {
		if n += width(r); n > maxText-3 {
			return s[:i] + "..."
		}
	}
	return s
}
