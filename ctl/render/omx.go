package render

import (
	"errors"
	"fmt"

	"autopilot/events/wire"
)

// OmxError is an error of a call of compat omx, as oh-my-codex prints its own.
func OmxError(err error) string { return "Error: " + OmxReason(err) + "\n" }

// OmxReason is an error on one line.
func OmxReason(err error) string {
	return Line(err.Error())
}

// NoOmx says that oh-my-codex keeps nothing in a directory.
func NoOmx(dir string) error {
	return errors.New(Line(dir) + " has no .omx: name the directory in which oh-my-codex works")
}

// OmxUsage is an argument that cannot be used.
func OmxUsage(verb, format string, args ...any) error {
	return errors.New(fmt.Sprintf(format, args...) + ": apctl compat omx " + verb + " --help lists what there is")
}

// Omx is a state of oh-my-codex, with what it lacks.
func (s Style) Omx(v wire.OmxView) string {
	state := "not active"
	if v.Active {
		state = "active"
	}
	text := s.paint(bold, "autopilot") + "  " + Line(v.Phase) + ", " + state + "\n" + s.facts([][2]string{
		{"task", Line(v.Task)}, {"directory", Line(v.Dir)}, {"returns", fmt.Sprint(v.ReviewCycle)},
	})
	if len(v.Missing) > 0 {
		text += "\nwhat the phases behind it lack\n"
		for _, g := range v.Missing {
			text += "  " + s.paint(yellow, Line(g.Gate)) + "  " + Line(g.Message) + ": " + Line(g.Missing) + "\n"
		}
	}
	return text + "\nnext\n  " + v.Command + "   begins a run with this task\n"
}

// OmxChange is a change of a state of oh-my-codex.
func (s Style) OmxChange(v wire.OmxChange) string {
	text := s.Second(v.At) + "  " + Line(v.To)
	if v.From != "" && v.From != v.To {
		text = s.Second(v.At) + "  " + Line(v.From) + " -> " + Line(v.To)
	}
	if v.Refused != "" {
		text += "\n    " + s.paint(yellow, "would be refused") + ": " + Line(v.Refused)
	}
	return text + "\n"
}
