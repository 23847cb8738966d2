package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/visible"
)

// Trust says whether a project's file is trusted, and shows what is not.
func (s Style) Trust(v wire.TrustView) string {
	if v.Trusted {
		return s.Trusted(v)
	}
	return s.untrusted(v)
}

// Trusted says since when and by whom a file is trusted.
func (s Style) Trusted(v wire.TrustView) string {
	var since string
	if v.At != nil {
		since = ", since " + s.Clock(*v.At) + " by " + who(v.By)
		if _, at, ok := strings.Cut(v.By, "/"); ok {
			since += " at " + Line(at)
		}
	}
	return s.paint(green, "trusted") + ": " + Line(v.File) + since + "\n"
}

// TrustAsk shows what a person would agree to, says what that means, and asks.
func (s Style) TrustAsk(v wire.TrustView) string {
	long := ""
	if n := strings.Count(v.Diff, "\n"); n > manyLines {
		long = fmt.Sprintf("\nThese were %d lines. To read them in pages, press Enter, then\n  apctl trust --show | less\n", n)
	}
	return s.untrusted(v) + long + "\n" + trustMeans + "\n" +
		s.challenge("trust it", wire.Challenge(v.Hash), v.PIN)
}

// manyLines may have left the screen before they were read.
const manyLines = 100

const trustMeans = `If you trust it, the daemon runs the commands in it as you: gates, set-up and
agents, in every work tree of this repository, whoever starts the run. That
holds for exactly this content; any change asks again.
`

func (s Style) untrusted(v wire.TrustView) string {
	var b strings.Builder
	b.WriteString(s.paint(yellow, "not trusted") + ": " + Line(v.File))
	if v.Before != "" {
		b.WriteString(", changed since it was trusted last")
	}
	b.WriteString("\n\n")
	all := visible.Text(v.Diff)
	shown := all
	if _, body, ok := strings.Cut(all, "\n@@"); ok && v.Before == "" && strings.HasSuffix(v.File, ".yaml") {
		_, shown, _ = strings.Cut(body, "\n") // all of it is new
	}
	for l := range strings.Lines(shown) {
		b.WriteString(s.DiffLine(strings.TrimSuffix(l, "\n")) + "\n")
	}
	if all != strings.ReplaceAll(v.Diff, "\r\n", "\n") {
		b.WriteString("\n" + s.paint(yellow, `It holds characters that cannot be seen; here they are written as codes, such as \u202e.`) + "\n")
	}
	return b.String()
}

// NotAgreed says that a person did not agree.
func NotAgreed(v wire.TrustView, typed string) *wire.Error {
	what := "that is not " + wire.Challenge(v.Hash)
	if typed == "" {
		what = "nothing was typed"
	}
	return &wire.Error{
		Code:    wire.NeedsPerson,
		Message: what + ", so " + Line(v.File) + " stays as it is: not trusted, and not used",
		Hint:    "apctl trust   asks again",
	}
}

// NoTerminal says that nobody can be asked.
func NoTerminal(v wire.TrustView, why error) *wire.Error {
	return &wire.Error{
		Code:    wire.NeedsPerson,
		Message: Line(v.File) + " is not trusted: " + why.Error(),
		Hint:    "apctl trust --show   shows it\napctl trust   asks a person at a terminal",
	}
}

// DecidesNothing is a decision of a process that autopilot started.
func DecidesNothing() *wire.Error {
	return &wire.Error{
		Code:    wire.Denied,
		Message: "this is a process that autopilot started; it may look, and decides nothing",
	}
}
