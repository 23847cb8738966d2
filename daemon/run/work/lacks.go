package work

import (
	"slices"

	"autopilot/events"
	"autopilot/events/wire"
)

// lacks lists the programs that gates of any phase look for and that this host lacks, each
// once, with the first gate that looks for it. An agent may still do without, so nothing
// is refused: it is said at the start and to the agent.
func (p *Plan) lacks() []wire.MissingProgram {
	var out []wire.MissingProgram
	add := func(gate, phase events.Name, names []string) {
		for _, name := range names {
			if !slices.ContainsFunc(out, func(m wire.MissingProgram) bool { return m.Program == name }) {
				out = append(out, wire.MissingProgram{Gate: gate, Phase: phase, Program: name})
			}
		}
	}
	for _, g := range toRun(p.Spec) {
		add(g.Name, "", p.Gates.Lacks(command(g)))
	}
	for _, ph := range p.Flow.Phases {
		for _, a := range p.gatesOfPhase(ph) {
			if a.starts() {
				add(a.Name, events.Name(ph.Name), p.Gates.Lacks(command(a.Gate)))
			}
		}
	}
	return out
}

// Lacks lists the programs that gates of a run look for and that this host lacks.
func (w *records) Lacks(id string) []wire.MissingProgram {
	w.mu.Lock()
	p := w.plans[id]
	w.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.lacks()
}
