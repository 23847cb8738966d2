package work

import (
	"context"
	"fmt"
	"slices"

	"autopilot/daemon/exec/redact"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file takes findings that a person hands to a run.

// Seeds stores findings that a person hands to a resumed run, and counts them.
func (w *Worker) Seeds(ctx context.Context, s run.State, text string) (events.Ref, int, error) {
	hide, err := w.hiddenOf(s.ID)
	if err != nil {
		return "", 0, err
	}
	return w.seeds(ctx, hide, text)
}

// seeds stores findings verbatim, without secrets. It stores nothing without findings.
func (w *Worker) seeds(ctx context.Context, hide *redact.Set, text string) (events.Ref, int, error) {
	if text == "" {
		return "", 0, nil
	}
	list, bad := seeded(hide, text)
	if bad != nil {
		return "", 0, bad
	}
	ref, err := w.encode(ctx, list)
	return ref, len(list), err
}

func seeded(hide *redact.Set, text string) ([]stored.Finding, *wire.Error) {
	list, bad := wire.ParseFindings(text)
	var out []stored.Finding
	for _, f := range list {
		ref := hide.Text(f.Ref)
		out = append(out, stored.Finding{Section: ref, Evidence: ref, Detail: hide.Text(f.Detail), Priority: f.Priority})
	}
	return out, bad
}

// SeedPhase is the earlier phase for a person's findings: the named one, else the
// earliest that works. It is empty for the present phase, and before the first phase.
func (w *Worker) SeedPhase(ctx context.Context, s run.State, name string) (events.Name, error) {
	p, err := w.plan(ctx, s)
	if err != nil {
		return "", err
	}
	now := slices.IndexFunc(p.Flow.Phases, func(ph workflow.Phase) bool { return ph.Name == string(s.Loop.Phase) })
	var works []string
	for i, ph := range p.Flow.Phases {
		switch {
		case !ph.Works() || name != "" && ph.Name != name:
			if ph.Works() {
				works = append(works, ph.Name)
			}
		case i > now && name != "":
			return "", wire.Errorf(wire.Conflict, "run %s is in phase %s; findings cannot go to the later phase %s", s.Facts.Handle, s.Loop.Phase, name).
				WithHint("leave --phase out, or name %s or an earlier one", s.Loop.Phase)
		case i < now:
			return events.Name(ph.Name), nil
		default:
			return "", nil
		}
	}
	if name == "" {
		return "", wire.Errorf(wire.Usage, "workflow %s has no phase with an agent, so nobody would read the findings", p.Flow.Name)
	}
	return "", wire.Errorf(wire.Usage, "workflow %[2]s has no phase %.64[1]q with an agent", name, p.Flow.Name).WithHint("%s", fmt.Sprintf("--phase is one of %v", works))
}
