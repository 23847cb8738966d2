package wire

import "time"

// RestoreRequest takes the workspace of a run back to a recorded tree.
type RestoreRequest struct {
	RunRef
	To     string `json:"to"` // an iteration, 0 for the start, or the name of a kept tree
	DryRun bool   `json:"dry_run,omitzero"`
}

// RestoreView is what was changed.
type RestoreView struct {
	Run       RunView  `json:"run"`
	To        string   `json:"to"`
	Tree      string   `json:"tree"`
	Undo      string   `json:"undo,omitzero"` // name under which the tree before was kept
	Written   []string `json:"written"`
	Removed   []string `json:"removed"`
	Left      []string `json:"left,omitzero"` // large files and nested repositories, which stay as they are
	Unchanged bool     `json:"unchanged,omitzero"`
	DryRun    bool     `json:"dry_run,omitzero"`
}

// ReplayRequest shows a run as it was. With At it is the state at one position,
// else every event in order.
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
