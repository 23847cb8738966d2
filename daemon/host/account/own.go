package account

import (
	"context"
	"log/slog"

	"autopilot/daemon/store/journal"
	"autopilot/events"
	folded "autopilot/projections/account"
	"autopilot/projections/chain"
)

// Own are accounts of which this daemon alone has the logs.
type Own struct {
	Journal *journal.Journal
	Actor   string // of the daemon
	Log     *slog.Logger
}

// ownRecord is the writer of an account's events.
type ownRecord struct {
	log   *journal.Aggregate[folded.State]
	actor string
}

// Open reads the record of an account.
func (o Own) Open(ctx context.Context, id string) (Record, error) {
	r, err := openLog(ctx, o.Journal, id, o.Log)
	return ownRecord{r, o.Actor}, err
}

func openLog(ctx context.Context, j *journal.Journal, id string, l *slog.Logger) (*journal.Aggregate[folded.State], error) {
	return journal.Open(ctx, j, events.Account(id), journal.Fold[folded.State]{
		Evolve: folded.Evolve,
		Log:    func(s *folded.State) *chain.Log { return &s.Log },
	}, l)
}

// State implements Record.
func (r ownRecord) State() folded.State { return r.log.State() }

// Append implements Record.
func (r ownRecord) Append(ctx context.Context, d events.Data) error {
	_, err := r.log.Append(ctx, d, r.actor, "")
	return err
}
