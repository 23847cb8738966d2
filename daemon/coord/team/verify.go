package team

import (
	"context"
	"errors"
	"time"

	"autopilot/events/log"
	"autopilot/events/wire"
)

// proving bounds the proof of the whole log.
const proving = time.Minute

// Verify proves the log of the team as far as its servers keep it; nil is nobody.
func (t *Team) Verify(ctx context.Context) *wire.TeamProof {
	if t == nil {
		return nil
	}
	v := &wire.TeamProof{Problems: []wire.Problem{}}
	if _, err := t.find(); err != nil {
		v.Unread = err.Error()
		return v
	}
	proof, cancel := context.WithTimeout(ctx, proving)
	defer cancel()
	r, err := t.now().stream.CheckAll(proof)
	if err != nil && !errors.Is(err, log.ErrDamaged) {
		v.Unread = err.Error()
	}
	v.Aggregates, v.Events, v.Cut, v.Unknown = r.Aggregates, r.Events, r.Cut, r.Unknown
	for _, b := range r.Bad {
		v.Problems = append(v.Problems, wire.Problem{Aggregate: b.Aggregate, Seq: b.Seq, Position: b.Position, What: b.What})
	}
	return v
}
