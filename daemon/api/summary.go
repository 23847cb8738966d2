package api

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
	"autopilot/projections/summary"
)

// summarised lists the parts that a run went through; empty where its workflow has no
// gates of its own.
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

// approvals marks approvals of sets that changed later, in phases without an anchor on
// them: they say nothing of the present set. It marks nothing where the tree cannot be
// read.
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

// references lists what a chat has named as its evidence; empty where that cannot be read
// any more.
func (a *Looks) references(ref events.Ref) []string {
	var list []stored.Evidence
	if json.Unmarshal([]byte(a.Text(ref)), &list) != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Ref)
	}
	return out
}
