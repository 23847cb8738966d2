package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Examining says what takes a while.
func Examining() string { return "looking ...\n" }

// plainWidth is as wide as findings are where no terminal says otherwise.
const plainWidth = 80

// Doctor lists findings in the order that they come in, the worst first, and
// counts them.
func (s Style) Doctor(v wire.DoctorView) string {
	if s.Width <= 0 {
		s.Width = plainWidth
	}
	w := 0
	for _, f := range v.Findings {
		w = max(w, columns(Line(f.Topic)))
	}
	var b strings.Builder
	counts := map[string]int{}
	for _, f := range v.Findings {
		counts[f.Level]++
		b.WriteString(s.finding(f, w))
	}
	if len(v.Findings) > 0 {
		b.WriteByte('\n')
	}
	return b.String() + s.counted(counts) + "\n"
}

func (s Style) finding(f wire.DoctorFinding, w int) string {
	sign, colour := s.level(f.Level)
	text := s.narrower(2+w+2).wrap(Line(f.What), "")
	fix := ""
	if f.Fix != "" {
		fix = s.narrower(2+w+7).wrap(Line(f.Fix), "")
	}
	var b strings.Builder
	for i, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		head := pad("", 2+w)
		if i == 0 {
			head = s.paint(colour, sign) + " " + s.paint(colour, pad(Line(f.Topic), w))
		}
		b.WriteString(head + "  " + l + "\n")
	}
	for i, l := range strings.Split(strings.TrimRight(fix, "\n"), "\n") {
		switch {
		case l == "":
		case i == 0:
			b.WriteString(pad("", 2+w) + "  " + s.paint(dim, "fix:") + " " + l + "\n")
		default:
			b.WriteString(pad("", 2+w+7) + l + "\n")
		}
	}
	return b.String()
}

func (s Style) level(level string) (sign, colour string) {
	switch level {
	case wire.LevelError:
		return s.pick("✗", "x"), red
	case wire.LevelWarning:
		return "!", yellow
	case wire.LevelNote:
		return s.pick("·", "-"), ""
	case wire.LevelOK:
		return s.pick("✓", "+"), green
	}
	return "?", dim
}

func (s Style) counted(counts map[string]int) string {
	var parts []string
	for _, level := range []string{wire.LevelError, wire.LevelWarning, wire.LevelNote} {
		if n := counts[level]; n > 0 {
			parts = append(parts, count(n, level))
		}
	}
	if n := counts[wire.LevelUnknown]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown", n))
	}
	if n := counts[wire.LevelOK]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d ok", n))
	}
	if len(parts) == 0 {
		return "nothing was looked at"
	}
	return strings.Join(parts, ", ")
}
