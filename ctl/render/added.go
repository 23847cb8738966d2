package render

import (
	"strings"

	"autopilot/events/wire"
)

// Bounds of what is named of the additions of a run; JSON has more.
const (
	shownTests        = 5
	shownSuppressions = 10
	shownInReport     = 3
)

// newTests are the files that look like tests and came with the work, as a row of the
// evidence.
func (s Style) newTests(a *wire.Additions) string {
	if a == nil || len(a.Tests) == 0 {
		return ""
	}
	n := len(a.Tests) + a.MoreTests
	var names []string
	for _, name := range a.Tests[:min(len(a.Tests), shownTests)] {
		names = append(names, Line(name))
	}
	text := s.say("%s added: %s", "%sを追加: %s", s.count(n, "file", "ファイル"), strings.Join(names, ", "))
	if more := n - len(names); more > 0 {
		text += s.say(" and %d more", " ほか %d 件", more)
	}
	return text
}

// suppressions are the places where the work keeps tools from telling, as a row of the
// evidence.
func (s Style) suppressions(a *wire.Additions) string {
	if a == nil {
		return ""
	}
	var lines []string
	if n := len(a.Suppressions) + a.MoreSuppressions; n > 0 {
		shown := a.Suppressions[:min(len(a.Suppressions), shownSuppressions)]
		lines = append(lines, s.say("%s added", "%sを追加", s.count(n, "suppression", "件の抑制")))
		for _, x := range shown {
			lines = append(lines, "  "+s.suppression(x))
		}
		if more := n - len(shown); more > 0 {
			lines = append(lines, "  "+s.say("and %d more: apctl why --json", "ほか %d 件: apctl why --json", more))
		}
	}
	if a.Unread > 0 {
		lines = append(lines, s.say("%s not looked at, as the change is very large", "変更が大きいため %sは未確認", s.count(a.Unread, "file", "ファイル")))
	}
	return strings.Join(lines, "\n")
}

// unrecorded lists what gates may have read and the tree that passed does not have.
func (s Style) unrecorded(a *wire.Additions) string {
	if a == nil {
		return ""
	}
	var lines []string
	for _, u := range a.Unrecorded {
		why := s.say("a pipe, socket or device, or not readable", "パイプ、ソケット、デバイス、または読み取り不可")
		if u.Why == "large" {
			why = s.say("large: only its size and hash", "大きいためサイズとハッシュのみ")
		}
		lines = append(lines, s.say("%s  (%s)", "%s  (%s)", Line(u.Path), Line(why)))
	}
	if a.MoreUnrecorded > 0 {
		lines = append(lines, s.say("and %d more", "ほか %d 件", a.MoreUnrecorded))
	}
	return strings.Join(lines, "\n")
}

// suppression is one of them: where it is, what it is, and what does not tell there.
func (s Style) suppression(x wire.Suppression) string {
	of := map[string]string{
		"lint": s.say("linter", "リンター"), "types": s.say("type checker", "型検査"), "coverage": s.say("coverage", "カバレッジ"),
		"tests": s.say("tests", "テスト"), "security": s.say("security scanner", "セキュリティ検査"),
	}[x.Class]
	return s.say("%s:%d  %s (%s)", "%s:%d  %s(%s)", Line(x.File), x.Line, Line(x.Kind), Line(of))
}

// addedShort is the same in one line of a report; empty where no suppression was added.
func (s Style) addedShort(a *wire.Additions) string {
	if a == nil || len(a.Suppressions) == 0 {
		return ""
	}
	n := len(a.Suppressions) + a.MoreSuppressions
	var names []string
	for _, x := range a.Suppressions[:min(len(a.Suppressions), shownInReport)] {
		names = append(names, s.say("%s:%d %s", "%s:%d %s", Line(x.File), x.Line, Line(x.Kind)))
	}
	text := s.say("%s added: %s", "%sを追加: %s", s.count(n, "suppression", "件の抑制"), strings.Join(names, ", "))
	if more := n - len(names); more > 0 {
		text += s.say(" and %d more", " ほか %d 件", more)
	}
	return text
}
