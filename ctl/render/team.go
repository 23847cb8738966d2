package render

import (
	"fmt"
	"strings"

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
	text += " since " + s.Clock(t.Since)
	if t.Reading {
		text += "; its log is being read"
	}
	return text
}

// teamLog is how much a team has stored, and where.
func (s Style) teamLog(t *wire.TeamView) string {
	if t == nil || t.Quota == 0 {
		return ""
	}
	text := fmt.Sprintf("%s, %s of %s", count(int(t.Events), "event"), Size(t.Bytes), Size(t.Quota))
	if t.Replicas < t.Wanted {
		text += ", " + s.paint(yellow, fmt.Sprintf("on %d of %s", t.Replicas, count(t.Wanted, "server")))
	}
	var on []string
	for _, c := range t.Servers {
		name := Line(c.Name)
		switch {
		case c.Offline:
			name += " " + s.paint(yellow, "(offline)")
		case c.Name == t.Leader:
			name += " (leads)"
		case !c.Current:
			name += fmt.Sprintf(" (lacks %s)", count(int(c.Lag), "event"))
		}
		on = append(on, name)
	}
	if len(on) > 0 {
		text += ", on " + strings.Join(on, ", ")
	}
	return text
}

// teamHosts are the hosts of a team.
func (s Style) teamHosts(t *wire.TeamView) string {
	if t == nil {
		return ""
	}
	var out []string
	for _, h := range t.Hosts {
		name := Line(h.Name)
		if h.Person != "" {
			name += " (" + Line(h.Person) + ")"
		}
		switch {
		case h.Here:
			name += ", this one"
		case h.Away && t.Problem == "":
			name += ", " + s.paint(yellow, "away") + " since " + s.Clock(h.Heard)
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return "this one has id " + Line(t.Host)
	}
	return strings.Join(out, "; ") + "; this one has id " + Line(t.Host)
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

// teamProof says what was proven of the log of a team.
func (s Style) teamProof(t *wire.TeamProof) string {
	if t == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range t.Problems {
		fmt.Fprintf(&b, "%s team: %s at event %d: %s\n", s.paint(red, s.pick("✗", "x")), Line(p.Aggregate), p.Seq, Line(p.What))
	}
	what := count(t.Aggregates, "log") + ", " + count(t.Events, "event")
	if t.Cut > 0 {
		what += ", of " + count(t.Cut, "log") + " the latest events alone, as the servers keep no more"
	}
	if t.Unknown > 0 {
		what += ", " + s.unknown(t.Unknown)
	}
	switch {
	case t.Unread != "":
		fmt.Fprintf(&b, "%s the log of the team was not proven: %s\n", s.paint(yellow, "!"), Line(t.Unread))
	case len(t.Problems) > 0:
		fmt.Fprintf(&b, "%s found in the log of the team: %s\n", count(len(t.Problems), "problem"), what)
	default:
		b.WriteString(s.paint(green, s.pick("✓", "ok")) + " the log of the team is well: " + what + "\n")
	}
	return b.String()
}
