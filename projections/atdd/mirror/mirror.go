// Package mirror makes of the events of a run the files that atdd-kit would have
// kept: audit log, tests that were seen red, and pins. It is a view: nothing of the
// run is decided by it, and the same events give the same files.
//
// Source: atdd-kit, seeds 3.1, 3.3, 3.4 (6, 11) and 3.5.
package mirror

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/atdd"
)

// steps are the names that atdd-kit has for phases; any other keeps its own.
var steps = map[events.Name]string{"stories": atdd.StepStories, "plan": atdd.StepPlan, "impl": atdd.StepImpl}

// reasons are those that atdd-kit has for halts. Of others it writes no row.
//
// Source: atdd-kit, seeds 3.4.
var reasons = map[events.Halt]string{
	events.HaltIterations: "MAX_ITERATIONS", events.HaltSameness: "sameness-detector", events.HaltStuck: "stuck",
	events.HaltDrift: "ac-drift", events.HaltLogIntegrity: "log-integrity", events.HaltUnverifiable: "gate-unverifiable",
}

// pins are what a step is measured by, as it is when the step begins.
var pins = map[string]struct {
	file string
	of   []string
}{
	atdd.StepStories: {atdd.PRDPin, []string{atdd.PRD}},
	atdd.StepPlan:    {atdd.PRDPin, []string{atdd.PRD}},
	atdd.StepImpl:    {atdd.DesignPin, []string{atdd.PRD, atdd.Stories}},
}

// Mirror reads the events of one run, in their order.
type Mirror struct {
	Dir  string                                           // of the issue, in the tree; empty has no pins
	Text func(events.Ref) (string, error)                 // of a blob
	File func(t events.Tree, name string) ([]byte, error) // of a recorded tree

	results []events.GateResult // of the latest iteration
	number  int                 // rows of iterations since the step began, or began anew
	began   bool                // its pin was looked at
	red     string              // rows that were written last, without their times
	pinned  map[string]string
}

// Add says what an event adds to the files.
func (m *Mirror) Add(e events.Event) ([]wire.AtddPiece, error) {
	switch d := e.Data.(type) {
	case events.IterationStarted:
		return m.pin(d, e.Seq)
	case events.PhaseEntered, events.RunResumed, events.AgentEscalated: // a budget begins anew
		m.number, m.began = 0, false
	case events.GatesJudged:
		if d.Entry || d.Iteration == 0 {
			return nil, nil
		}
		m.results = d.Results
		return m.reds(e.Seq, e.Time)
	case events.IterationRecorded:
		return m.iteration(d, e.Seq, e.Time)
	case events.RunHalted:
		return m.halt(d, e.Seq, e.Time)
	}
	return nil, nil
}

func step(phase events.Name) string {
	if s, ok := steps[phase]; ok {
		return s
	}
	return string(phase)
}

// Payload is what atdd-kit takes the fingerprint of, in the order of its members.
type Payload struct {
	Red       bool     `json:"redObserved"`
	Green     bool     `json:"atGreen"`
	Covered   bool     `json:"coverageOk"`
	Uncovered []string `json:"uncovered"`
}

// payload is that of the latest results: every gate that neither looks for red nor
// for coverage is about green, and a term that no gate is about holds.
func (m *Mirror) payload() (Payload, error) {
	p := Payload{Red: true, Green: true, Covered: true, Uncovered: []string{}}
	for _, r := range m.results {
		ok := r.Verdict == events.Pass || r.Verdict == events.Skipped
		switch r.Kind {
		case events.GateRed:
			p.Red = p.Red && ok
		case events.GateCoverage:
			p.Covered = p.Covered && ok
			if ok || r.FailingIDs == "" {
				continue
			}
			text, err := m.Text(r.FailingIDs)
			if err != nil {
				return p, err
			}
			p.Uncovered = append(p.Uncovered, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
		default:
			p.Green = p.Green && ok
		}
	}
	return p, nil
}

func (m *Mirror) iteration(d events.IterationRecorded, seq uint64, at time.Time) ([]wire.AtddPiece, error) {
	verdict := atdd.Fail
	if d.Verdict == events.Skipped {
		return nil, nil // nothing was done, and it counts as no iteration
	}
	if d.Verdict == events.Pass {
		verdict = atdd.Pass
	}
	p, err := m.payload()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	print, err := atdd.Fingerprint(text)
	if err != nil {
		return nil, err
	}
	m.number++
	row, err := atdd.Iteration(strconv.Itoa(m.number), step(d.Phase), verdict, print, at)
	return one(atdd.LogFile, row, seq), err
}

// finding has the members that atdd-kit gives one, in its order.
type finding struct {
	Priority int    `json:"priority"`
	Evidence string `json:"evidence_ref"`
	Detail   string `json:"detail,omitzero"`
}

// halt has one finding for each criterion that is not covered, and one for tests that
// nothing proves to have been seen red.
//
// Source: atdd-kit, seeds 3.4 (9, 11).
func (m *Mirror) halt(d events.RunHalted, seq uint64, at time.Time) ([]wire.AtddPiece, error) {
	reason, ok := reasons[d.Reason]
	if !ok {
		return nil, nil
	}
	p, err := m.payload()
	if err != nil {
		return nil, err
	}
	findings := []finding{}
	if d.Reason == events.HaltUnverifiable && !p.Red {
		findings = append(findings, finding{Evidence: atdd.RedFile, Detail: "green and covered, and nothing proves that the tests failed before the work"})
	}
	for _, id := range p.Uncovered {
		findings = append(findings, finding{Evidence: id})
	}
	text, err := json.Marshal(findings)
	if err != nil {
		return nil, err
	}
	row, err := atdd.Halt(step(d.Phase), reason, string(text), at)
	return one(atdd.LogFile, row, seq), err
}

// reds are the rows of the tests that a gate has seen red, when they are others than
// before.
func (m *Mirror) reds(seq uint64, at time.Time) (out []wire.AtddPiece, err error) {
	for _, r := range m.results {
		if r.Kind != events.GateRed || r.Evidence == "" {
			continue
		}
		text, err := m.Text(r.Evidence)
		if err != nil {
			return nil, err
		}
		if text == m.red {
			continue
		}
		m.red = text
		var rows []stored.RedRow
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			line, err := atdd.Seen(row.Commit, row.File, row.Impl, at)
			if err != nil {
				return nil, err
			}
			out = append(out, one(atdd.RedFile, line, seq)...)
		}
	}
	return out, nil
}

// pin takes the fingerprint of what a step is measured by when it begins. A step that
// begins anew, as a person approved something else, is measured by that.
func (m *Mirror) pin(d events.IterationStarted, seq uint64) ([]wire.AtddPiece, error) {
	a, ok := pins[step(d.Phase)]
	if !ok || m.Dir == "" || m.began {
		return nil, nil
	}
	m.began = true
	var all []byte
	for _, name := range a.of {
		text, err := m.File(d.Tree, path.Join(m.Dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	print, err := atdd.Fingerprint(all)
	if err != nil || m.pinned[a.file] == print { // what is blank, or not there, is not pinned
		return nil, nil
	}
	if m.pinned == nil {
		m.pinned = map[string]string{}
	}
	m.pinned[a.file] = print
	return []wire.AtddPiece{{File: a.file, Text: print + "\n", Whole: true, Seq: seq}}, nil
}

func one(file string, row []byte, seq uint64) []wire.AtddPiece {
	if row == nil {
		return nil
	}
	return []wire.AtddPiece{{File: file, Text: string(row), Seq: seq}}
}
