package daemon

import (
	"context"
	"fmt"
	"slices"

	"autopilot/daemon/failpoint"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/host"
)

// recordRoll stores that the log was rolled, once, whenever the daemon dies.
// Where that cannot be stored now the next daemon tries again.
func (d *Daemon) recordRoll(ctx context.Context) {
	c := d.rolled
	if c == nil {
		return
	}
	known := func(r host.Roll) bool { return r.To == c.To }
	if !slices.ContainsFunc(d.hosts.State().Rolled, known) {
		if _, err := d.hosts.Append(ctx, c.LogRolled, events.ActorDaemon(d.host), ""); err != nil {
			d.cfg.Log.Error("record that the log was rolled", "error", err)
			return
		}
	}
	failpoint.Hit(failpoint.RollRecorded)
}

// tellRolled takes the place up to which people were told over to the new log,
// with what they were not told of runs that are not in it.
func (d *Daemon) tellRolled(ctx context.Context) error {
	c := d.rolled
	if c == nil {
		return nil
	}
	stream, _ := log.Cursor(d.notes.Cursor()).Place()
	if g, ok := log.Generation(stream); ok && g < uint64(c.To) {
		var batch []log.Stored
		for _, line := range c.Untold {
			e, err := events.Decode([]byte(line))
			if err != nil {
				return fmt.Errorf("read an event of a roll: %w", err)
			}
			batch = append(batch, log.Stored{Subject: e.Aggregate.Subject(), Event: e, Bytes: []byte(line)})
		}
		notices, err := d.notices(ctx, batch)
		if err != nil {
			return err
		}
		d.told(c.Cursor, notices)
	}
	return nil
}

// settleRoll forgets a roll of which nothing is left to do.
func (d *Daemon) settleRoll() {
	if d.rolled == nil || !slices.ContainsFunc(d.hosts.State().Rolled, func(r host.Roll) bool { return r.To == d.rolled.To }) {
		return
	}
	if err := (rolling{d.cfg.Places.State}).clear(); err != nil {
		d.cfg.Log.Warn("remove what is left of a roll", "error", err)
	}
}
