package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Finding is a stored finding of a person at a gate.
//
// Source: atdd-kit, seeds 3.2 and 3.7: one for each section, verbatim; a finding without
// a priority blocks.
type Finding struct {
	Section  string  `json:"section"`
	Evidence string  `json:"evidence_ref"`
	Detail   string  `json:"detail"`
	Priority float64 `json:"priority"` // 0 blocks
}

// SetNow is the hash of the set that the run's question is about, in the present work
// tree.
func (w *Worker) SetNow(ctx context.Context, s run.State) (_ string, err error) {
	defer func() { err = noRoom(err) }()
	p, err := w.plan(ctx, s)
	if err != nil {
		return "", err
	}
	now, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return "", fmt.Errorf("record what a question is about: %w", err)
	}
	of := p.gate(string(s.Question.Gate)).Of
	if len(of) == 0 {
		return string(now.Work), nil
	}
	set, err := w.set(ctx, p, now.Tree, of)
	return hashSet(set), err
}

// Findings stores findings of a person.
func (w *Worker) Findings(ctx context.Context, s run.State, list []wire.AnswerFinding) (_ events.Ref, err error) {
	defer func() { err = noRoom(err) }()
	hide, err := w.hiddenOf(s.ID)
	if err != nil {
		return "", err
	}
	var out []Finding
	for _, f := range list {
		section := hide.Text(f.Section)
		out = append(out, Finding{Section: section, Evidence: section, Detail: hide.Text(f.Text), Priority: float64(f.Priority)})
	}
	return w.encode(ctx, out)
}

// SetFiles lists the files of a question's set, as the question shows them.
func SetFiles(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		if _, path, ok := strings.Cut(strings.TrimSuffix(l, "\n"), " "); ok {
			out = append(out, path)
		}
	}
	return out
}

// ListFindings writes a person's findings for the next agent. It returns other text
// unchanged.
func ListFindings(stored string) string {
	var list []Finding
	if json.Unmarshal([]byte(stored), &list) != nil {
		return stored
	}
	return listFindings(list)
}

func listFindings(list []Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "[P%v] %s\n%s\n\n", f.Priority, f.Section, strings.TrimSuffix(f.Detail, "\n"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
