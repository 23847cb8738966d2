package comment

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// outcome is what came of a run, with its evidence; said is the line that was
// told of it already.
func outcome(v wire.WhyView, said string) string {
	var b strings.Builder
	if !strings.Contains(said, v.Because) {
		b.WriteString("\n" + code(v.Because, lineBytes) + "\n")
	}
	if q := strings.TrimSpace(v.Question); q != "" && v.Run.Question == nil {
		b.WriteString("\nThe agent asks:\n\n" + block("text", q, mostLines, mostBytes))
	}
	for i, f := range v.Failing {
		if i == 0 {
			b.WriteString("\nFailing:\n\n")
		}
		b.WriteString("- " + code(f, lineBytes) + "\n")
	}
	if v.More > 0 {
		fmt.Fprintf(&b, "- and %d more\n", v.More)
	}
	if e := v.Evidence; e != nil {
		b.WriteString(evidence(*e, len(v.Summary) == 0))
	}
	b.WriteString(summary(v.Summary))
	return b.String()
}

// evidence is what done stands on; the gates are in the summary, where there is
// one.
func evidence(e wire.Evidence, gates bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nEvidence: tree %s, gates passed %s", code(e.Tree, lineBytes), where(e))
	if e.Pinned > 0 {
		b.WriteString(", " + phrase.Count(e.Pinned, "pinned file") + " unchanged")
	}
	b.WriteString("\n\n")
	for _, g := range e.Gates {
		if g.Verdict == "" || !gates {
			continue
		}
		r := events.GateResult{Verdict: events.Verdict(g.Verdict), Reason: events.Reason(g.Reason), Exit: g.Exit}
		fmt.Fprintf(&b, "- %s %s: %s\n", code(g.Name, lineBytes), code(g.Verdict, lineBytes), code(phrase.Reason(events.English, r), lineBytes))
	}
	for _, f := range e.Allowed {
		b.WriteString("- a pinned file was changed, as it was allowed to: " + code(f, lineBytes) + "\n")
	}
	return b.String()
}

func where(e wire.Evidence) string {
	if e.Checkout == "clean" {
		return "in a clean checkout"
	}
	return "in place"
}

// summary is what the run went through, part by part.
func summary(parts []wire.SummaryPart) string {
	var b strings.Builder
	for i, p := range parts {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + code(p.Part, lineBytes) + "\n")
		for _, w := range p.Work {
			fmt.Fprintf(&b, "  - phase %s: %s, %s changed, tree %s\n", code(w.Phase, lineBytes),
				phrase.Count(w.Iterations, "iteration"), phrase.Count(w.Files, "file"), code(w.Tree, lineBytes))
		}
		for _, g := range p.Gates {
			b.WriteString("  - " + gate(g) + "\n")
		}
	}
	return b.String()
}

func gate(g wire.SummaryGate) string {
	text := code(g.Gate, lineBytes) + " "
	switch g.Verdict {
	case "":
		return text + "was never judged"
	case string(events.Open):
		return text + "is open"
	}
	text += code(g.Verdict, lineBytes)
	for _, by := range g.By {
		if by.Assurance != "" { // who it was is nobody's business there
			text += ", " + code(by.Says, lineBytes) + " by a person (" + code(by.Assurance, lineBytes) + ")"
			continue
		}
		text += ", " + code(by.Who, lineBytes) + " " + code(by.Says, lineBytes)
	}
	return text
}
