package retro

import (
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file is about gates at which somebody looks, or answers.

// begin begins the gates. Where nobody works they begin the iteration.
func (f *Fold) begin(at time.Time, d events.GatesStarted) {
	f.now = doing{kind: Gates}
	if r := f.row(); d.Entry || d.Iteration <= r.Iteration {
		return
	}
	f.rows = append(f.rows, wire.RetroIteration{
		Phase: string(d.Phase), Iteration: d.Iteration, Began: at, At: f.clock.at,
		AfterRepeat: f.seen.open, NoFailing: true, Gates: []wire.RetroGate{},
	})
}

// looked gives the gates of the present iteration the verdicts that they have
// now.
func (f *Fold) looked(e events.Event) {
	f.open = run.Evolve(f.open, e)
	f.now = doing{kind: Other}
	r := f.row()
	for _, g := range f.open.Last.Results {
		for i := range r.Gates {
			if r.Gates[i].Gate == string(g.Gate) {
				r.Gates[i].Verdict, r.Gates[i].Reason = string(g.Verdict), string(g.Reason)
			}
		}
	}
}

// asked begins what a person decides at a gate.
func (f *Fold) asked(e events.Event, d events.QuestionAsked) {
	f.open = run.Evolve(f.open, e)
	kind := "question"
	if d.Gate != "" {
		kind = "gate " + string(d.Gate)
	}
	q := f.decide(e, kind)
	q.By, q.asked = "", d.Text
	f.state.asked, f.now = true, doing{Person, "answer"}
}

// expired ends it without an answer.
func (f *Fold) expired(e events.Event, d events.QuestionExpired) {
	f.open = run.Evolve(f.open, e)
	if !d.Changed {
		return // the halt that follows is what a person decides on
	}
	f.settle(e, "it changed, and is reviewed again", "")
	f.now = doing{kind: Other}
}
