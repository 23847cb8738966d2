package daemon

import (
	"context"
	"log/slog"

	"autopilot/events"
	"autopilot/projections/chain"
	"autopilot/projections/host"
)

// hostLog is the writer of the host's own events, and what they fold to.
type hostLog = record[host.State]

func openHostLog(ctx context.Context, j *journal, id string, l *slog.Logger) (*hostLog, error) {
	return openRecord(ctx, j, events.Host(id), fold[host.State]{
		evolve: host.Evolve,
		log:    func(s *host.State) *chain.Log { return &s.Log },
	}, l)
}
