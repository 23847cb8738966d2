package stored

import "github.com/go-json-experiment/json/jsontext"

// The types of the blobs of a queue.
const (
	TypeItem  = "item.v1"
	TypeQueue = "queue.v1"
)

// Item is what a queue begins as a run: the blob events.QueueItem.Spec. Start is the
// request as its caller sent it, because the daemon makes that request later, as if it came
// then.
type Item struct {
	Type  string         `json:"type"` // TypeItem
	Start jsontext.Value `json:"start"`
	Chat  bool           `json:"chat,omitzero"` // a chat sent it, and may ask for no more than that
	Line  string         `json:"line,omitzero"` // of the queue's file, that is ticked off
}

// Queue is what was asked for with a queue: the blob events.QueueCreated.Settings.
type Queue struct {
	Type     string         `json:"type"` // TypeQueue
	Defaults jsontext.Value `json:"defaults,omitzero"`
	Base     string         `json:"base,omitzero"` // branch that a target which is missing begins at
	How      string         `json:"how,omitzero"`  // merge, rebase or squash
	File     string         `json:"file,omitzero"` // absolute path of a task list

	Repository string `json:"repository,omitzero"` // OWNER/NAME, of its issues
	Label      string `json:"label,omitzero"`      // whose open issues are items
}
