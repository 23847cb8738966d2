package graph

import (
	"fmt"
	"strings"

	"autopilot/daemon/run/workflow"
)

// Text draws a workflow as lines of plain text.
func Text(w workflow.Workflow) string {
	d := makeDrawing(w)
	var b strings.Builder
	b.WriteString(d.title)
	if d.about != "" {
		b.WriteString(": " + d.about)
	}
	b.WriteString("\n\n")
	for i, n := range d.nodes {
		b.WriteString(n.name + "\n")
		for _, r := range n.rows {
			fmt.Fprintf(&b, "|  %-8s %s\n", r.label, r.text)
		}
		if n.next == i+1 || n.next < 0 {
			b.WriteString("v\n")
		} else {
			b.WriteString("\n") // it goes on elsewhere, as its row says
		}
	}
	b.WriteString("done\n")
	return b.String()
}

// Mermaid draws a workflow as a flowchart, as in Markdown of code forges.
func Mermaid(w workflow.Workflow) string {
	d := makeDrawing(w)
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, n := range d.nodes {
		lines := []string{"<b>" + inMermaid(n.name) + "</b>"}
		for _, r := range n.rows {
			if r.label != labelNext && r.label != labelBack {
				lines = append(lines, inMermaid(r.label+": "+r.text))
			}
		}
		fmt.Fprintf(&b, "  p%d[\"%s\"]\n", i, strings.Join(lines, "<br/>"))
	}
	b.WriteString("  done([done])\n")
	for i, n := range d.nodes {
		if n.next < 0 {
			fmt.Fprintf(&b, "  p%d --> done\n", i)
		} else {
			fmt.Fprintf(&b, "  p%d --> p%d\n", i, n.next)
		}
		if n.back >= 0 {
			fmt.Fprintf(&b, "  p%d -. \"unclean, at most %d times in a run\" .-> p%d\n", i, w.Limits.Cycles, n.back)
		}
	}
	return b.String()
}

// inMermaid writes a text for a label in quotes: what Mermaid or HTML would read
// in it is named by its number.
func inMermaid(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\"#&<>;`\\{}[]|*_~$", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
