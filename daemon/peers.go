package daemon

import (
	"context"
	"time"

	"autopilot/daemon/coord/peer"
	"autopilot/daemon/store/journal"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// openPeers keeps the sessions that work on this host.
func (d *Daemon) openPeers(ctx context.Context, j *journal.Journal) (*peer.Sessions, error) {
	now := d.cfg.Now
	if now == nil {
		now = time.Now
	}
	return peer.Open(ctx, peer.Config{
		Journal: j, Chats: d.Chats, Runs: metRuns{d}, Blobs: d.Blobs, Text: d.api.Text, Owner: d.Effects.Owner,
		Home: d.cfg.Home, Now: now, Lasting: d.Lasting, Log: d.cfg.Log,
	})
}

// metRuns are the runs as sessions meet them.
type metRuns struct{ d *Daemon }

func (m metRuns) LiveStates() []*run.State { return m.d.Fleet.LiveStates() }

func (m metRuns) Find(name string) (run.State, error) {
	return m.d.Fleet.Resolve(wire.RunRef{Run: name}, "")
}

func (m metRuns) Agent(s run.State) string { return m.d.api.View(s).Agent }
