package render

import (
	"strings"

	"autopilot/events/wire"
)

// heldOut shows held-out gates and where their files are.
func (s Style) heldOut(h wire.HoldoutView) string {
	rows := make([][]string, 0, len(h.Gates))
	for _, g := range h.Gates {
		rows = append(rows, []string{Line(string(g.Name)), Line(g.Command)})
	}
	return table(rows) + s.facts([][2]string{
		{s.say("files", "ファイル"), s.say("%s in %s", "%s (%s)", s.count(h.Files, "file", "件"), Line(h.Dir))},
	}) + s.inSight(h.InSight)
}

// heldTexts are what held-out gates have printed.
func (s Style) heldTexts(list []wire.HeldOutText) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString("\n  " + Line(t.Gate) + "\n" + indent("  | ", strings.TrimRight(Clean(t.Text), "\n")))
	}
	return b.String()
}

// InSight warns of held-out files that nothing hides; empty where they are hidden.
func (s Style) InSight(v wire.RunView) string { return s.Of(v).inSight(v.InSight) }

func (s Style) inSight(why string) string {
	if why == "" {
		return ""
	}
	return s.wrap(s.say("warning: nothing hides the held-out files from the agent: %s. Done will say so.",
		"警告: 秘匿ファイルはエージェントから隠されません: %s。完了時にもその旨を表示します。", Line(why)), "  ")
}
