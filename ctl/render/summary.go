package render

import (
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
		name := Line(phrase.Part(s.lang, p.Part))
		row := func(cells ...string) {
			rows = append(rows, append([]string{name}, cells...))
			name = ""
		}
		for _, w := range p.Work {
			row("", Line(w.Phase), s.say("%s, %s changed, tree %s%s", "%s、変更 %s、ツリー %s%s", s.count(w.Iterations, "iteration", "回"), s.count(w.Files, "file", "ファイル"), Hash(w.Tree), s.refers(w)))
		}
		var never []string
		for _, g := range p.Gates {
			if g.Verdict == "" {
				never = append(never, Line(g.Gate))
				continue
			}
			verdict := s.verdictWord(g.Verdict)
			if g.Baseline {
				verdict = s.say("%s before any work", "%s (作業前)", verdict)
			}
			says := strings.Join(nonempty(verdict, s.by(g)), ": ")
			if twice(p.Gates, g.Gate) {
				says = s.say("%s, in %s", "%s、フェーズ %s", says, Line(g.Phase))
			}
			row(s.sign(g.Verdict), Line(g.Gate), says)
		}
		switch {
		case len(never) > 0:
			row(s.sign(""), "", s.say("never judged: %s", "未判定: %s", strings.Join(never, ", ")))
		case p.Absent:
			row("", "", s.say("not in this workflow", "このワークフローにはない"))
		case len(p.Work)+len(p.Gates) == 0:
			row(s.sign(""), "", s.say("nothing was done", "作業なし"))
		}
	}
	return table(rows)
}

// twice says that a gate judged more than one phase.
func twice(gates []wire.SummaryGate, name string) bool {
	n := 0
	for _, g := range gates {
		if g.Gate == name && g.Verdict != "" && !g.Baseline {
			n++
		}
	}
	return n > 1
}

func (s Style) refers(w wire.SummaryWork) string {
	if len(w.References) == 0 {
		return ""
	}
	return s.say(", refers to %s", "、参照 %s", strings.Join(each(w.References), ", "))
}

// by is what a verdict stands on, in few words.
func (s Style) by(g wire.SummaryGate) string {
	var list []string
	for _, b := range g.By {
		if b.Assurance == "" {
			list = append(list, Line(b.Who)+" "+Line(b.Says))
			continue
		}
		if b.Assurance == string(events.AssuredHandoff) {
			list = append(list, s.say("accepted by hand-off of %s, nobody has looked (%s)", "%s の引き継ぎによる承認、確認者なし(%s)", who(b.Who), Line(b.Assurance)+s.weak(b.Assurance)))
			continue
		}
		said := s.say("%s by %s (%s)", "%s: %s(%s)", Line(b.Says), who(b.Who), Line(b.Assurance)+s.weak(b.Assurance))
		if b.At != nil {
			said += " " + s.Clock(*b.At)
		}
		list = append(list, said)
	}
	switch {
	case g.Changed:
		return strings.Join(append(list, s.say("and changed since", "その後に変更あり")), ", ")
	case len(list) > 0:
		return strings.Join(list, ", ")
	case g.Verdict == "" || g.Verdict == string(events.Open):
		return ""
	}
	return Line(g.Says)
}

// weak marks what nobody is known to have looked at.
func (s Style) weak(assurance string) string {
	if events.Assurance(assurance).Weak() {
		return s.say(": weak", ": 弱い")
	}
	return ""
}

func each(list []string) []string {
	out := make([]string, 0, len(list))
	for _, t := range list {
		out = append(out, Line(t))
	}
	return out
}
