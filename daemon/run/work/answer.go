package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

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
	var out []stored.Finding
	for _, f := range list {
		section := hide.Text(f.Section)
		out = append(out, stored.Finding{Section: section, Evidence: section, Detail: hide.Text(f.Text), Priority: float64(f.Priority)})
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
func ListFindings(text string) string {
	var list []stored.Finding
	if json.Unmarshal([]byte(text), &list) != nil {
		return text
	}
	return listFindings(list)
}

func listFindings(list []stored.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "[P%v] %s\n%s\n\n", f.Priority, f.Section, strings.TrimSuffix(f.Detail, "\n"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
