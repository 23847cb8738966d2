package retro

import (
	"autopilot/events"
	"autopilot/events/wire"
)

// fewSignatures is how many failures with one signature are no repeat yet: the
// text of a failure may well come twice while work goes on.
const fewSignatures = 2

// memory is the failures that were seen, and the stretch after a repeat.
type memory struct {
	prints map[string]int // to the first iteration
	signs  map[string]signs
	open   bool // a stretch
	first  *wire.RetroRepeated
}

type signs struct{ first, count int }

// failed compares a failed iteration with those before.
func (m *memory) failed(r *wire.RetroIteration, d events.IterationRecorded) {
	if m.prints == nil {
		m.prints, m.signs = map[string]int{}, map[string]signs{}
	}
	s := m.signs[d.Signature]
	if d.Fingerprint != "" {
		if r.EqualTo = m.prints[d.Fingerprint]; r.EqualTo == 0 {
			m.prints[d.Fingerprint] = d.Iteration
		}
	}
	if d.Signature != "" {
		if r.SameFailure = s.first; s.count == 0 {
			s.first = d.Iteration
		}
		s.count++
		m.signs[d.Signature] = s
	}
	switch {
	case m.open:
	case r.EqualTo > 0:
		m.begin(d.Iteration, r.EqualTo, "fingerprint")
	case s.count > fewSignatures:
		m.begin(d.Iteration, s.first, "signature")
	}
	r.AfterRepeat = m.open
}

func (m *memory) begin(at, equal int, by string) {
	m.open = true
	if m.first == nil {
		m.first = &wire.RetroRepeated{First: at, EqualTo: equal, By: by}
	}
}

// passed ends a stretch: that iteration has repeated nothing.
func (m *memory) passed(r *wire.RetroIteration) {
	if m.open {
		m.first.Green = true
	}
	m.open, r.AfterRepeat = false, false
}

// told ends a stretch: what comes next knows more.
func (m *memory) told() {
	if m.open {
		m.first.Resumed = true
	}
	m.open = false
}

// repeated sums the iterations of all stretches.
func (m *memory) repeated(rows []wire.RetroIteration) *wire.RetroRepeated {
	if m.first == nil {
		return nil
	}
	out := *m.first
	for _, r := range rows {
		if r.AfterRepeat {
			out.Iterations++
			out.Length += Work(r.Time)
			out.Usage = Sum(out.Usage, r.Usage)
		}
	}
	return &out
}

// Work is the time of a run itself: without waits, sleep and persons.
func Work(t wire.RetroTime) int64 { return t.Agent + t.Gates + t.Other }

// All is all of the time.
func All(t wire.RetroTime) int64 { return Work(t) + t.Waiting + t.Person + t.Asleep }
