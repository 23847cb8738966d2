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
	limits "autopilot/projections/account"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// folded is what stored events fold to, by the id of their aggregate.
type folded struct {
	runs     map[string]run.State
	hosts    map[string]host.State
	accounts map[string]limits.State
}

func newFolded() folded {
	return folded{map[string]run.State{}, map[string]host.State{}, map[string]limits.State{}}
}

// verify proves the log of one run or of every aggregate, and that projections
// built anew from it equal the live ones.
func (d *Daemon) verify(ctx context.Context, _ bus.Request, body wire.VerifyRequest) (wire.VerifyReply, error) {
	// The live states are taken first: events that are stored later are proven
	// too, but not compared.
	live := newFolded()
	stored := d.log.ReadAll(ctx, "")
	if !body.Every {
		s, err := d.find(ctx, body.RunRef)
		if err != nil {
			return wire.VerifyReply{}, err
		}
		live.runs[s.ID] = s
		stored = d.log.Read(ctx, events.Run(s.ID), 0)
	} else {
		for _, s := range d.fleet.states() {
			live.runs[s.ID] = s
		}
		if s := d.hosts.state(); s.Log.Seq > 0 {
			live.hosts[d.host] = s
		}
		live.accounts = d.accounts.Records()
	}
	reply, rebuilt, err := prove(stored, live, d.blobs.Has)
	if err != nil {
		return reply, err
	}
	for id, s := range sorted(live.runs) {
		again, ok := rebuilt.runs[id]
		reply = compared(reply, events.Run(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.hosts) {
		again, ok := rebuilt.hosts[id]
		reply = compared(reply, events.Host(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.accounts) {
		again, ok := rebuilt.accounts[id]
		reply = compared(reply, events.Account(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	return reply, nil
}

func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, id := range slices.Sorted(maps.Keys(m)) {
			if !yield(id, m[id]) {
				return
			}
		}
	}
}

// compared adds to a proof whether a live state is what its events say.
func compared(r wire.VerifyReply, agg events.Aggregate, seq uint64, stored, equal bool) wire.VerifyReply {
	what := ""
	switch {
	case !stored:
		what = fmt.Sprintf("the %s is live, but its events are not stored", agg.Kind)
	case !equal:
		what = "the live state is not what its events say"
	default:
		r.Rebuilt++
		return r
	}
	r.Problems = append(r.Problems, wire.Problem{Aggregate: agg.String(), Seq: seq, What: what})
	return r
}

// prove checks sequence, hash chain and form of stored events, and that the
// texts that they name are there. It folds every run and host anew: up to the
// sequence of its live state if there is one, else to its end.
func prove(stored iter.Seq2[log.Stored, error], live folded, has func(events.Ref) bool) (wire.VerifyReply, folded, error) {
	rebuilt := newFolded()
	var missing []wire.Problem
	folding := func(yield func(log.Stored, error) bool) {
		for st, err := range stored {
			if err == nil {
				missing = append(missing, missingTexts(st.Event, has)...)
				rebuilt.fold(st.Event, live)
			}
			if !yield(st, err) {
				return
			}
		}
	}
	report, err := log.Check(folding)
	if err != nil {
		return wire.VerifyReply{}, folded{}, fmt.Errorf("verify: %w", err)
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

// fold adds an event, unless the live state has not come that far.
func (f folded) fold(e events.Event, live folded) {
	id := e.Aggregate.ID
	switch e.Aggregate.Kind {
	case events.KindRun:
		if s, ok := live.runs[id]; !ok || e.Seq <= s.Log.Seq {
			f.runs[id] = run.Evolve(f.runs[id], e)
		}
	case events.KindHost:
		if s, ok := live.hosts[id]; !ok || e.Seq <= s.Log.Seq {
			f.hosts[id] = host.Evolve(f.hosts[id], e)
		}
	case events.KindAccount:
		if s, ok := live.accounts[id]; !ok || e.Seq <= s.Log.Seq {
			f.accounts[id] = limits.Evolve(f.accounts[id], e)
		}
	case events.KindClaim, events.KindPeer: // nothing is folded of them yet
	}
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
