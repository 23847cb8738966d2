package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"autopilot/daemon/store"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	limits "autopilot/projections/account"
	lease "autopilot/projections/claim"
	"autopilot/projections/host"
	"autopilot/projections/peer"
	"autopilot/projections/run"
)

// proof is what was proven of stored events: sequence, hash chain and form,
// seals, and that the texts which they name are there. It folds every run, host
// and account anew: up to the sequence of its live state if there is one, else to
// its end.
type proof struct {
	live    folded
	open    bool // a daemon writes behind what is proven
	rebuilt folded
	report  log.Report
	texts   textProof
	sealed  int
	whole   int                  // bundles
	lost    bool                 // bundles that are gone are no problem
	gone    func(run.State) bool // says that the texts of a run were removed
	found   []wire.Problem
}

func newProof(live folded, text func(events.Ref) error) *proof {
	return &proof{live: live, rebuilt: newFolded(), gone: func(run.State) bool { return false }, texts: textProof{check: text, named: map[textID]namedBy{}}}
}

// read proves events that a log yields.
func (p *proof) read(stored iter.Seq2[log.Stored, error]) error {
	err := p.events(stored, func(st log.Stored) []events.Ref {
		p.sealed++ // else the log would not have yielded it
		return events.Refs(st.Event.Data)
	})
	if err != nil {
		return err
	}
	p.found = append(p.found, p.texts.problems(p.emptied)...)
	return nil
}

// events proves events in stored order.
func (p *proof) events(stored iter.Seq2[log.Stored, error], refs func(log.Stored) []events.Ref) (err error) {
	p.report, err = log.Check(func(yield func(log.Stored, error) bool) {
		for st, err := range stored {
			if err == nil {
				p.texts.add(st, refs(st))
				p.rebuilt.fold(st.Event, p.live)
			}
			if !yield(st, err) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

// emptied says that the texts of an aggregate were removed.
func (p *proof) emptied(aggregate string) bool {
	agg, err := events.ParseAggregate(aggregate)
	if err != nil || agg.Kind != events.KindRun {
		return false
	}
	s := p.rebuilt.runs[agg.ID]
	s.ID = agg.ID
	return p.gone(s)
}

// goneBy says by the rebuilt hosts, and by what is being removed, that the texts
// of a run were removed.
func (p *proof) goneBy(pending *removal) func(run.State) bool {
	return func(s run.State) bool {
		if s.Status != run.Over {
			return false
		}
		for _, h := range p.rebuilt.hosts {
			if _, _, _, ok := h.Gone(s.ID, s.Clock.Latest, time.Time{}); ok {
				return true
			}
		}
		return pending.covers(s)
	}
}

// reply says what was proven. The first bad event is the first problem.
func (p *proof) reply() wire.VerifyReply {
	r := wire.VerifyReply{
		Aggregates: len(p.report.Heads), Events: int(p.report.Events), Unknown: int(p.report.Unknown),
		Sealed: p.sealed, Texts: p.texts.sound, Gone: p.texts.gone, Bundles: p.whole, Problems: []wire.Problem{},
	}
	for _, b := range p.report.Bad {
		r.Problems = append(r.Problems, wire.Problem{Aggregate: b.Aggregate, Seq: b.Seq, Position: b.Position, What: b.What})
	}
	r.Problems = append(p.found, r.Problems...)
	slices.SortStableFunc(r.Problems, func(a, b wire.Problem) int { return cmp.Compare(a.Position, b.Position) })
	return r
}

// damage is where the files of a store are not what they were, if that is what an
// error says.
func damage(err error) (wire.Problem, bool) {
	d, ok := errors.AsType[*store.DamagedError](err)
	if !ok {
		return wire.Problem{}, false
	}
	return wire.Problem{Aggregate: logName, Seq: d.From, Position: d.From, What: d.Error()}, true
}

// logName stands for an aggregate where none can be named.
const logName = "log"

// files proves what the files of a store hold, up to a position that must be
// there; 0 is what is there. seals may be nil. Where they are damaged the proof
// ends, and that is a problem of it.
func (p *proof) files(ctx context.Context, streams string, to store.Position, seals *store.Seals) error {
	f := fileProof{proof: p, stream: to.Stream}
	if seals != nil {
		var err error
		if f.audit, err = seals.Audit(); err != nil {
			return fmt.Errorf("verify: %w", err)
		}
	}
	var broken error
	err := p.events(func(yield func(log.Stored, error) bool) {
		broken = store.ReplayTo(streams, to, p.open, f.decode, func(list []audited) error {
			for _, a := range list {
				f.seal(a)
				f.refs = a.refs
				if !yield(a.stored, a.err) {
					return errStop
				}
			}
			return ctx.Err()
		})
	}, func(log.Stored) []events.Ref { return f.refs })
	if f.audit != nil {
		f.findings(f.audit.End())
	}
	p.found = append(p.found, p.texts.problems(p.emptied)...)
	if bad, ok := damage(broken); ok {
		p.found, broken = append(p.found, bad), nil
	}
	if broken != nil && !errors.Is(broken, errStop) {
		err = errors.Join(err, fmt.Errorf("verify: %w", broken))
	}
	return err
}

// errStop ends a replay that nobody takes any more.
var errStop = errors.New("stop")

// fileProof reads the files of a store for a proof.
type fileProof struct {
	*proof
	stream string
	audit  *store.Audit
	blamed map[string]bool // aggregates of findings
	refs   []events.Ref    // of the event that is yielded
}

// audited is a record of the store, decoded, and what can be told of it by
// itself.
type audited struct {
	stored log.Stored
	err    error
	seals  bool // it has the seal of its position
	refs   []events.Ref
}

// decode runs on all cores.
func (f *fileProof) decode(list []store.Record) []audited {
	out := make([]audited, 0, len(list))
	for _, r := range list {
		a := audited{}
		a.stored, a.err = log.StoredAt(f.stream, r.Position, r.Subject, r.Message)
		a.stored.Bytes = nil // they are the reader's
		if a.err == nil {
			a.refs = events.Refs(a.stored.Event.Data)
		}
		if f.audit != nil {
			a.seals = f.audit.Matches(f.receipt(a.stored))
		}
		out = append(out, a)
	}
	return out
}

func (f *fileProof) receipt(st log.Stored) log.Receipt {
	return log.Receipt{Stream: f.stream, Position: st.Position, Subject: st.Subject, Hash: st.Hash}
}

// seal compares an event with its seal, in stored order.
func (f *fileProof) seal(a audited) {
	if f.audit == nil {
		return
	}
	found := f.audit.Next(f.receipt(a.stored), a.stored.Event.Seq, a.seals)
	f.findings(found)
	if len(found) == 0 {
		f.sealed++
	}
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
	case events.KindPeer:
		if s, ok := live.peers[id]; !ok || e.Seq <= s.Log.Seq {
			f.peers[id] = peer.Evolve(f.peers[id], e)
		}
	case events.KindClaim:
		if s, ok := live.claims[id]; !ok || e.Seq <= s.Log.Seq {
			f.claims[id] = lease.Evolve(f.claims[id], e)
		}
	}
}
