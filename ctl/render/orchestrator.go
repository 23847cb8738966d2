package render

import (
	"strconv"
	"strings"

	"autopilot/events/wire"
)

// PolicyError is an error of a call of compat policy.
func PolicyError(err error) string { return "apctl compat policy: " + Line(err.Error()) + "\n" }

// PolicyUsage is a call that names no one function.
func PolicyUsage() error {
	return wire.Errorf(wire.Usage, "name one FUNCTION, or --batch: apctl compat policy --help lists them")
}

// Mode is the mode of a next session, with what it follows from.
func (s Style) Mode(v wire.ModeView) string {
	var also []string
	for _, c := range v.Alternatives {
		also = append(also, Line(c.Mode)+" "+short(c.Confidence))
	}
	text := s.paint(bold, Line(v.Mode)) + "  confidence " + short(v.Confidence) + ", " + useWords[v.Use] + "\n" + s.facts([][2]string{
		{"because", Line(v.Rationale)}, {"else", strings.Join(also, ", ")}, {"pressure", Line(v.Pressure)},
	})
	if v.Ignored {
		text += s.paint(yellow, "A source has something to say, and the confidence is 0 all the same: look at what it says.") + "\n"
	}
	text += "\nsources\n"
	for _, f := range v.Sources {
		text += "  " + pad(Line(f.Name), 18) + pad(Line(f.State), 12) + Line(f.Says) + "\n"
	}
	return text
}

// useWords say what a confidence is good for.
var useWords = map[string]string{
	"decline":    "which recommends nothing",
	"suggest":    "which is a suggestion",
	"preselect":  "enough to be selected before a person is asked",
	"autonomous": "enough to run without a person",
}

func short(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// BadBound is a bound of sessions that is no number.
func BadBound(flag, text string, low, high float64) error {
	return wire.Errorf(wire.Usage, "--%s %q is no number", flag, text).WithHint("write a number from %s to %s", short(low), short(high))
}

// Clamped says that a bound of sessions was brought into its range.
func Clamped(flag string, from, to float64) string {
	return "  --" + flag + ": clamped " + short(from) + " to " + short(to) + "\n"
}

// LowThreshold warns of a threshold that nearly any mode reaches.
func LowThreshold(c float64) string {
	return "  a threshold of " + short(c) + " lets nearly any mode run without a person; 0.5 or more is advised\n"
}

// series lists the sessions that a run would have. Only of the first the mode is known: that
// of each other one is selected after the one before it.
func series(v *wire.SeriesPreview) string {
	if v == nil {
		return ""
	}
	first := "mode " + Line(v.Mode) + ", confidence " + short(v.Confidence) + ": " + Line(v.Rationale)
	switch {
	case v.Selector != "":
		first = "the mode that this command names: " + Line(v.Selector)
	case !v.Runs:
		first += "\n    under the threshold of " + short(v.Threshold) + ": a person is asked to begin it"
	}
	agents := "as many sub-agents as it wants"
	if v.Cap >= 0 {
		agents = "at most " + count(v.Cap, "sub-agent")
	}
	text := "  1  " + first + "\n    " + agents
	if v.Verdict != "" {
		text += "; the machine is " + Line(v.Verdict)
	}
	text += "\n"
	if v.Sessions > 1 {
		text += "  2 to " + strconv.Itoa(v.Sessions) + "  a mode that is selected after the session before, from confidence " + short(v.Threshold) + " on\n"
	}
	text += "  none begins after " + short(v.Hours) + " h"
	if v.Tokens > 0 {
		text += ", or " + strconv.FormatInt(v.Tokens, 10) + " tokens"
	}
	return text + "\n"
}
