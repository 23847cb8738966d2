package api

import (
	"context"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// looksBehind says that the caller may see the commands and output of held-out gates.
// Such a caller is a process of the user that neither an effect nor a chat started. An
// agent that saw them could work towards these cases alone.
func (a *Views) looksBehind(q auth.Request) bool {
	return q.Kind == auth.KindLocal && !a.Chats.Behind(q)
}

// HeldOut shows the held-out gates of a run to people; nil without any.
func (a *Views) HeldOut(s run.State) (*wire.HeldOutView, error) {
	view, err := a.Worker.Held(s)
	if err != nil && (a.Removal.Gone(s) != nil || a.Fleet.IsImported(s.ID)) {
		return nil, nil // the texts of the run are not here
	}
	if view == nil || err != nil {
		return nil, err
	}
	v := &wire.HeldOutView{HoldoutView: *view}
	for _, r := range s.Last.Results {
		if r.Kind != events.GateHoldout || r.Verdict == events.Pass || r.Held == "" {
			continue
		}
		text, err := a.Worker.HeldText(r)
		if err != nil {
			return nil, err
		}
		v.Printed = append(v.Printed, wire.HeldOutText{Gate: string(r.Gate), Text: text})
	}
	return v, nil
}

// holdsOut names the first run of an export that has held-out gates; empty without one.
func (a *Views) holdsOut(ctx context.Context, body wire.ExportRequest) (string, error) {
	for _, name := range body.Runs {
		s, err := a.Find(ctx, wire.RunRef{Run: name, Workspace: body.Workspace})
		if err != nil || s.Facts.Holdout != "" {
			return s.Facts.Handle, err
		}
	}
	if len(body.Runs) > 0 {
		return "", nil
	}
	for _, h := range a.Fleet.AllHeads() {
		s, err := a.Fleet.Read(h)
		if err != nil || s.Facts.Holdout != "" {
			return s.Facts.Handle, err
		}
	}
	return "", nil
}
