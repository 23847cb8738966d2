package render

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"autopilot/events/wire"
)

// Claims lists who holds what.
func (s Style) Claims(v wire.ClaimsView, all bool) string {
	if len(v.Claims) == 0 && v.Unknown {
		return s.teamAway(v)
	}
	if len(v.Claims) == 0 {
		is, where, when := "is", "", ""
		if t := v.Team; t != nil && (t.Problem != "" || t.Reading) {
			is, when = "was", " when the team was last heard"
		}
		if !all {
			where = " in this repository"
		}
		return "nothing " + is + " claimed" + where + when + "\n" + s.teamAway(v)
	}
	var b strings.Builder
	of := ""
	var rows [][]string
	flush := func() { b.WriteString(table(rows)); rows = nil }
	for _, c := range v.Claims {
		if c.Of != of {
			flush()
			of = c.Of
			b.WriteString(claimedIn(c) + "\n")
		}
		rows = append(rows, []string{Line(c.Key), Line(c.State), fence(c), s.holder(c), "since " + s.timeAt(c.Since), s.until(c)})
	}
	flush()
	return b.String() + s.teamAway(v)
}

// firstCommit is how much of the first commit of a repository is shown.
const firstCommit = 8

// claimedIn is what a claim is within. A repository without a remote is known by
// its first commit, which nobody knows it by.
func claimedIn(c wire.ClaimView) string {
	hash, ok := strings.CutPrefix(c.Of, "commit ")
	if !ok {
		return Line(c.Of)
	}
	text := "no remote, first commit " + Line(hash[:min(firstCommit, len(hash))])
	if c.Directory == "" {
		return "a repository with " + text
	}
	return Line(filepath.Base(c.Directory)) + " (" + text + ")"
}

func fence(c wire.ClaimView) string {
	if c.Fence == 0 {
		return "-"
	}
	return fmt.Sprintf("%d", c.Fence)
}

func (s Style) timeAt(t *time.Time) string {
	if t == nil {
		return "?"
	}
	return s.Clock(*t)
}

func (s Style) holder(c wire.ClaimView) string {
	who := Line(c.Holder)
	if c.Mine {
		who += " (this one)"
	}
	if c.StateDir != "" {
		who += " of " + Line(c.StateDir)
	}
	return who
}

// until says when a claim is free by itself.
func (s Style) until(c wire.ClaimView) string {
	switch {
	case c.State == wire.ClaimStale:
		return "free for who takes it next"
	case c.State == wire.ClaimOverdue:
		return "time over at " + s.timeAt(c.Until) + ", process goes on"
	case c.StateDir != "" && c.Alive:
		return "daemon goes on"
	case c.Run != "" && c.Alive:
		return "until the run ends"
	}
	return "until " + s.timeAt(c.Until)
}

// Taken says what was claimed, and until when.
func (s Style) Taken(v wire.ClaimsView) string {
	c := v.Claims[0]
	return fmt.Sprintf("%s is yours until %s, fence %s\n  apctl peer take %s   renews it\n  apctl peer drop %s   gives it back\n",
		s.paint(bold, Line(c.Key)), s.timeAt(c.Until), fence(c), Word(Line(c.Key)), Word(Line(c.Key)))
}

// Dropped says that a claim is free.
func (s Style) Dropped(v wire.ClaimsView) string {
	c := v.Claims[0]
	if c.Forced {
		return fmt.Sprintf("%s is free: it was taken from %s, with assurance %s\n", Line(c.Key), s.holder(c), Line(c.Assurance))
	}
	return Line(c.Key) + " is free\n"
}

// ForceAsk shows whose claim would be taken away, and asks.
func (s Style) ForceAsk(v wire.ClaimsView) string {
	c := v.Claims[0]
	life := "its process has ended"
	switch {
	case c.StateDir != "":
		life = "its daemon has ended, and may come back for it until " + s.timeAt(c.Until)
	case c.Host != "":
		life = "whether its process goes on cannot be seen from here"
	case c.Alive:
		life = "its process goes on, and is not told"
	}
	return fmt.Sprintf("take %s from %s\n  of %s\n  since %s, last heard of at %s; %s\n\n%s",
		s.paint(bold, Line(c.Key)), s.holder(c), claimedIn(c), s.timeAt(c.Since), s.timeAt(c.Beat), life,
		s.challenge("take it", c.Key, v.PIN))
}

// NotForced says that a claim stays whose it is, and why.
func NotForced(c wire.ClaimView, why string) *wire.Error {
	return &wire.Error{
		Code:    wire.NeedsPerson,
		Message: why + ", so " + Line(c.Key) + " stays with " + Line(c.Holder),
		Hint:    "apctl peer drop " + Word(Line(c.Key)) + " --force   asks a person at a terminal",
	}
}

// NotForcedAs is another word than the one that was asked for.
func NotForcedAs(c wire.ClaimView, typed string) *wire.Error {
	if typed == "" {
		return NotForced(c, "nothing was typed")
	}
	return NotForced(c, fmt.Sprintf("%q is not %s", Line(typed), Line(c.Key)))
}

// ClaimWhat is a claim without a key.
func ClaimWhat(command string) *wire.Error {
	return usage(command+" branch:fix/parser", "%s needs what is claimed: workspace, branch:NAME, issue:NAME or merge:NAME", command)
}

// BadTTL is a length of time that no claim can have.
func BadTTL(ttl time.Duration, key string) *wire.Error {
	return usage("apctl peer take "+Word(key)+" --ttl 2h", "a claim is taken for whole seconds, 10s up to 168h, not for %s", ttl)
}
