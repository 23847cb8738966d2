package daemon

import (
	"context"
	"log/slog"

	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/projections/chain"
	"autopilot/projections/host"
)

// hostLog is the writer of the host's own events, and what they fold to.
type hostLog = journal.Aggregate[host.State]

func openHostLog(ctx context.Context, j *journal.Journal, id string, l *slog.Logger) (*hostLog, error) {
	return journal.Open(ctx, j, events.Host(id), journal.Fold[host.State]{
		Evolve: host.Evolve,
		Log:    func(s *host.State) *chain.Log { return &s.Log },
	}, l)
}
