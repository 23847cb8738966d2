package roll

import (
	"errors"
	"fmt"

	"autopilot/daemon/report/notify"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// Why a roll is refused.
var (
	errNothingOver = errors.New("no run in the log is over")
	errNotProven   = errors.New("the log is not whole")
)

// plan is what the proof of a log found.
type plan struct {
	stream     string
	generation uint64
	events     uint64
	heads      map[string]log.Head    // by subject
	over       map[string]archive.Run // by subject; what a bundle says of them
}

// proof proves a log as it is read from its files: every event is the one that
// was acknowledged, and follows the one before.
type proof struct {
	plan
	fold *snapshot.Fold
}

// proven is a stored event without its bytes.
type proven struct {
	log.Stored
	err error
}

// prove reads all of a store. An error names the first bad event.
func (r *roller) prove(n filestore.Names, streams string) (*plan, error) {
	seals, err := filestore.ReadSeals(n, r.Boot)
	if err != nil {
		return nil, err
	}
	defer seals.Close(0)
	p := proof{fold: snapshot.NewFold(nil)}
	p.stream, p.heads, p.over = seals.Stream(), map[string]log.Head{}, map[string]archive.Run{}
	p.generation, _ = log.Generation(p.stream)
	if err := p.fold.SpillTo(r.in("")); err != nil {
		return nil, err
	}
	defer p.fold.Close()
	decode := func(list []filestore.Record) []proven {
		out := make([]proven, 0, len(list))
		for _, rec := range list {
			st, err := log.StoredAt(p.stream, rec.Position, rec.Subject, rec.Message)
			st.Bytes = nil // they are the reader's
			if err == nil {
				err = seals.Prove(rec.Receipt(p.stream))
			}
			out = append(out, proven{st, err})
		}
		return out
	}
	if err := filestore.ReplaySealed(seals, streams, decode, p.add); err != nil {
		return nil, err
	}
	return &p.plan, p.sort()
}

func (p *proof) add(list []proven) error {
	for _, e := range list {
		last := p.heads[e.Subject]
		switch {
		case e.err != nil:
			return fmt.Errorf("%w: %s event %d: %w", errNotProven, e.Subject, last.Seq+1, e.err)
		case e.Event.Seq != last.Seq+1 || e.Event.PrevHash != last.Hash:
			return fmt.Errorf("%w: %s event %d does not follow the one before", errNotProven, e.Event.Aggregate, e.Event.Seq)
		}
		p.heads[e.Subject] = log.Head{Seq: e.Event.Seq, Hash: e.Hash}
		p.events++
		if err := p.fold.Add(e.Stored, nil); err != nil {
			return err
		}
	}
	return nil
}

// sort finds the runs that are over.
func (p *proof) sort() error {
	for _, h := range p.fold.Heads() {
		if h.Status != run.Over {
			continue
		}
		s, err := p.fold.State(h.ID)
		if err != nil {
			return err
		}
		p.over[events.Run(h.ID).Subject()] = archive.Run{
			ID: h.ID, Handle: h.Handle, State: h.Settled, Reason: string(s.End.Reason), Events: h.Seq, Head: h.Hash,
		}
	}
	return nil
}

// isTold says that people may be told of a stored event.
func isTold(subject string, body []byte) bool {
	st, err := log.StoredAt(log.StreamName(1), 1, subject, body)
	if err != nil {
		return false
	}
	_, ok := notify.KindOf(st.Event.Data)
	return ok
}
