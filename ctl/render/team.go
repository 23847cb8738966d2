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

// teamAway says that a list of claims may be old.
func (s Style) teamAway(t *wire.TeamView) string {
	if t == nil || t.Problem == "" {
		return ""
	}
	return s.paint(yellow, "the team is out of reach") + fmt.Sprintf(" since %s: what is claimed on other hosts may have changed, and nothing but a work tree can be claimed now\n  %s\n  apctl doctor   says what may be wrong\n",
		s.Clock(t.Since), Line(t.Problem))
}
