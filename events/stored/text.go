package stored

// Evidence is a place that a chat names for its claim: an element of the blob
// events.AgentEnded.Evidence.
type Evidence struct {
	Ref    string `json:"evidence_ref"` // as path:line
	Detail string `json:"detail,omitzero"`
}

// RedRow is a test that was seen to fail at a commit: an element of the blobs
// events.AgentEnded.Red (what the agent names) and events.GateResult.Evidence (what the
// gate saw).
//
// Source: atdd-kit, seeds 3.5 record_red_evidence.
type RedRow struct {
	Gate   string `json:"gate,omitzero"`     // of kind red; empty is each such gate of the phase
	Commit string `json:"commit"`            // of the tests
	Impl   string `json:"impl_sha,omitzero"` // of the later implementation
	File   string `json:"at_file"`           // a test that failed
}

// Opaque is a file of a set that no text can show: an element of the blob
// events.QuestionAsked.Opaque.
type Opaque struct {
	Path  string     `json:"path"`
	Kind  OpaqueKind `json:"kind"`
	Bytes int64      `json:"bytes"`
	Hash  string     `json:"hash"` // SHA-256 of its content, in hex
}

// OpaqueKind says why no text can show a file.
type OpaqueKind string

// The kinds.
const (
	OpaqueBinary   OpaqueKind = "binary"
	OpaqueEncoding OpaqueKind = "not-utf-8"
	OpaqueLarge    OpaqueKind = "too-large"
	OpaqueOutside  OpaqueKind = "not-recorded"
)

// Finding is a finding of a person at a gate, verbatim: an element of the blobs
// events.QuestionAnswered.Findings, events.RunStarted.Findings and
// events.RunResumed.Findings. One without a priority blocks.
//
// Source: atdd-kit, seeds 3.2 and 3.7.
type Finding struct {
	Section  string  `json:"section"`
	Evidence string  `json:"evidence_ref"`
	Detail   string  `json:"detail"`
	Priority float64 `json:"priority"` // 0 blocks
}
