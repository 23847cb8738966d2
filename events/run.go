package events

import "strings"

// The events of a run, in the order in which an ordinary run shows them.
// Fields that end in Ref, and all of type Ref, name a blob.
const (
	TypeRunStarted        = "run.started.v1"
	TypeGatesStarted      = "gates.started.v1"
	TypeGatesJudged       = "gates.judged.v1"
	TypeIterationStarted  = "iteration.started.v1"
	TypeAgentEnded        = "agent.ended.v1"
	TypeIterationRecorded = "iteration.recorded.v1"
	TypeRunSuspended      = "run.suspended.v1"
	TypeStopRequested     = "stop.requested.v1"
	TypeRunHalted         = "run.halted.v1"
	TypeRunResumed        = "run.resumed.v1"
	TypeRunEnded          = "run.ended.v1"
)

// Ref names a blob by the SHA-256 of its bytes in lower-case hex; empty is no
// blob.
type Ref string

// Tree names a recorded tree in the workspace's own repository by its git
// object id; empty is none.
type Tree string

// Name is a gate, phase or role: [a-z0-9][a-z0-9_-]{0,63}.
type Name string

// maxName is the longest Name.
const maxName = 64

// Valid says whether n has the form of a name.
func (n Name) Valid() bool {
	if n == "" || len(n) > maxName || n[0] == '-' || n[0] == '_' {
		return false
	}
	return strings.Trim(string(n), "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// RunStarted is the first event of a run. All that shapes the run is in it or
// in blobs that it names, so an upgrade or an edit changes nothing for a run
// that has begun.
type RunStarted struct {
	Handle    string `json:"handle"`    // shortest suffix of the id that was free, lower case, at least 4
	Owner     string `json:"owner"`     // actor that asked for it
	Home      string `json:"home"`      // host id of the daemon that runs it
	Project   string `json:"project"`   // workspace id: 16 hex of the SHA-256 of its real path
	Workspace Ref    `json:"workspace"` // its real path
	Task      Ref    `json:"task"`
	Workflow  Name   `json:"workflow"`
	Phase     Name   `json:"phase"`           // the first phase
	Source    Ref    `json:"source"`          // the workflow's YAML
	Spec      Ref    `json:"spec"`            // the wire.RunSpec as it was accepted
	Ignore    Ref    `json:"ignore"`          // frozen ignore rules
	Config    Ref    `json:"config,omitzero"` // the project's configuration file, as it was trusted
	Env       Ref    `json:"env"`             // names and value hashes of the environment
	Tools     Ref    `json:"tools"`           // pinned PATH, resolved tools and their hashes
	Pins      Ref    `json:"pins"`            // pinned paths with their object ids
	Gates     []Gate `json:"gates"`
	Limits    Limits `json:"limits"`
	Start     Start  `json:"start,omitzero"`
	Head      string `json:"head,omitzero"`   // commit of the workspace, empty before the first
	Branch    Ref    `json:"branch,omitzero"` // of a work tree that was made for the run
	From      string `json:"from,omitzero"`   // workspace id of the work tree that it was made from
	Dirty     bool   `json:"dirty,omitzero"`
	Nested    int    `json:"nested,omitzero"` // repositories in the workspace, of which only HEAD is recorded
	Tree      Tree   `json:"tree"`
	Work      Tree   `json:"work"`    // Tree without note paths
	Version   string `json:"version"` // of the daemon
}

// Gate declares one gate of a run.
type Gate struct {
	Name Name     `json:"name"`
	Kind GateKind `json:"kind"`
	Role GateRole `json:"role"`
}

// Limits end a run. Zero is no limit.
type Limits struct {
	Iterations int   `json:"iterations"`
	ActiveMS   int64 `json:"active_ms,omitzero"` // --for: excludes time that the host slept or the run waited for a provider
	UntilMS    int64 `json:"until_ms,omitzero"`  // --until: Unix milliseconds, wall clock
}

// EffectRef ties a gate to the effect that runs it.
type EffectRef struct {
	Gate   Name   `json:"gate"`
	Effect string `json:"effect"`
}

// GatesStarted announces the gates of an iteration, or of the baseline at
// iteration 0.
type GatesStarted struct {
	Phase     Name        `json:"phase"`
	Iteration int         `json:"iteration"`
	Effects   []EffectRef `json:"effects"`
}

// GatesJudged holds every gate result of an iteration, or of the baseline.
type GatesJudged struct {
	Phase     Name         `json:"phase"`
	Iteration int          `json:"iteration"`
	Results   []GateResult `json:"results"`
	Tree      Tree         `json:"tree"` // as the gates left it
	Work      Tree         `json:"work"`
	Created   Ref          `json:"created,omitzero"`  // files that gates of this run made, as they left them: left out of its trees
	Repeated  bool         `json:"repeated,omitzero"` // the tree changed under the gates, so they ran twice
	Checkout  Checkout     `json:"checkout,omitzero"` // where the results come from
}

// GateResult is the verdict of one gate and its evidence.
type GateResult struct {
	Gate       Name     `json:"gate"`
	Kind       GateKind `json:"kind"`
	Role       GateRole `json:"role"`
	Verdict    Verdict  `json:"verdict"`
	Reason     Reason   `json:"reason"`
	Exit       int      `json:"exit"` // exit code of the command, -1 without one
	DurationMS int64    `json:"duration_ms"`
	Failing    int      `json:"failing,omitzero"`     // failing tests that the parser found
	FailingIDs Ref      `json:"failing_ids,omitzero"` // their ids, sorted, one a line
	FailingSum string   `json:"failing_sum,omitzero"` // SHA-256 of those ids
	OutputSum  string   `json:"output_sum,omitzero"`  // SHA-256 of the normalised output
	Excerpt    Ref      `json:"excerpt,omitzero"`     // what goes into the next prompt, up to 8 KiB
	Files      Ref      `json:"files,omitzero"`       // paths that the verdict names, one a line
	Effect     string   `json:"effect,omitzero"`
	Argv       string   `json:"argv,omitzero"`      // SHA-256 of the argv, NUL between words
	Env        string   `json:"env,omitzero"`       // SHA-256 of the environment
	Elsewhere  Verdict  `json:"elsewhere,omitzero"` // of a goal that is red at the baseline: what it says in the user's own environment
	Tool       string   `json:"tool,omitzero"`      // SHA-256 of the program that the first word resolved to
}

// IterationStarted announces an agent: the effect is started after it is
// stored.
type IterationStarted struct {
	Phase     Name   `json:"phase"`
	Iteration int    `json:"iteration"` // 1, 2, 3 ... within the phase
	Attempt   int    `json:"attempt"`   // 1, and one more for each loss or no-op
	Effect    string `json:"effect"`
	Prompt    Ref    `json:"prompt"`
	Tree      Tree   `json:"tree"` // where it starts from
	Work      Tree   `json:"work"`
	WallMS    int64  `json:"wall_ms"` // deadline of activity
	IdleMS    int64  `json:"idle_ms"` // longest silence
}

// AgentEnded says how an agent ended and what tree it left.
type AgentEnded struct {
	Phase       Name    `json:"phase"`
	Iteration   int     `json:"iteration"`
	Attempt     int     `json:"attempt"`
	Effect      string  `json:"effect"`
	Outcome     Outcome `json:"outcome"`
	Exit        int     `json:"exit"` // -1 when it did not exit
	Signal      int     `json:"signal,omitzero"`
	DurationMS  int64   `json:"duration_ms"` // of activity
	OutputBytes int64   `json:"output_bytes,omitzero"`
	Truncated   bool    `json:"truncated,omitzero"` // the middle of the output was dropped
	Killed      int     `json:"killed,omitzero"`    // processes of its tree that had to be killed
	Left        int     `json:"left,omitzero"`      // processes that could not be ended
	Excerpt     Ref     `json:"excerpt,omitzero"`   // last output
	Claim       Claim   `json:"claim,omitzero"`     // of its result file: never a verdict
	Summary     Ref     `json:"summary,omitzero"`
	Question    Ref     `json:"question,omitzero"`
	Tree        Tree    `json:"tree"` // recorded after the whole process tree was reaped
	Work        Tree    `json:"work"`
	Files       int     `json:"files"` // changed against the start of the run
}

// IterationRecorded closes an iteration, before anything is decided on it.
type IterationRecorded struct {
	Phase       Name    `json:"phase"`
	Iteration   int     `json:"iteration"`
	Attempt     int     `json:"attempt"`
	Verdict     Verdict `json:"verdict"`              // pass, fail, or skipped for a no-op, which counts as no iteration
	Fingerprint string  `json:"fingerprint,omitzero"` // of a fail: rule.Fingerprint
	Signature   string  `json:"signature,omitzero"`   // the same without the tree, with the failure text
	Tree        Tree    `json:"tree"`
	Work        Tree    `json:"work"`
	Files       int     `json:"files"`
}

// RunSuspended says how long the host slept while the run was live.
type RunSuspended struct {
	MS int64 `json:"ms"`
}

// StopRequested asks the run to stop.
type StopRequested struct {
	Mode StopMode `json:"mode"`
}

// RunHalted is a stop with its evidence. A person may resume it.
type RunHalted struct {
	Reason     Halt   `json:"reason"`
	Phase      Name   `json:"phase"`
	Iteration  int    `json:"iteration"`
	Gate       Name   `json:"gate,omitzero"`       // the gate that settled it
	Iterations []int  `json:"iterations,omitzero"` // that were compared and found equal
	Value      string `json:"value,omitzero"`      // the fingerprint or signature that repeated
	Files      Ref    `json:"files,omitzero"`
	Question   Ref    `json:"question,omitzero"`
	Error      Ref    `json:"error,omitzero"` // of an internal halt
	Limit      int64  `json:"limit,omitzero"` // the limit that was reached: iterations or milliseconds
	Tree       Tree   `json:"tree"`
}

// RunResumed continues a halted run.
type RunResumed struct {
	Note Ref `json:"note,omitzero"` // new findings of a person: the budget starts again
}

// RunEnded is the last event of a run.
type RunEnded struct {
	State     End     `json:"state"`
	Iteration int     `json:"iteration"`
	Tree      Tree    `json:"tree"`
	Gate      Name    `json:"gate,omitzero"` // that refused the run
	Reason    Refusal `json:"reason,omitzero"`
	Error     Ref     `json:"error,omitzero"` // of a failed run
}

// EventType is the stored name of the type.
func (RunStarted) EventType() string { return TypeRunStarted }

// EventType is the stored name of the type.
func (GatesStarted) EventType() string { return TypeGatesStarted }

// EventType is the stored name of the type.
func (GatesJudged) EventType() string { return TypeGatesJudged }

// EventType is the stored name of the type.
func (IterationStarted) EventType() string { return TypeIterationStarted }

// EventType is the stored name of the type.
func (AgentEnded) EventType() string { return TypeAgentEnded }

// EventType is the stored name of the type.
func (IterationRecorded) EventType() string { return TypeIterationRecorded }

// EventType is the stored name of the type.
func (RunSuspended) EventType() string { return TypeRunSuspended }

// EventType is the stored name of the type.
func (StopRequested) EventType() string { return TypeStopRequested }

// EventType is the stored name of the type.
func (RunHalted) EventType() string { return TypeRunHalted }

// EventType is the stored name of the type.
func (RunResumed) EventType() string { return TypeRunResumed }

// EventType is the stored name of the type.
func (RunEnded) EventType() string { return TypeRunEnded }
