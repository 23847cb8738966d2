package wire

import "time"

// KindDigest is the kind of a notification that stands for several.
const KindDigest = "digest"

// Notification is one message: of one thing that happened to a run, or a digest
// of several.
type Notification struct {
	Key    string             `json:"key"`             // the same over retries and restarts
	Kind   string             `json:"kind"`            // of the one thing, or digest
	Time   time.Time          `json:"time"`            // when it happened; of a digest, the latest
	Line   string             `json:"line"`            // all of it in one line
	Next   string             `json:"next,omitzero"`   // the command to go on with
	Run    *RunView           `json:"run,omitzero"`    // as it was then; not with a digest
	Test   bool               `json:"test,omitzero"`   // sent by apctl notify test
	Items  []NotificationItem `json:"items,omitzero"`  // of a digest, oldest first
	More   int                `json:"more,omitzero"`   // that Items has no place for
	Counts map[string]int     `json:"counts,omitzero"` // of a digest, by kind, More included
}

// NotificationItem is one thing that a digest stands for.
type NotificationItem struct {
	Key    string    `json:"key"`
	Kind   string    `json:"kind"`
	Time   time.Time `json:"time"`
	Run    string    `json:"run"`
	Handle string    `json:"handle"`
	Line   string    `json:"line"`
	Next   string    `json:"next,omitzero"`
}

// NotifyStatus is what the daemon has yet to tell, and could not.
type NotifyStatus struct {
	Rules   int        `json:"rules"`
	Waiting int        `json:"waiting"`        // messages and notices that are still to be told
	Failed  int        `json:"failed"`         // messages that were given up
	Error   string     `json:"error,omitzero"` // of the last failure, if a later message did not arrive
	At      *time.Time `json:"at,omitzero"`    // when that was
}

// NotifyTestRequest sends a test through every configured way.
type NotifyTestRequest struct {
	On string `json:"on,omitzero"` // only rules for this kind
}

// NotifyView is what became of each.
type NotifyView struct {
	Results []NotifyResult `json:"results"`
	File    string         `json:"file"` // where rules are written
}

// NotifyResult is one way and its outcome.
type NotifyResult struct {
	Rule  string `json:"rule"` // its position and what it runs
	OK    bool   `json:"ok"`
	Error string `json:"error,omitzero"`
	Note  string `json:"note,omitzero"`
	MS    int64  `json:"ms"`
}
