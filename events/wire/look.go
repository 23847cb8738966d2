package wire

import "time"

// RestoreRequest takes the workspace of a run back to a recorded tree.
type RestoreRequest struct {
	RunRef
	To     string `json:"to"` // an iteration, 0 for the start, or the name of a kept tree
	DryRun bool   `json:"dry_run,omitzero"`
}

// RestoreView lists the changes of a restore.
type RestoreView struct {
	Run       RunView      `json:"run"`
	To        string       `json:"to"`
	Tree      string       `json:"tree"`
	Undo      string       `json:"undo,omitzero"` // name of the kept tree from before
	Written   []string     `json:"written"`
	Removed   []string     `json:"removed"`
	Left      []string     `json:"left,omitzero"` // large files and nested repositories, left alone
	Unchanged bool         `json:"unchanged,omitzero"`
	DryRun    bool         `json:"dry_run,omitzero"`
	Git       *GitRestored `json:"git,omitzero"` // repair of a damaged repository
}

// GitRestored says how a repository was brought back, in sentences.
type GitRestored struct {
	Damage string   `json:"damage"`         // what was lost
	Did    []string `json:"did"`            // parts that are back; empty for a dry run
	Lacks  []string `json:"lacks,omitzero"` // parts that did not come back
}

// ReplayRequest shows a run as it was: with At the state at one position, else each event
// in order.
type ReplayRequest struct {
	RunRef
	At string `json:"at,omitzero"` // SEQ, an RFC 3339 time, or iteration:N
}

// ReplayFrame is the run as it was after one event.
type ReplayFrame struct {
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Type string    `json:"type"`
	Line string    `json:"line,omitzero"` // what happened, one line for people
	View RunView   `json:"view"`
	Why  *WhyView  `json:"why,omitzero"` // with At
}
