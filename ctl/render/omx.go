package render

import (
	"errors"
	"fmt"
)

// OmxError is an error of a call of compat omx, as oh-my-codex prints its own.
func OmxError(err error) string { return "Error: " + OmxReason(err) + "\n" }

// OmxReason is an error on one line.
func OmxReason(err error) string {
	return Line(err.Error())
}

// OmxUsage is an argument that cannot be used.
func OmxUsage(verb, format string, args ...any) error {
	return errors.New(fmt.Sprintf(format, args...) + ": apctl compat omx " + verb + " --help lists what there is")
}
