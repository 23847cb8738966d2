package render

import (
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// HiddenComment says the same beside a gate in a file.
func HiddenComment(h wire.HiddenExit) string {
	text := "can pass although a part of it fails: " + phrase.Hidden("", h.What)
	if h.Where != "" {
		text += " (" + h.Where + ")"
	}
	if h.Instead != "" {
		text += "; write " + h.Instead
	}
	return text
}

// Lacks warns of programs that gates look for, and that the host lacks.
func (s Style) Lacks(list []wire.MissingProgram) string {
	var b strings.Builder
	for _, m := range list {
		in := ""
		if m.Phase != "" {
			in = s.say(" of phase %s", "(フェーズ %s)", Line(string(m.Phase)))
		}
		b.WriteString(s.wrap(s.say("Gate %s%s looks for %s, which is not on the PATH of gates. Install it, or put its directory there (gate.env)",
			"ゲート %s%s は %s を必要としますが、ゲートの PATH にありません。インストールするか、gate.env で PATH に加えてください", Line(string(m.Gate)), in, Line(m.Program)), ""))
	}
	return b.String()
}

// HiddenExits warns of gates that can pass although a part of them fails.
func (s Style) HiddenExits(hidden []wire.HiddenExit) string {
	var b strings.Builder
	for _, h := range hidden {
		what := phrase.Hidden(s.lang, h.What)
		if h.Where != "" {
			what += s.say(" (%s)", "(%s)", Line(h.Where))
		}
		b.WriteString(s.wrap(s.say("Gate %s can pass although a part of it fails: %s", "ゲート %s は一部が失敗しても成功になりえます: %s", Line(string(h.Gate)), what), ""))
		if h.Instead != "" {
			b.WriteString(s.say("  write: %s\n", "  書き換え: %s\n", Line(h.Instead)))
		}
	}
	return b.String()
}
