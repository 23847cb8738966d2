package wire

import "autopilot/events"

// The schemas of queue commands.
const (
	SchemaQueue  = "autopilot.queue"
	SchemaQueues = "autopilot.queues"
)

// QueueRef names a queue: by its name among those of the project of Workspace, or by an id
// or the end of one. Without a name it is the latest queue of the project.
type QueueRef struct {
	Queue     string `json:"queue,omitzero"`
	Workspace string `json:"workspace,omitzero"` // absolute; any directory in a git work tree
}

// QueueNewRequest creates a queue.
type QueueNewRequest struct {
	Workspace  string          `json:"workspace"`
	Name       string          `json:"name"`
	Land       events.LandMode `json:"land,omitzero"`   // empty is branch
	Target     string          `json:"target,omitzero"` // branch that work lands on; empty: one of the queue, or with merge the present one
	How        string          `json:"how,omitzero"`    // merge, rebase or squash
	Batch      int             `json:"batch,omitzero"`
	Deliveries int             `json:"deliveries,omitzero"` // of a run that is lost; 0 is 2, -1 is none
	Returns    int             `json:"returns,omitzero"`    // by landings, before a person is asked; 0 is 2, -1 is none
	Defaults   StartRequest    `json:"defaults"`            // of all its items
	File       *QueueFile      `json:"file,omitzero"`
	Repository string          `json:"repository,omitzero"` // OWNER/NAME, of its issues
	Label      string          `json:"label,omitzero"`      // whose open issues become items, also while it is worked off
}

// QueueFile is a file with items: YAML, JSON, or a Markdown task list. Done items of a task
// list are ticked off in the file.
type QueueFile struct {
	Path string `json:"path"` // absolute
	Text string `json:"text"`
}

// QueueItemSpec is a task for a queue.
type QueueItemSpec struct {
	Name  string       `json:"name,omitzero"` // empty: made of the task
	After []string     `json:"after,omitzero"`
	Start StartRequest `json:"start"`         // what is empty takes the queue's defaults
	Line  string       `json:"line,omitzero"` // of a task list, that is ticked off
}

// QueueAddRequest adds items.
type QueueAddRequest struct {
	QueueRef
	Items []QueueItemSpec `json:"items,omitzero"`
	File  *QueueFile      `json:"file,omitzero"`
}

// QueueOpenRequest has a queue worked off, in the environment of the caller.
type QueueOpenRequest struct {
	QueueRef
	Parallel    int               `json:"parallel,omitzero"` // runs at once; 0 is 1
	UntilMS     int64             `json:"until_ms,omitzero"`
	MaxMicroUSD int64             `json:"max_micro_usd,omitzero"`
	Env         []string          `json:"env"`
	Settings    map[string]string `json:"settings,omitzero"`
	NoConfig    bool              `json:"no_config,omitzero"`
}

// QueueItemRequest is about one item of a queue.
type QueueItemRequest struct {
	QueueRef
	Item string `json:"item"` // name or number
}

// QueueListRequest asks for the queues of a project, or for all.
type QueueListRequest struct {
	Workspace string `json:"workspace,omitzero"`
	All       bool   `json:"all,omitzero"`
}

// QueuesView lists queues, the newest first. Their items are left out.
type QueuesView struct {
	Queues []QueueView `json:"queues"`
}

// QueueIsOpen is the state of a queue that begins its items.
const QueueIsOpen = "open"

// QueueView is a queue.
type QueueView struct {
	ID          string            `json:"id"`
	Name        events.Name       `json:"name"`
	Directory   string            `json:"directory"`
	State       string            `json:"state"`           // open, or why it starts nothing: new, paused, drained, time, cost, trust
	Land        events.LandMode   `json:"land"`            //
	Target      string            `json:"target,omitzero"` // branch
	How         string            `json:"how,omitzero"`
	Batch       int               `json:"batch,omitzero"`
	Parallel    int               `json:"parallel,omitzero"`
	UntilMS     int64             `json:"until_ms,omitzero"`
	CreatedMS   int64             `json:"created_ms"`
	By          string            `json:"by"`
	Counts      map[string]int    `json:"counts"` // of items, by state
	Items       []QueueItemView   `json:"items,omitzero"`
	Next        []events.Name     `json:"next,omitzero"`       // that would start, in order
	Unresolved  []events.Name     `json:"unresolved,omitzero"` // blockers that are no items, and not known to be done
	LaneStopped bool              `json:"lane_stopped,omitzero"`
	Landing     string            `json:"landing,omitzero"` // handle of the run that checks the landing under way
	Trying      map[string]string `json:"trying,omitzero"`  // why a run could not begin yet, by item; of a landing: landing
	File        string            `json:"file,omitzero"`
}

// QueueItemView is an item of a queue.
type QueueItemView struct {
	No       int           `json:"no"`
	Name     events.Name   `json:"name"`
	Task     string        `json:"task"` // its first line
	State    string        `json:"state"`
	On       []events.Name `json:"on,omitzero"` // what it waits for; of a cycle its members
	After    []events.Name `json:"after,omitzero"`
	Priority string        `json:"priority,omitzero"`
	Issue    int           `json:"issue,omitzero"`
	Run      string        `json:"run,omitzero"`       // handle of the latest
	RunState string        `json:"run_state,omitzero"` // in words
	Runs     int           `json:"runs,omitzero"`
	Returns  int           `json:"returns,omitzero"` // landings that sent it back
	Checked  string        `json:"checked,omitzero"` // handle of the run that checked its landing
	Commit   string        `json:"commit,omitzero"`  // that landed
	Detail   string        `json:"detail,omitzero"`  // what a landing found, or why no run could begin
}
