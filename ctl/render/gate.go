package render

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

// mark shows a gate in a live line: its sign, its name and how many tests
// fail, with the number before if that was another.
func (s Style) mark(g wire.GateView) string {
	t := s.sign(g.Verdict) + " " + Line(g.Name)
	if g.Failing > 0 || g.Before > 0 {
		t += " " + s.failing(g)
	}
	return s.paint(verdictColour(g.Verdict), t)
}

// failing is "3→2", or "2" without another number before.
func (s Style) failing(g wire.GateView) string {
	if g.Before == 0 || g.Before == g.Failing {
		return fmt.Sprint(g.Failing)
	}
	return fmt.Sprintf("%d%s%d", g.Before, s.pick("→", "->"), g.Failing)
}

func (s Style) sign(verdict string) string {
	switch events.Verdict(verdict) {
	case events.Pass:
		return s.pick("✓", "ok")
	case events.Fail:
		return s.pick("✗", "x")
	case events.Unverifiable:
		return "?"
	case events.Skipped:
		return "-"
	case events.Open:
	}
	return s.pick("○", ".")
}

func verdictColour(verdict string) string {
	switch events.Verdict(verdict) {
	case events.Pass:
		return green
	case events.Fail:
		return red
	case events.Unverifiable:
		return yellow
	case events.Skipped, events.Open:
	}
	return dim
}

// gateRows is one table row for each gate, with its verdict and evidence.
func (s Style) gateRows(gates []wire.GateView) [][]string {
	rows := make([][]string, 0, len(gates))
	for _, g := range gates {
		verdict := s.verdictWord(g.Verdict)
		switch {
		case g.Verdict == "":
			verdict = s.say("not yet", "未実行")
		case g.Baseline:
			verdict = s.say("%s before any work", "%s (作業前)", verdict)
		}
		rows = append(rows, []string{
			s.sign(g.Verdict), Line(g.Name), verdict, s.proof(g), s.role(g.Role), s.cut(s.what(g), 48),
		})
	}
	return rows
}

// proof says what the verdict of a gate stands on.
func (s Style) proof(g wire.GateView) string {
	if g.Verdict == "" {
		return ""
	}
	var p []string
	if g.Says != "" {
		p = append(p, Line(g.Says))
	}
	if g.Failing > 0 || g.Before > 0 {
		p = append(p, s.say("%s failing", "失敗 %s 件", s.failing(g)))
	}
	if g.DurationMS > 0 || g.Reason == string(events.ReasonExit) && g.Kind != string(events.GateProtected) {
		p = append(p, Duration(time.Duration(g.DurationMS)*time.Millisecond))
	}
	return s.listed(p...)
}

// quietPins is the gate of the pinned files while they are as they were: it is
// only worth a word when they changed.
func quietPins(g wire.GateView) bool {
	return g.Kind == string(events.GateProtected) && (g.Verdict == "" || g.Verdict == string(events.Pass))
}

// what a gate looks at: its command, or the files of an artifact.
func (s Style) what(g wire.GateView) string {
	if len(g.Files) > 0 {
		return s.say("files %s", "ファイル %s", Line(strings.Join(g.Files, " ")))
	}
	if g.Kind == string(events.GateHoldout) {
		return s.say("held out: files that the agent does not see", "秘匿: エージェントには見えないファイル")
	}
	return Line(g.Command)
}

// role is what a gate proves.
func (s Style) role(role string) string {
	switch events.GateRole(role) {
	case events.RoleGoal:
		return s.say("goal", "ゴール")
	case events.RoleInvariant:
		return s.say("invariant", "維持")
	case events.RoleCheck:
		return s.say("check", "確認")
	}
	return Line(role)
}
