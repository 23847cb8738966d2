package wire

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ProbeRequest is the body of ProbeShow.
type ProbeRequest struct {
	Workspace string `json:"workspace,omitzero"` // directory of the caller, for a wave
	Wave      int    `json:"wave,omitzero"`      // number of planned sub-agents
}

// ProbeView is one look at the machine.
type ProbeView struct {
	Reading  jsontext.Value `json:"reading"`           // sizes in bytes, shares in percent, null if unknown; apctl probe --replay reads it
	Policies []ProbePolicy  `json:"policies"`          // signals and tiers
	Off      bool           `json:"off"`               // the configuration switched the probe off: only the user's own bounds hold
	Running  int            `json:"running"`           // agents of runs at work
	Waiting  []ProbeWaiting `json:"waiting"`           // in line, the next first
	Projects []ProbeProject `json:"projects,omitzero"` // with live runs and a bound on agents
	Wave     *ProbeWave     `json:"wave,omitzero"`     // the answer about the planned wave
}

// ProbePolicy is the capacity of the machine under a policy.
type ProbePolicy struct {
	Policy  string        `json:"policy"`
	Band    string        `json:"band"`           // the verdict that counts, steadier than single readings
	Since   time.Time     `json:"since,omitzero"` // of the band
	Verdict string        `json:"verdict"`        // of this reading alone: green, warn, degraded or critical
	Cap     int           `json:"cap"`            // of the band: sub-agents of one agent, -1 for none
	Slots   int           `json:"slots"`          // agents that may be at work, -1 for no bound
	By      string        `json:"by,omitzero"`    // source of the bound: verdict, memory or max
	Signals []ProbeSignal `json:"signals"`        // the worst first
	Unknown []string      `json:"unknown"`        // axes without a reading
}

// ProbeSignal is a value and the limit for it.
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
	Run      string    `json:"run"` // handle
	Since    time.Time `json:"since"`
	Priority string    `json:"priority,omitzero"` // low or high
	By       string    `json:"by,omitzero"`       // what bounds it, as in a policy, or project; empty: other runs come first
}

// ProbeProject is a project with a bound on its agents.
type ProbeProject struct {
	Workspace string   `json:"workspace"`
	Agents    int      `json:"agents"`  // at most
	Running   int      `json:"running"` // at work
	Runs      []string `json:"runs"`    // handles of its live runs
}

// ProbeWave is how many of the planned sub-agents of a wave may begin.
type ProbeWave struct {
	Planned  int    `json:"planned"`
	Agents   int    `json:"agents"`
	Decision string `json:"decision"`    // proceed, reduce, or coordinator-direct: the lead works alone
	By       string `json:"by,omitzero"` // with fewer than planned: verdict or project
	Policy   string `json:"policy"`      // policy behind the verdict on the machine
}

// LaunchRequest is the body of ProbeLaunch. Numbers are texts: a malformed number is
// judged, not refused.
type LaunchRequest struct {
	Workspace  string `json:"workspace"`           // directory in the repository
	Workflow   string `json:"workflow,omitzero"`   // workflow to run
	Confidence string `json:"confidence,omitzero"` // 0 to 1
	Floor      string `json:"floor,omitzero"`      // the least confidence
	CI         string `json:"ci,omitzero"`         // state of the last build
}

// LaunchView says whether a run may start without a person, and why.
type LaunchView struct {
	Suitable bool         `json:"suitable"` // every gate passes
	Gates    []LaunchGate `json:"gates"`    // confidence, kill-rate, ci, resources
	Halts    []LaunchHalt `json:"halts"`    // in the history of this repository, the most frequent first
	Policy   string       `json:"policy"`   // policy for the machine, off without a verdict
	ExitCode int          `json:"exit"`     // of the command
}

// LaunchGate is one gate of a launch.
type LaunchGate struct {
	Gate    string `json:"gate"`
	Pass    bool   `json:"pass"`
	Omitted bool   `json:"omitted,omitzero"` // it passes, with too little to judge by
	Value   string `json:"value,omitzero"`   // a share; faulty runs of all; state of the build; state of the machine
	Limit   string `json:"limit"`            // at least, less than, and twice what closes it
	Reason  string `json:"reason"`           // reached, below, missing, malformed, rare, often, few-runs, unread, not-red, red, bears, critical or unknown
	Warning string `json:"warning,omitzero"` // bad-floor, few-runs, unread, missing, other-word or unknown
}

// LaunchHalt is a fault that stopped runs of this repository.
type LaunchHalt struct {
	Reason string `json:"reason"` // of the halt, or failed
	Runs   int    `json:"runs"`
	Latest string `json:"latest"` // handle of the newest such run
}
