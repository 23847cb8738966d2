package render

import (
	"autopilot/events/wire"
)

// endChanges is how many changes of git are told at the end of a run.
const endChanges = 8

// gitAt is where HEAD is, as a row of the evidence.
func (s Style) gitAt(g *wire.GitView) string {
	if g == nil {
		return ""
	}
	where := s.say("HEAD on no branch, at %s", "HEAD はブランチ外、%s", Hash(g.Commit))
	switch {
	case g.Commit == "":
		where = s.say("%s, without a commit", "%s、コミットなし", Line(g.Branch))
	case g.Branch != "":
		where = s.say("%s at %s", "%s(%s)", Line(g.Branch), Hash(g.Commit))
	}
	if len(g.Changes) == 0 {
		where = s.listed(where, s.say("as at the start", "開始時のまま"))
	}
	return where
}

// gitChanges lists what has changed in git since the start; most 0 is all.
func (s Style) gitChanges(g *wire.GitView, most int) string {
	if g == nil || len(g.Changes) == 0 {
		return ""
	}
	var lines []string
	for i, c := range g.Changes {
		if most > 0 && i == most {
			lines = append(lines, s.say("and %d more: apctl why", "ほか %d 件: apctl why", len(g.Changes)-most))
			break
		}
		lines = append(lines, c.Line)
	}
	return s.section(s.say("git since the start", "開始からの git の変化"), s.sentences(lines))
}
