package wire

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ProbeShow asks what the machine has, and what it can bear.
var ProbeShow = Verb{Name: "probe.show", Class: Read}

// ProbeRequest is the body of ProbeShow.
type ProbeRequest struct{}

// ProbeView is one look at the machine.
type ProbeView struct {
	Reading  jsontext.Value `json:"reading"`  // sizes in bytes, shares in percent, null for what is not known; apctl probe --replay reads it
	Policies []ProbePolicy  `json:"policies"` // signals and tiers
	Off      bool           `json:"off"`      // by configuration every agent begins
	Running  int            `json:"running"`  // agents of runs at work
	Waiting  []ProbeWaiting `json:"waiting"`  // first who is next
}

// ProbePolicy is what the machine can bear by a policy.
type ProbePolicy struct {
	Policy  string        `json:"policy"`
	Band    string        `json:"band"`           // the verdict that counts: it does not follow each reading
	Since   time.Time     `json:"since,omitzero"` // of the band
	Verdict string        `json:"verdict"`        // of this reading alone: green, warn, degraded or critical
	Cap     int           `json:"cap"`            // of the band: sub-agents of one agent, -1 for none
	Slots   int           `json:"slots"`          // agents that may be at work, -1 for no bound
	By      string        `json:"by,omitzero"`    // what bounds them: verdict, memory or max
	Signals []ProbeSignal `json:"signals"`        // the worst first
	Unknown []string      `json:"unknown"`        // axes of which nothing is known
}

// ProbeSignal is a value beside the limit that it is compared with.
type ProbeSignal struct {
	Axis  string  `json:"axis"`
	Level string  `json:"level"` // hard, soft, or info, which holds nothing back
	Of    string  `json:"of"`    // the member of the reading
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit"` // bytes, percent or count
}

// ProbeWaiting is a run that waits for the machine.
type ProbeWaiting struct {
	Run   string    `json:"run"` // handle
	Since time.Time `json:"since"`
}
