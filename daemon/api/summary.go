package api

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
	"autopilot/projections/summary"
)

// summarised is what a run went through, part by part; nothing where its workflow
// has no gates of its own.
func (a *Looks) summarised(ctx context.Context, s run.State) ([]wire.SummaryPart, error) {
	f := summary.Fold{Language: a.Language(s)}
	for stored, err := range a.Log.Read(ctx, events.Run(s.ID), 0) {
		switch {
		case errors.Is(err, log.ErrDamaged):
			continue
		case err != nil:
			return nil, err
		case stored.Event.Seq > s.Log.Seq:
			return a.approvals(ctx, s, f.Parts(a.references)), nil
		}
		if f.Add(stored.Event); stored.Event.Seq == 1 && !f.Has() {
			return nil, nil
		}
	}
	return a.approvals(ctx, s, f.Parts(a.references)), nil
}

// approvals marks approvals whose set was changed since, in a phase that has no
// anchor on it: they say nothing of what is there now. Where the tree cannot be
// read any more nothing is known, and nothing is said.
func (a *Looks) approvals(ctx context.Context, s run.State, parts []wire.SummaryPart) []wire.SummaryPart {
	for _, p := range parts {
		for i, g := range p.Gates {
			if events.GateKind(g.Kind) != events.GateApproval || g.Verdict != string(events.Pass) || g.Set == "" {
				continue
			}
			now, err := a.Worker.SetOf(ctx, s, g.Gate)
			p.Gates[i].Changed = err == nil && now != g.Set
		}
	}
	return parts
}

// references are what a chat has named as its evidence; none where they cannot be
// read any more.
func (a *Looks) references(ref events.Ref) []string {
	var list []wire.EvidenceRef
	if json.Unmarshal([]byte(a.Text(ref)), &list) != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Ref)
	}
	return out
}
