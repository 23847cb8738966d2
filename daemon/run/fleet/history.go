package fleet

import (
	"context"
	"fmt"
	"iter"

	"autopilot/daemon/store/archive"
	"autopilot/events"
	"autopilot/events/log"
)

// History is the log together with the runs that are in it no more, or never were.
type History struct {
	log.Log
	Archive  *archive.Archive
	Archived func(id string) bool // says that the archive has a run, and the log has not
}

// Read implements log.Log.
func (h History) Read(ctx context.Context, agg events.Aggregate, after uint64) iter.Seq2[log.Stored, error] {
	if agg.Kind == events.KindRun && h.Archived(agg.ID) {
		return h.Archive.Events(agg.ID, after)
	}
	return h.Log.Read(ctx, agg, after)
}

// Append implements log.Log. A run of the archive takes no event.
func (h History) Append(ctx context.Context, e events.Event, c log.Class) (log.Stored, error) {
	if e.Aggregate.Kind == events.KindRun && h.Archived(e.Aggregate.ID) {
		return log.Stored{}, fmt.Errorf("append %s to %s: it is in the archive", e.Data.EventType(), e.Aggregate)
	}
	return h.Log.Append(ctx, e, c)
}
