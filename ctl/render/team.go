package render

import (
	"fmt"

	"autopilot/events/wire"
)

// shares is whom claims and accounts are shared with.
func (s Style) shares(t *wire.TeamView) string {
	switch {
	case t == nil:
		return ""
	case t.Problem != "":
		return s.paint(yellow, "out of reach") + fmt.Sprintf(" at %s since %s: %s; it is tried again", Line(t.URL), s.Clock(t.Since), Line(t.Problem))
	}
	text := "at " + Line(t.Server)
	if t.TLS {
		text += " with TLS"
	}
	return text + " since " + s.Clock(t.Since)
}

// teamAway says that a list of claims lacks some, or may be old.
func (s Style) teamAway(v wire.ClaimsView) string {
	t := v.Team
	switch {
	case t == nil:
		return ""
	case t.Problem == "" && v.Unknown:
		return s.paint(yellow, "what is claimed on other hosts is not known yet") + ": the log of the team is being read; ask again\n"
	case t.Problem == "" && t.Reading:
		return s.paint(yellow, "what is claimed on other hosts may have changed") + ": the log of the team is being read; ask again\n"
	case t.Problem == "":
		return ""
	}
	what := "what is claimed on other hosts may have changed"
	if v.Unknown {
		what = "what is claimed on other hosts is not known"
	}
	return s.paint(yellow, "the team is out of reach") + fmt.Sprintf(" since %s: %s, and nothing but a work tree can be claimed now\n  %s\n  apctl doctor   says what may be wrong\n",
		s.Clock(t.Since), what, Line(t.Problem))
}
