package prove

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
)

// Files proves what the files of a store hold, up to a position that must be
// there; 0 is what is there. seals may be nil. Where they are damaged the proof
// ends, and that is a problem of it.
func (p *Proof) Files(ctx context.Context, streams string, to filestore.Position, seals *filestore.Seals) error {
	f := files{Proof: p, stream: to.Stream}
	if seals != nil {
		var err error
		if f.audit, err = seals.Audit(); err != nil {
			return fmt.Errorf("verify: %w", err)
		}
	}
	var broken error
	err := p.check(func(yield func(log.Stored, error) bool) {
		broken = filestore.ReplayTo(streams, to, p.cfg.Open, f.decode, func(list []audited) error {
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

// damage is where the files of a store are not what they were, if that is what an
// error says.
func damage(err error) (wire.Problem, bool) {
	d, ok := errors.AsType[*filestore.DamagedError](err)
	if !ok {
		return wire.Problem{}, false
	}
	return wire.Problem{Aggregate: logName, Seq: d.From, Position: d.From, What: d.Error()}, true
}

// errStop ends a replay that nobody takes any more.
var errStop = errors.New("stop")

// files reads the files of a store for a proof.
type files struct {
	*Proof
	stream string
	audit  *filestore.Audit
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
func (f *files) decode(list []filestore.Record) []audited {
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

func (f *files) receipt(st log.Stored) log.Receipt {
	return log.Receipt{Stream: f.stream, Position: st.Position, Subject: st.Subject, Hash: st.Hash}
}

// seal compares an event with its seal, in stored order.
func (f *files) seal(a audited) {
	if f.audit == nil {
		return
	}
	found := f.audit.Next(f.receipt(a.stored), a.stored.Event.Seq, a.seals)
	f.findings(found)
	if len(found) == 0 {
		f.sealed++
	}
}

// maxFindings bounds how many events are named that are not what was
// acknowledged.
const maxFindings = 1000

// findings says what the audit found: of each aggregate the first, as all later
// ones follow from it.
func (f *files) findings(list []filestore.Finding) {
	for _, found := range list {
		p := problemOf(found)
		if f.blamed == nil {
			f.blamed = map[string]bool{}
		}
		if f.blamed[p.Aggregate] || len(f.blamed) >= maxFindings {
			continue
		}
		f.blamed[p.Aggregate] = true
		f.found = append(f.found, p)
	}
}

func problemOf(f filestore.Finding) wire.Problem {
	p := wire.Problem{Aggregate: strings.TrimPrefix(f.Subject, events.SubjectPrefix), Seq: f.Seq, Position: f.Position}
	switch f.Kind {
	case filestore.Changed:
		p.What = "it is not the event that was acknowledged here"
	case filestore.Added:
		p.What = "it was never acknowledged: somebody put it between two events that were"
	case filestore.Unsealed:
		p.What = "it was never acknowledged"
	case filestore.Moved:
		p.What = fmt.Sprintf("it was acknowledged at position %d", f.At)
	case filestore.Gone:
		p.What = fmt.Sprintf("what was acknowledged at position %d is gone: event %d of %s stands there, which was at position %d", f.Position, f.Seq, p.Aggregate, f.At)
		p.Aggregate, p.Seq = logName, f.Position
	}
	return p
}
