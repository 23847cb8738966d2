package explain

import (
	"slices"
	"strings"

	"autopilot/events/wire"
)

// reading are the commands that an agent may be told of: they show, and change
// nothing.
var reading = []string{"diff", "logs", "report", "status", "usage", "watch", "why"}

// records are the commands that show or bring back what a run printed and left.
var records = []string{"diff", "logs", "restore"}

// WithoutRecords leaves out the commands that need the output and the recorded trees
// of a run, where it has them no more.
func WithoutRecords(list []wire.NextCommand) []wire.NextCommand {
	return slices.DeleteFunc(slices.Clone(list), func(n wire.NextCommand) bool {
		words := strings.Fields(n.Command)
		return len(words) > 1 && words[0] == "apctl" && slices.Contains(records, words[1])
	})
}

// ForAgents leaves only those commands that show something. How a halted run is
// made to go on, by whatever way, is for people to know. What is not known to
// be harmless is left out, so a command that is new is, too.
func ForAgents(list []wire.NextCommand) []wire.NextCommand {
	out := []wire.NextCommand{}
	for _, n := range list {
		words := strings.Fields(n.Command)
		if len(words) > 1 && words[0] == "apctl" && slices.Contains(reading, words[1]) {
			out = append(out, n)
		}
	}
	return out
}
