package roll

import (
	"context"
	"fmt"
	"slices"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/host"
)

// Outcome is what came of the roll that was asked for, if one was: what this daemon has
// to say of it. It belongs to the goroutine that opens the daemon.
type Outcome struct {
	cfg     Config
	done    *record // nil if there was none
	refused error   // why there was none that was to be
}

// Refused is why there was no roll that was asked for, nil if it is not so.
func (o *Outcome) Refused() error { return o.refused }

// Record stores that the log was rolled, once, whenever the daemon dies. Where that
// cannot be stored now the next daemon tries again.
func (o *Outcome) Record(ctx context.Context, h *journal.Aggregate[host.State]) {
	if o.done == nil {
		return
	}
	if !o.isIn(h.State()) {
		if _, err := h.Append(ctx, o.done.LogRolled, events.ActorDaemon(o.cfg.Host), ""); err != nil {
			o.cfg.Log.Error("record that the log was rolled", "error", err)
			return
		}
	}
	failpoint.Hit(failpoint.RollRecorded)
}

// isIn says whether a host knows of the roll.
func (o *Outcome) isIn(s host.State) bool {
	return slices.ContainsFunc(s.Rolled, func(r host.Roll) bool { return r.To == o.done.To })
}

// Untold takes the place up to which people were told over to the new log, with what
// they were not told of runs that are not in it. A place that is in it stays as it is.
func (o *Outcome) Untold(told log.Cursor) (to log.Cursor, untold []log.Stored, err error) {
	if o.done == nil {
		return told, nil, nil
	}
	stream, _ := told.Place()
	if g, ok := log.Generation(stream); !ok || g >= uint64(o.done.To) {
		return told, nil, nil
	}
	for _, line := range o.done.Untold {
		e, err := events.Decode([]byte(line))
		if err != nil {
			return told, nil, fmt.Errorf("read an event of a roll: %w", err)
		}
		untold = append(untold, log.Stored{Subject: e.Aggregate.Subject(), Event: e, Bytes: []byte(line)})
	}
	return o.done.Cursor, untold, nil
}

// Settle forgets a roll of which nothing is left to do.
func (o *Outcome) Settle(h *journal.Aggregate[host.State]) {
	if o.done == nil || !o.isIn(h.State()) {
		return
	}
	if err := (dir{o.cfg.Places.State}).clear(); err != nil {
		o.cfg.Log.Warn("remove what is left of a roll", "error", err)
	}
}
