// Package marker knows the variables that agent programs leave in the
// environment of what they start. It is pure, and apart from projections/rule,
// as apctl needs it at every start and would have to compile the regular
// expressions of every rule with it.
package marker

import (
	"slices"
	"strings"
	"sync"

	"autopilot/events"
)

// sessionMarkers are what agent programs put into the environment of what they
// start: who the session is, which program it is, what guards it has.
var sessionMarkers = sync.OnceValue(func() []string {
	out := []string{"AI_AGENT", "AGENT"} // of several
	for _, p := range events.AgentPrograms() {
		out = append(append(out, strings.Fields(p.Marks)...), strings.Fields(p.Session)...)
	}
	return out
})

// Sessions lists the variables that no agent of a run gets.
func Sessions() []string { return slices.Clone(sessionMarkers()) }

// Session says whether a variable is one of them.
func Session(name string) bool { return slices.Contains(sessionMarkers(), name) }
