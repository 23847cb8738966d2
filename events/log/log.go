package log

import (
	"context"
	"errors"
	"iter"

	"autopilot/events"
)

// What a caller can branch on.
var (
	// ErrConflict says that the aggregate has moved on and the event is not
	// stored: reload and decide again.
	ErrConflict = errors.New("aggregate has moved on")
	// ErrFull says that the event is not stored as the quota, for Ordinary
	// events less the reserve, is used up.
	ErrFull = errors.New("event log is full")
	// ErrUnavailable says that an outcome could not be learned, or that events
	// cannot be read now: reload before anything is decided.
	ErrUnavailable = errors.New("event log is unavailable")
	// ErrCursorExpired says that a cursor names no place in this log any more.
	// The error is a *CursorError, which has the oldest place there is.
	ErrCursorExpired = errors.New("cursor expired")
	// ErrDamaged says that what is stored is no event of its subject. Readers
	// yield it with the bytes; the loop may go on behind it.
	ErrDamaged = errors.New("stored event is damaged")
)

// Stored is an event as it is kept.
type Stored struct {
	Subject  string       // that it is stored under
	Event    events.Event // zero when it is damaged; of a foreign one aggregate and sequence
	Bytes    []byte       // not to be changed
	Hash     string       // events.Hash(Bytes): the prevhash of the next event
	Cursor   Cursor       // the place right behind it
	Position uint64       // in its generation, from 1
	Cut      bool         // what came right before it is not kept any more, see Sharing
}

// Class says which part of the quota an append may use.
type Class int

// An Ordinary event is refused once only the reserve is left. Closing events,
// halts and ends, may use the reserve, so that a full log can still be stopped.
const (
	Ordinary Class = iota
	Closing
)

// Usage is how full a log is. Bytes counts what the store needs for events,
// its own framing included.
type Usage struct {
	Bytes   int64  `json:"bytes"`
	Quota   int64  `json:"quota"`
	Reserve int64  `json:"reserve"`
	Events  uint64 `json:"events"`
}

// Log is what the two forms have in common.
type Log interface {
	// Append stores e, which has its sequence and previous hash set, if the
	// last stored event of its aggregate is e.Seq-1 with that hash. Appending
	// the aggregate's last event again, byte by byte, is no error.
	Append(ctx context.Context, e events.Event, c Class) (Stored, error)

	// Read yields the events of one aggregate with a sequence over after, up
	// to the end at the time of the call.
	Read(ctx context.Context, agg events.Aggregate, after uint64) iter.Seq2[Stored, error]

	// ReadKind yields the events of all aggregates of a kind, in stored order,
	// up to the end at the time of the call. It is for kinds that have few.
	ReadKind(ctx context.Context, k events.Kind) iter.Seq2[Stored, error]

	// ReadAll yields the events of all aggregates behind a cursor, in stored
	// order, up to the end at the time of the call. The zero cursor is before
	// the first event.
	ReadAll(ctx context.Context, from Cursor) iter.Seq2[Stored, error]

	// Follow is ReadAll that then waits for more. It ends without an error
	// when ctx does. After ErrUnavailable the caller follows again from the
	// last cursor that it has.
	Follow(ctx context.Context, from Cursor) iter.Seq2[Stored, error]

	// Usage asks the store how full it is.
	Usage(ctx context.Context) (Usage, error)
}

// Fault is what goes wrong with one attempt to store an event.
type Fault int

// The faults, as a network and a server show them.
const (
	FaultNone              Fault = iota
	FaultLoseReply               // stored, the answer is lost; a look into the log finds it
	FaultLoseRequest             // never arrives; a look into the log says so, then comes the next attempt
	FaultConflict                // not stored, as if another event had been; a reload shows none
	FaultUnavailable             // not stored, and nobody can be asked
	FaultUnavailableStored       // stored, and nobody can be asked
)

// Faults chooses the fault for an attempt (1, 2, 3) to store e. It may append
// to the log itself, as another writer would, and it may wait.
type Faults func(e events.Event, attempt int) Fault

// maxAttempts bounds how often an event is sent that is known not to be stored.
const maxAttempts = 3

// conditionHeader carries the stream position that the aggregate must still
// end at. JetStream's sequences per subject are positions in the stream.
const conditionHeader = "Nats-Expected-Last-Subject-Sequence"

// conditionSubjectHeader names the subjects that the condition is on, where it is not
// the one of the message.
const conditionSubjectHeader = "Nats-Expected-Last-Subject-Sequence-Subject"

// follows says whether e is the event right behind an aggregate that ends with
// last at that hash.
func follows(e events.Event, last uint64, hash string) bool {
	return e.Seq == last+1 && e.PrevHash == hash
}
