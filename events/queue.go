package events

// The events of a queue: tasks that the daemon works off as runs, and lands.
const (
	TypeQueueCreated   = "queue.created.v1"
	TypeQueueOpened    = "queue.opened.v1"
	TypeQueueClosed    = "queue.closed.v1"
	TypeItemsAdded     = "items.added.v1"
	TypeItemRemoved    = "item.removed.v1"
	TypeItemStarted    = "item.started.v1"
	TypeItemEnded      = "item.ended.v1"
	TypeItemRetried    = "item.retried.v1"
	TypeBlockerFound   = "blocker.found.v1"
	TypeLandingStarted = "landing.started.v1"
	TypeLandingEnded   = "landing.ended.v1"
)

// LandMode says what becomes of the work of an item that is done.
type LandMode string

// The ways.
const (
	LandNone   LandMode = "none"   // it stays on the branch of its run
	LandBranch LandMode = "branch" // it is merged into a branch of the queue
	LandPR     LandMode = "pr"     // it is pushed, and shown as a pull request
	LandMerge  LandMode = "merge"  // it is merged into the target, by a person's standing consent
)

// LandModes are all of them, the safest first.
func LandModes() []LandMode { return []LandMode{LandNone, LandBranch, LandPR, LandMerge} }

// Merges reports whether the work is merged into a branch.
func (l LandMode) Merges() bool { return l == LandBranch || l == LandMerge }

// QueueClose says why a queue starts no more items.
type QueueClose string

// The reasons. All but paused are found by the daemon.
const (
	QueuePaused  QueueClose = "paused"  // the user said so
	QueueDrained QueueClose = "drained" // no item is left that could start
	QueueTime    QueueClose = "time"    // its time is over
	QueueCost    QueueClose = "cost"    // its runs have cost what they may
	QueueTrust   QueueClose = "trust"   // nobody has trusted the configuration of the project, or the landing
)

// ItemEnd is how the run of an item has ended. A halted run may be resumed, and ends
// again.
type ItemEnd string

// The ends.
const (
	ItemDone      ItemEnd = "done"
	ItemHalted    ItemEnd = "halted"
	ItemFailed    ItemEnd = "failed" // the run failed, or could not begin
	ItemLost      ItemEnd = "lost"   // its agent, or the run itself, was lost: it is delivered again
	ItemCancelled ItemEnd = "cancelled"
	ItemGreen     ItemEnd = "green" // its goals passed already: there was nothing to do
)

// LandingEnd is how a landing has ended.
type LandingEnd string

// The ends.
const (
	Landed          LandingEnd = "landed"
	LandingShown    LandingEnd = "shown"    // the work can be reviewed, and is not merged
	LandingConflict LandingEnd = "conflict" // with what the target has
	LandingRed      LandingEnd = "red"      // a gate fails on the merged tree
	LandingMoved    LandingEnd = "moved"    // the target moved meanwhile
	LandingTarget   LandingEnd = "target"   // a gate fails on the target itself
	LandingRefused  LandingEnd = "refused"  // it cannot be checked, or the target cannot be moved
)

// QueueCreated says that there is a queue, and how it works.
type QueueCreated struct {
	Name       Name     `json:"name"` // unique among the queues of the project
	Project    string   `json:"project"`
	Workspace  Ref      `json:"workspace"` // path of the work tree that it belongs to
	Land       LandMode `json:"land"`
	Target     Ref      `json:"target,omitzero"`     // name of the branch that work lands on
	Batch      int      `json:"batch,omitzero"`      // items that are landed at once; 0 is one
	Deliveries int      `json:"deliveries,omitzero"` // runs of an item that may be lost, before it fails
	Returns    int      `json:"returns,omitzero"`    // times that a landing may send an item back, before a person is asked
	Settings   Ref      `json:"settings,omitzero"`   // what else was asked for
}

// QueueItem is a task of a queue.
type QueueItem struct {
	Name     Name     `json:"name"`           // unique in the queue
	Spec     Ref      `json:"spec"`           // the run that is wanted
	After    []Name   `json:"after,omitzero"` // items, and others, that have to be done before
	Priority Priority `json:"priority,omitzero"`
	Issue    int      `json:"issue,omitzero"`
}

// ItemsAdded says that a queue has more items.
type ItemsAdded struct {
	Items []QueueItem `json:"items"`
}

// ItemRemoved says that an item is none of the queue any more. Its run goes on.
type ItemRemoved struct {
	Item Name `json:"item"`
}

// QueueOpened says that a queue starts its items from now on.
type QueueOpened struct {
	Parallel    int   `json:"parallel"`          // runs at once
	UntilMS     int64 `json:"until_ms,omitzero"` // Unix milliseconds; 0 is without an end
	MaxMicroUSD int64 `json:"max_micro_usd,omitzero"`
}

// QueueClosed says that a queue starts no more items. Runs under way go on.
type QueueClosed struct {
	Why QueueClose `json:"why"`
}

// ItemStarted says that a run has begun for an item.
type ItemStarted struct {
	Item Name   `json:"item"`
	Run  string `json:"run"`
}

// ItemEnded says how the run of an item has ended.
type ItemEnded struct {
	Item   Name    `json:"item"`
	Run    string  `json:"run,omitzero"` // none could begin
	End    ItemEnd `json:"end"`
	Detail Ref     `json:"detail,omitzero"` // why no run could begin
}

// ItemRetried says that a person wants an item to be tried anew.
type ItemRetried struct {
	Item Name `json:"item"`
}

// BlockerFound says what became of a blocker that is no item of the queue.
type BlockerFound struct {
	Blocker Name `json:"blocker"`
	Done    bool `json:"done"`
}

// LandingStarted says that a run checks the merged work of items.
type LandingStarted struct {
	Items []Name `json:"items"`
	Run   string `json:"run"`
}

// LandingEnded says what became of the landing of items.
type LandingEnded struct {
	Items  []Name     `json:"items"`
	Run    string     `json:"run,omitzero"` // none could begin
	End    LandingEnd `json:"end"`
	Commit string     `json:"commit,omitzero"` // that the target is at now
	Detail Ref        `json:"detail,omitzero"` // findings for the agent, or what a person has to know
}

// EventType is the stored name of the type.
func (QueueCreated) EventType() string { return TypeQueueCreated }

// EventType is the stored name of the type.
func (QueueOpened) EventType() string { return TypeQueueOpened }

// EventType is the stored name of the type.
func (QueueClosed) EventType() string { return TypeQueueClosed }

// EventType is the stored name of the type.
func (ItemsAdded) EventType() string { return TypeItemsAdded }

// EventType is the stored name of the type.
func (ItemRemoved) EventType() string { return TypeItemRemoved }

// EventType is the stored name of the type.
func (ItemStarted) EventType() string { return TypeItemStarted }

// EventType is the stored name of the type.
func (ItemEnded) EventType() string { return TypeItemEnded }

// EventType is the stored name of the type.
func (ItemRetried) EventType() string { return TypeItemRetried }

// EventType is the stored name of the type.
func (BlockerFound) EventType() string { return TypeBlockerFound }

// EventType is the stored name of the type.
func (LandingStarted) EventType() string { return TypeLandingStarted }

// EventType is the stored name of the type.
func (LandingEnded) EventType() string { return TypeLandingEnded }
