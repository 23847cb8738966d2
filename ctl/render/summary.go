package render

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// summary is what a run went through: a line for what was done in a phase, and
// one for each gate, with who looked or answered.
func (s Style) summary(parts []wire.SummaryPart) string {
	var rows [][]string
	for _, p := range parts {
		name := Line(p.Part)
		row := func(cells ...string) {
			rows = append(rows, append([]string{name}, cells...))
			name = ""
		}
		for _, w := range p.Work {
			row("", Line(w.Phase), fmt.Sprintf("%s, %s changed, tree %s%s", count(w.Iterations, "iteration"), count(w.Files, "file"), Hash(w.Tree), refers(w)))
		}
		for _, g := range p.Gates {
			verdict := Line(g.Verdict)
			switch {
			case g.Verdict == "":
				verdict = "never judged"
			case g.Verdict == string(events.Open):
				verdict = "open"
			}
			row(s.sign(g.Verdict), Line(g.Gate), strings.Join(nonempty(verdict, s.by(g)), ": "))
		}
	}
	return table(rows)
}

func refers(w wire.SummaryWork) string {
	if len(w.References) == 0 {
		return ""
	}
	return ", refers to " + strings.Join(each(w.References), ", ")
}

// by is what a verdict stands on, in few words.
func (s Style) by(g wire.SummaryGate) string {
	var list []string
	for _, b := range g.By {
		if b.Assurance == "" {
			list = append(list, Line(b.Who)+" "+Line(b.Says))
			continue
		}
		said := Line(b.Says) + " by " + who(b.Who) + " (" + Line(b.Assurance) + ")"
		if b.At != nil {
			said += " " + s.Clock(*b.At)
		}
		list = append(list, said)
	}
	switch {
	case len(list) > 0:
		return strings.Join(list, ", ")
	case g.Verdict == "" || g.Verdict == string(events.Open):
		return ""
	}
	return Line(phrase.Reason(events.GateResult{Reason: events.Reason(g.Reason), Verdict: events.Verdict(g.Verdict), Exit: g.Exit, Used: g.Used, Of: g.Of, Limit: g.Limit}))
}

func each(list []string) []string {
	out := make([]string, 0, len(list))
	for _, t := range list {
		out = append(out, Line(t))
	}
	return out
}
