package prove

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"autopilot/events"
	"autopilot/events/wire"
	limits "autopilot/projections/account"
	lease "autopilot/projections/claim"
	"autopilot/projections/host"
	"autopilot/projections/peer"
	"autopilot/projections/queue"
	"autopilot/projections/run"
)

// Folded is what stored events fold to, by the id of their aggregate.
type Folded struct {
	Runs     map[string]run.State
	Hosts    map[string]host.State
	Accounts map[string]limits.State
	Peers    map[string]peer.State
	Claims   map[string]lease.State
	Queues   map[string]queue.State
}

// NewFolded is what nothing folds to.
func NewFolded() Folded {
	return Folded{
		map[string]run.State{},
		map[string]host.State{},
		map[string]limits.State{},
		map[string]peer.State{},
		map[string]lease.State{},
		map[string]queue.State{},
	}
}

// fold adds an event, unless the live state has not come that far.
func (f Folded) fold(e events.Event, live Folded) {
	id := e.Aggregate.ID
	switch e.Aggregate.Kind {
	case events.KindRun:
		if s, ok := live.Runs[id]; !ok || e.Seq <= s.Log.Seq {
			f.Runs[id] = run.Evolve(f.Runs[id], e)
		}
	case events.KindHost:
		if s, ok := live.Hosts[id]; !ok || e.Seq <= s.Log.Seq {
			f.Hosts[id] = host.Evolve(f.Hosts[id], e)
		}
	case events.KindAccount:
		if s, ok := live.Accounts[id]; !ok || e.Seq <= s.Log.Seq {
			f.Accounts[id] = limits.Evolve(f.Accounts[id], e)
		}
	case events.KindPeer:
		if s, ok := live.Peers[id]; !ok || e.Seq <= s.Log.Seq {
			f.Peers[id] = peer.Evolve(f.Peers[id], e)
		}
	case events.KindClaim:
		if s, ok := live.Claims[id]; !ok || e.Seq <= s.Log.Seq {
			f.Claims[id] = lease.Evolve(f.Claims[id], e)
		}
	case events.KindQueue:
		if s, ok := live.Queues[id]; !ok || e.Seq <= s.Log.Seq {
			f.Queues[id] = queue.Evolve(f.Queues[id], e)
		}
	}
}

// compare adds to a reply whether live states are what was rebuilt.
func (p *Proof) compare(r *wire.VerifyReply) {
	live, rebuilt := p.cfg.Live, p.rebuilt
	for id, s := range sorted(live.Runs) {
		again, ok := rebuilt.Runs[id]
		compared(r, events.Run(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.Hosts) {
		again, ok := rebuilt.Hosts[id]
		compared(r, events.Host(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.Accounts) {
		again, ok := rebuilt.Accounts[id]
		compared(r, events.Account(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.Peers) {
		again, ok := rebuilt.Peers[id]
		compared(r, events.Peer(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.Claims) {
		again, ok := rebuilt.Claims[id]
		compared(r, events.ClaimOf(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.Queues) {
		again, ok := rebuilt.Queues[id]
		compared(r, events.Queue(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
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

// compared adds to a reply whether a live state is what its events say.
func compared(r *wire.VerifyReply, agg events.Aggregate, seq uint64, stored, equal bool) {
	what := ""
	switch {
	case !stored:
		what = fmt.Sprintf("the %s is live, but its events are not stored", agg.Kind)
	case !equal:
		what = "the live state is not what its events say"
	default:
		r.Rebuilt++
		return
	}
	r.Problems = append(r.Problems, wire.Problem{Aggregate: agg.String(), Seq: seq, What: what})
}
