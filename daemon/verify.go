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
	"autopilot/events/wire"
	limits "autopilot/projections/account"
	lease "autopilot/projections/claim"
	"autopilot/projections/host"
	"autopilot/projections/peer"
	"autopilot/projections/run"
)

// folded is what stored events fold to, by the id of their aggregate.
type folded struct {
	runs     map[string]run.State
	hosts    map[string]host.State
	accounts map[string]limits.State
	peers    map[string]peer.State
	claims   map[string]lease.State
}

func newFolded() folded {
	return folded{
		map[string]run.State{}, map[string]host.State{}, map[string]limits.State{}, map[string]peer.State{}, map[string]lease.State{},
	}
}

// verify proves the log of one run or of every aggregate, and that projections
// built anew from it equal the live ones. All of the log is read from its files:
// what was acknowledged by now must be there.
func (d *Daemon) verify(ctx context.Context, _ bus.Request, body wire.VerifyRequest) (wire.VerifyReply, error) {
	// The live states are taken first: events that are stored later are proven
	// too, but not compared.
	live := newFolded()
	if !body.Every {
		s, err := d.find(ctx, body.RunRef)
		if err != nil {
			return wire.VerifyReply{}, err
		}
		live.runs[s.ID] = s
		p := newProof(live, d.checkText)
		p.gone = func(s run.State) bool { return d.gone(s) != nil }
		err = p.read(d.log.Read(ctx, events.Run(s.ID), 0))
		return compareAll(p.reply(), live, p.rebuilt), err
	}
	for _, s := range d.fleet.States() {
		live.runs[s.ID] = s
	}
	if s := d.hosts.State(); s.Log.Seq > 0 {
		live.hosts[d.host] = s
	}
	live.accounts, live.peers, live.claims = d.accounts.Records(), d.peers.states(), d.claims.records()
	p := newProof(live, d.checkText)
	p.gone = p.goneBy(d.removals.pending.Load())
	p.open = true
	to := d.mark.Latest()
	if to.Stream == "" {
		return p.reply(), nil
	}
	if err := p.files(ctx, streamsDir(d.cfg.Places.State), to, d.seals); err != nil {
		return wire.VerifyReply{}, err
	}
	if err := p.bundles(ctx, archiveDir(d.cfg.Places.State)); err != nil {
		return wire.VerifyReply{}, err
	}
	return compareAll(p.reply(), live, p.rebuilt), nil
}

// checkText says why a text that events name is not what they name.
func (d *Daemon) checkText(ref events.Ref) error {
	_, err := d.blobs.Get(ref)
	return err
}

// compareAll adds to a proof whether live states are what was rebuilt.
func compareAll(reply wire.VerifyReply, live, rebuilt folded) wire.VerifyReply {
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
	for id, s := range sorted(live.peers) {
		again, ok := rebuilt.peers[id]
		reply = compared(reply, events.Peer(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	for id, s := range sorted(live.claims) {
		again, ok := rebuilt.claims[id]
		reply = compared(reply, events.ClaimOf(id), s.Log.Seq, ok, reflect.DeepEqual(again, s))
	}
	return reply
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
