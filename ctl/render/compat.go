package render

import (
	"cmp"
	"strings"

	"autopilot/projections/atdd"
)

// Rail is why a function of another system's library did not say: go on. Its exit code
// says that input is invalid, and the text what about it.
func Rail(function string, err error) string {
	text := strings.TrimPrefix(err.Error(), atdd.ErrInvalid.Error()+": ")
	return Line(cmp.Or(function, "rails")+": "+text) + "\n"
}
