package events

// TypeResourcesJudged is the stored name of ResourcesJudged.
const TypeResourcesJudged = "resources.judged.v1"

// ResourcesJudged says that what the machine can bear has changed. It is a fact of
// the host, and of each run that waits for it.
type ResourcesJudged struct {
	Policy  Name `json:"policy"`
	Verdict Name `json:"verdict"` // green, warn, degraded or critical
	Before  Name `json:"before,omitzero"`
	Slots   int  `json:"slots"`         // agents that may be at work, -1 for no bound
	By      Name `json:"by,omitzero"`   // what bounds them: verdict, memory, max
	Axis    Name `json:"axis,omitzero"` // of the worst signal
	Reading Ref  `json:"reading"`       // and its judgement, as JSON
}

// EventType is the stored name of the type.
func (ResourcesJudged) EventType() string { return TypeResourcesJudged }
