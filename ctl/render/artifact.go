package render

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
)

// ArtifactEmpty is an artifact without a file.
func ArtifactEmpty(value string) *wire.Error {
	return usage("write --artifact NAME=GLOB, as in --artifact report=docs/report.md", "--artifact %q names no file", value)
}

// asked is what a gate was given as: its command, or the files of an artifact.
func asked(g wire.GateSpec) string {
	if len(g.Files) > 0 {
		return "files " + Line(strings.Join(g.Files, " "))
	}
	return Line(g.Command)
}

// checkout says where the gates of a run have to pass.
func checkout(p wire.Preview) string {
	switch {
	case p.Checkout != events.CheckoutClean:
		return "in place"
	case p.Setup == "":
		return "in place, then clean"
	}
	return "in place, then clean, prepared by: " + Line(p.Setup)
}
