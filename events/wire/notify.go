package wire

import "time"

// SchemaNotification names what commands of notify rules read on their standard
// input and what webhooks are sent, in an Envelope.
const SchemaNotification = "autopilot.notification"

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

// SchemaService names the answers of daemon install and uninstall.
const SchemaService = "autopilot.service"

// ServiceView is what became of the daemon as a service.
type ServiceView struct {
	File      string   `json:"file"`
	Text      string   `json:"text,omitzero"` // of the file
	Installed bool     `json:"installed"`
	Changed   bool     `json:"changed"` // the file was written or taken away, or would be
	DryRun    bool     `json:"dry_run,omitzero"`
	Active    bool     `json:"active,omitzero"`   // the service runs
	Problem   string   `json:"problem,omitzero"`  // what the service manager said
	Commands  []string `json:"commands,omitzero"` // to run, or to be run
	Linger    bool     `json:"linger"`            // services of the user go on without a session
}
