package wire

import "time"

// KindDigest is the kind of a notification about several events.
const KindDigest = "digest"

// Notification is one message about an event of a run, or a digest of several.
type Notification struct {
	Key    string             `json:"key"`             // the same over retries and restarts
	Kind   string             `json:"kind"`            // of the one thing, or digest
	Time   time.Time          `json:"time"`            // when it happened; of a digest, the latest
	Line   string             `json:"line"`            // the whole message in one line
	Next   string             `json:"next,omitzero"`   // the next command
	Run    *RunView           `json:"run,omitzero"`    // as it was then; not with a digest
	Test   bool               `json:"test,omitzero"`   // sent by apctl notify test
	Items  []NotificationItem `json:"items,omitzero"`  // of a digest, oldest first
	More   int                `json:"more,omitzero"`   // items left out of Items
	Counts map[string]int     `json:"counts,omitzero"` // of a digest, by kind, More included
}

// NotificationItem is one event of a digest.
type NotificationItem struct {
	Key    string    `json:"key"`
	Kind   string    `json:"kind"`
	Time   time.Time `json:"time"`
	Run    string    `json:"run"`
	Handle string    `json:"handle"`
	Line   string    `json:"line"`
	Next   string    `json:"next,omitzero"`
}

// NotifyStatus counts messages that wait, and messages that failed.
type NotifyStatus struct {
	Rules   int        `json:"rules"`
	Waiting int        `json:"waiting"`        // messages and notices that wait
	Failed  int        `json:"failed"`         // messages that the daemon gave up
	Error   string     `json:"error,omitzero"` // of the last failure, if a later message did not arrive
	At      *time.Time `json:"at,omitzero"`    // when that failure was
}

// NotifyTestRequest sends a test through every configured way.
type NotifyTestRequest struct {
	On string `json:"on,omitzero"` // only rules for this kind
}

// NotifyView lists the results of a test.
type NotifyView struct {
	Results []NotifyResult `json:"results"`
	File    string         `json:"file"` // file of the rules
}

// NotifyResult is the result of one rule.
type NotifyResult struct {
	Rule  string `json:"rule"` // its position and its command
	OK    bool   `json:"ok"`
	Error string `json:"error,omitzero"`
	Note  string `json:"note,omitzero"`
	MS    int64  `json:"ms"`
}
