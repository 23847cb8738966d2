package daemon

import (
	"context"
	"log/slog"

	"autopilot/events"
	"autopilot/projections/host"
)

// hostLog is the writer of the host's own events, and what they fold to.
type hostLog = record[host.State]

func openHostLog(ctx context.Context, j *journal, id string, l *slog.Logger) (*hostLog, error) {
	return openRecord(ctx, j, events.Host(id), fold[host.State]{
		evolve: host.Evolve,
		at:     func(s host.State) (uint64, uint64) { return s.Log.Seq, s.Log.Broken },
		breaks: func(s host.State, seq uint64) host.State { s.Log.Broken = seq; return s },
	}, l)
}
