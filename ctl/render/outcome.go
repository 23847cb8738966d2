package render

import (
	"fmt"
	"strconv"
	"strings"

	"autopilot/events/wire"
)

// Outcome is how an agent ended, and what that was taken from.
func (s Style) Outcome(v wire.OutcomeView) string {
	colour := yellow
	if v.Outcome == "ended" {
		colour = green
	}
	reset := ""
	if v.Reset != nil {
		reset = s.Clock(*v.Reset) + ", in " + Duration(v.Reset.Sub(s.Now))
		if v.Reset.Before(s.Now) {
			reset = s.Clock(*v.Reset) + ", which has passed"
		}
	} else if v.Outcome == "rate-limited" {
		reset = "unknown"
	}
	pairs := [][2]string{
		{"because", Line(v.Signal + ": " + v.Reason)},
	}
	for _, c := range v.Conflicts {
		pairs = append(pairs, [2]string{"against", Line(c.Signal + ": " + c.Reason + ", so " + c.Outcome)})
	}
	pairs = append(pairs, [][2]string{
		{"message", Line(v.Message)},
		{"resets", reset},
		{"not sure", notSure(v.Candidates)},
		{"agent", strings.Join(nonempty(Line(v.Agent), Line(v.Model), worded("session ", Line(v.Session))), ", ")},
		{"work", fmt.Sprintf("%s, %s", count(v.Turns, "turn"), count(v.Tools, "tool use"))},
		{"usage", tokens(v)},
		{"read", readLines(v)},
		{"said", s.cut(Line(lastLine(v.Last)), 120)},
	}...)
	return s.paint(colour, Line(v.Outcome)) + "\n" + s.facts(pairs)
}

// notSure names the programs that a sample may be of.
func notSure(candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	return Line("it may be of " + strings.Join(candidates, ", ") + "; --agent NAME says which")
}

func worded(before, t string) string {
	if t == "" {
		return ""
	}
	return before + t
}

func tokens(v wire.OutcomeView) string {
	t := "unknown"
	if u := v.Usage; u != nil {
		t = fmt.Sprintf("%d in, %d read from cache, %d written to cache, %d out", u.Input, u.CacheRead, u.CacheWrite, u.Output)
	}
	if v.MicroUSD == nil {
		return t + "; cost unknown"
	}
	return t + "; $" + strconv.FormatFloat(float64(*v.MicroUSD)/1e6, 'f', 4, 64) + " as reported"
}

func readLines(v wire.OutcomeView) string {
	t := count(v.Lines, "line")
	if v.Junk > 0 {
		t += fmt.Sprintf(", %d not of the stream", v.Junk)
	}
	if v.Unknown > 0 {
		t += fmt.Sprintf(", %d of unknown types", v.Unknown)
	}
	return t
}

func lastLine(t string) string {
	t = strings.TrimSpace(t)
	return t[strings.LastIndexByte(t, '\n')+1:]
}

// SampleTooLarge is a sample that is longer than is taken.
func SampleTooLarge(limit int64) *wire.Error {
	return &wire.Error{
		Code: wire.Usage, Message: "the sample is larger than " + Size(limit),
		Hint: "its end says most: tail -c 16000000 FILE | apctl agent classify",
	}
}
