package prove

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Config says what is known beside what is proven.
type Config struct {
	Live Folded                 // what a daemon has folded; it is compared
	Open bool                   // a daemon writes behind what is proven
	Lost bool                   // bundles that are gone are no problem
	Text func(events.Ref) error // says why a text is not what it is named
	Gone func(run.State) bool   // says so of texts of a run that no event of a host speaks of; may be nil
}

// Proof is what was proven of stored events. It folds every run, host and account
// anew: up to the sequence of its live state if there is one, else to its end.
type Proof struct {
	cfg     Config
	rebuilt Folded
	report  log.Report
	texts   texts
	sealed  int
	whole   int // bundles
	found   []wire.Problem
}

// New begins a proof.
func New(cfg Config) *Proof {
	return &Proof{cfg: cfg, rebuilt: NewFolded(), texts: newTexts(cfg.Text)}
}

// Events proves events that a log yields.
func (p *Proof) Events(stored iter.Seq2[log.Stored, error]) error {
	err := p.check(stored, func(st log.Stored) []events.Ref {
		p.sealed++ // else the log would not have yielded it
		return events.Refs(st.Event.Data)
	})
	if err != nil {
		return err
	}
	p.found = append(p.found, p.texts.problems(p.emptied)...)
	return nil
}

// check proves events in stored order.
func (p *Proof) check(stored iter.Seq2[log.Stored, error], refs func(log.Stored) []events.Ref) (err error) {
	p.report, err = log.Check(func(yield func(log.Stored, error) bool) {
		for st, err := range stored {
			if err == nil {
				p.texts.add(st, refs(st))
				p.rebuilt.fold(st.Event, p.cfg.Live)
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
func (p *Proof) emptied(aggregate string) bool {
	agg, err := events.ParseAggregate(aggregate)
	if err != nil || agg.Kind != events.KindRun {
		return false
	}
	s := p.rebuilt.Runs[agg.ID]
	s.ID = agg.ID
	return p.gone(s)
}

// gone says by the rebuilt hosts, and by what else is known, that the texts of a
// run were removed.
func (p *Proof) gone(s run.State) bool {
	if s.Status != run.Over {
		return false
	}
	for _, h := range p.rebuilt.Hosts {
		if _, _, _, ok := h.Gone(s.ID, s.Clock.Latest, time.Time{}); ok {
			return true
		}
	}
	return p.cfg.Gone != nil && p.cfg.Gone(s)
}

// logName stands for an aggregate where none can be named.
const logName = "log"

// Note adds what is wrong with the log as a whole.
func (p *Proof) Note(what string) {
	p.found = append(p.found, wire.Problem{Aggregate: logName, What: what})
}

// Reply says what was proven, and whether the live states are what was rebuilt.
// The first bad event is the first problem.
func (p *Proof) Reply() wire.VerifyReply {
	r := wire.VerifyReply{
		Aggregates: len(p.report.Heads), Events: int(p.report.Events), Unknown: int(p.report.Unknown),
		Sealed: p.sealed, Texts: p.texts.sound, Gone: p.texts.gone, Bundles: p.whole, Problems: []wire.Problem{},
	}
	for _, b := range p.report.Bad {
		r.Problems = append(r.Problems, wire.Problem{Aggregate: b.Aggregate, Seq: b.Seq, Position: b.Position, What: b.What})
	}
	r.Problems = append(p.found, r.Problems...)
	slices.SortStableFunc(r.Problems, func(a, b wire.Problem) int { return cmp.Compare(a.Position, b.Position) })
	p.compare(&r)
	return r
}
