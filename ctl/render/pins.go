package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// pinWords say why files are pinned; %s is what Why names.
var pinWords = map[string][2]string{
	"gate":    {"named by a gate", "named by a gate, in %s"},
	"sourced": {"sourced", "sourced by %s"},
	"run":     {"run", "run by %s"},
	"target":  {"targets that a gate reaches", "target %s and what it reaches"},
	"script":  {"scripts that a gate reaches", "script %s and what it reaches"},
	"include": {"included", "included by %s"},
	"config":  {"configures the tests, where it does", "configures the tests, where it does (%s)"},
	"read":    {"the check compares with it", "%s compares with it, or is made of it"},
	"helper":  {"only tests use it", "only tests use it: %s"},
	"role":    {"run as an agent that looks at the work", "run as the agent of role %s"},
	"failing": {"has failing tests", "has failing tests (%s)"},
	"name":    {"test by its name", "test by its name (%s)"},
	"protect": {"protect", "--protect %s"},
}

// shownPins bounds the files of a group that a preview names.
const shownPins = 8

// pins shows the pinned files by why they are.
func (s Style) pins(groups []wire.PinGroup) string {
	var b strings.Builder
	for _, g := range groups {
		words := pinWords[g.Why]
		why := words[0]
		if g.By != "" {
			why = strings.ReplaceAll(words[1], "%s", Line(g.By))
		}
		b.WriteString(s.wrap(why+": "+count(g.Count, "file"), "  "))
		for _, f := range g.Files[:min(len(g.Files), shownPins)] {
			b.WriteString("    " + Line(f) + "\n")
		}
		if more := g.Count - min(len(g.Files), shownPins); more > 0 {
			fmt.Fprintf(&b, "    and %d more\n", more)
		}
	}
	return b.String()
}

// TaskPins warns of pinned files that the task asks to change.
func (s Style) TaskPins(globs []string) string {
	if len(globs) == 0 {
		return ""
	}
	flags := make([]string, 0, len(globs))
	for _, g := range globs {
		flags = append(flags, "--allow-test-changes="+phrase.Quote(g))
	}
	return s.say("The task names files that count as tests, so a change of them fails the run: %s\n", "タスクが、テストとして固定されるファイルを挙げています。変更するとランは失敗します: %s\n", Line(strings.Join(globs, " "))) +
		s.say("  If they are the work, start it with: %s\n", "  それが作業の対象なら、次を付けて開始します: %s\n", Line(strings.Join(flags, " ")))
}
