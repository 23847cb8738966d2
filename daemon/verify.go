package daemon

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"autopilot/daemon/bus"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// verify proves the log of one run or of every aggregate, and that projections
// built anew from it equal the live ones.
func (d *Daemon) verify(ctx context.Context, _ bus.Request, body wire.VerifyRequest) (wire.VerifyReply, error) {
	// The live states are taken first: events that are stored later are proven
	// too, but not compared.
	live := map[string]run.State{}
	stored := d.log.ReadAll(ctx, "")
	if !body.Every {
		s, err := d.find(ctx, body.RunRef)
		if err != nil {
			return wire.VerifyReply{}, err
		}
		live[s.ID] = s
		stored = d.log.Read(ctx, events.Run(s.ID), 0)
	} else {
		for _, s := range d.fleet.states() {
			live[s.ID] = s
		}
	}
	reply, rebuilt, err := Prove(stored, live, d.blobs.Has)
	if err != nil {
		return reply, err
	}
	for _, id := range slices.Sorted(maps.Keys(live)) {
		s := live[id]
		again, ok := rebuilt[id]
		switch {
		case !ok:
			reply.Problems = append(reply.Problems, wire.Problem{Aggregate: events.Run(id).String(), Seq: s.Log.Seq, What: "the run is live, but its events are not stored"})
		case !reflect.DeepEqual(again, s):
			reply.Problems = append(reply.Problems, wire.Problem{Aggregate: events.Run(id).String(), Seq: s.Log.Seq, What: "the live state is not what its events say"})
		default:
			reply.Rebuilt++
		}
	}
	return reply, nil
}

// Prove checks sequence, hash chain and form of stored events, and that the
// texts that they name are there. It folds every run anew: up to the sequence of
// its live state if there is one, else to its end.
func Prove(stored iter.Seq2[log.Stored, error], live map[string]run.State, has func(events.Ref) bool) (wire.VerifyReply, map[string]run.State, error) {
	rebuilt := map[string]run.State{}
	var missing []wire.Problem
	folding := func(yield func(log.Stored, error) bool) {
		for st, err := range stored {
			if e := st.Event; err == nil {
				missing = append(missing, missingTexts(e, has)...)
				if s, ok := live[e.Aggregate.ID]; e.Aggregate.Kind == events.KindRun && (!ok || e.Seq <= s.Log.Seq) {
					rebuilt[e.Aggregate.ID] = run.Evolve(rebuilt[e.Aggregate.ID], e)
				}
			}
			if !yield(st, err) {
				return
			}
		}
	}
	report, err := log.Check(folding)
	if err != nil {
		return wire.VerifyReply{}, nil, fmt.Errorf("verify: %w", err)
	}
	reply := wire.VerifyReply{
		Aggregates: len(report.Heads), Events: int(report.Events), Unknown: int(report.Unknown), Problems: []wire.Problem{},
	}
	reply.Problems = append(reply.Problems, missing...)
	for _, b := range report.Bad {
		reply.Problems = append(reply.Problems, wire.Problem{Aggregate: b.Aggregate, Seq: b.Seq, What: b.What})
	}
	return reply, rebuilt, nil
}

// missingTexts says of an event that texts which it names are gone: the event
// stands, but what it says cannot be shown.
func missingTexts(e events.Event, has func(events.Ref) bool) []wire.Problem {
	n := 0
	for _, ref := range events.Refs(e.Data) {
		if !has(ref) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []wire.Problem{{Aggregate: e.Aggregate.String(), Seq: e.Seq, What: fmt.Sprintf("texts that it names are missing: %d", n)}}
}
