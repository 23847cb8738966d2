package events

import "slices"

// TypeResourcesJudged is the stored name of ResourcesJudged.
const TypeResourcesJudged = "resources.judged.v1"

// ResourcesJudged says that what the machine can bear has changed. It is a fact of
// the host, and of each run that waits for it.
type ResourcesJudged struct {
	Policy  Name     `json:"policy"`
	Verdict Name     `json:"verdict"` // green, warn, degraded or critical
	Before  Name     `json:"before,omitzero"`
	Slots   int      `json:"slots"`           // agents that may be at work, -1 for no bound
	By      Name     `json:"by,omitzero"`     // what bounds them: verdict, memory, max
	Axis    Name     `json:"axis,omitzero"`   // of the worst signal
	Signal  Pressure `json:"signal,omitzero"` // that one
	Reading Ref      `json:"reading"`         // and its judgement, as JSON
}

// Pressure is a measured value beside the limit that it passed, as whole bytes,
// percent or numbers: its name says which.
type Pressure struct {
	Of    Name  `json:"of"` // the member of a reading
	Value int64 `json:"value"`
	Limit int64 `json:"limit"`
}

// EventType is the stored name of the type.
func (ResourcesJudged) EventType() string { return TypeResourcesJudged }

// Priority says who goes first of those that wait for the machine.
type Priority int

// The priorities.
const (
	PriorityLow    Priority = -1
	PriorityNormal Priority = 0
	PriorityHigh   Priority = 1
)

// priorities are their names, the lowest first.
var priorities = []string{"low", "normal", "high"}

// Priorities are the names of all of them, the lowest first.
func Priorities() []string { return slices.Clone(priorities) }

// ParsePriority reads the name of a priority.
func ParsePriority(name string) (p Priority, ok bool) {
	i := slices.Index(priorities, name)
	return Priority(i) + PriorityLow, i >= 0
}

// String is its name.
func (p Priority) String() string {
	return priorities[min(max(p, PriorityLow), PriorityHigh)-PriorityLow]
}
