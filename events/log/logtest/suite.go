package logtest

import (
	"testing"

	"autopilot/events/log"
)

// Config is what the suite asks of the place that it runs on.
type Config struct {
	Quota   int64
	Reserve int64
}

// Place is one place where events are kept, empty at first.
type Place struct {
	// Open opens the place. Each call is one more writer, that knows nothing
	// of what the others did.
	Open func(t *testing.T) log.Log
	// Restart ends and starts again what keeps the events; logs opened before
	// are of no use after. Nil leaves out what needs it.
	Restart func(t *testing.T)
	// Fail makes logs opened after it fail so. Nil leaves out what needs it.
	Fail func(log.Faults)
	// Witness gives logs opened after it a witness. Nil leaves out what needs it.
	Witness func(log.Witness)
}

// Run runs the suite. Every part of it starts a place of its own.
func Run(t *testing.T, start func(t *testing.T, c Config) Place) {
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			c := part.config
			if c.Quota == 0 {
				c = Config{Quota: 16 << 20, Reserve: 1 << 20}
			}
			p := start(t, c)
			if part.needs == nil || part.needs(p) {
				part.run(t, p)
			}
		})
	}
}

// Parts is how many places Run starts.
func Parts() int { return len(parts) }

func restarts(p Place) bool { return p.Restart != nil }

func fails(p Place) bool { return p.Fail != nil }

var parts = []struct {
	name   string
	config Config
	needs  func(Place) bool
	run    func(*testing.T, Place)
}{
	{name: "what is appended is read back", run: appendedIsRead},
	{name: "an append answers what readers get", run: appendedIsAsRead},
	{name: "an append is conditional on sequence and previous hash", run: conditional},
	{name: "the last event again, byte by byte, is no error", run: repeated},
	{name: "an event over the size limit is refused", run: tooLarge},
	{name: "a second writer is told that the aggregate has moved on", run: secondWriter},
	{name: "of racing writers one wins each place", run: racingWriters},
	{name: "a cancelled append has an unknown outcome", run: cancelledAppend},

	{name: "an append whose reply is lost is found", needs: fails, run: lostReply},
	{name: "an append whose request is lost is sent again", needs: fails, run: lostRequest},
	{name: "an append that is never answered is unavailable", needs: fails, run: neverAnswered},
	{name: "a conflict stores nothing", needs: fails, run: falseConflict},
	{name: "an unknown outcome is learned by reloading", needs: fails, run: unknownOutcome},
	{name: "another writer takes the place of a lost request", needs: fails, run: overtaken},
	{name: "a witness is told what becomes of each event, and asked of what is read", needs: witnesses, run: witnessed},

	{name: "a read begins behind a sequence", run: readAfter},
	{name: "a read of a kind is of all its aggregates, in stored order", run: readKind},
	{name: "a read may be left early, and ends where the log did", run: readLeft},
	{name: "a cancelled read says that it is not whole", run: cancelledRead},
	{name: "a read of all begins behind any cursor", run: readCursors},
	{name: "a follow goes on across appends", run: followAppends},
	{name: "a rejected append is never seen", run: rejectedUnseen},
	{name: "unknown types and members are kept byte by byte", run: unknownKept},
	{name: "a cursor of another log is expired", run: expiredCursors},
	{name: "cursors and conditions hold over a restart", needs: restarts, run: restarted},

	{name: "the reserve is kept for closing events", config: Config{Quota: 64 << 10, Reserve: 16 << 10}, run: quota},
	{name: "other writers count for the quota", config: Config{Quota: 64 << 10, Reserve: 16 << 10}, run: quotaShared},
}
