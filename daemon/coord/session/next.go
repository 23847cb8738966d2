package session

import (
	"context"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// view is what a chat is told of a run.
func (k *Drivers) view(ctx context.Context, s run.State, joined bool) wire.SessionView {
	if s.ID == "" {
		return wire.SessionView{}
	}
	s.Facts.Language = events.English // of texts to agents
	v := wire.SessionView{Run: k.cfg.Verbs.View(s), Joined: joined, Next: []wire.NextCommand{}, Waits: WaitsFor(s)}
	v.Run.Language = string(s.Facts.Language)
	_, v.Says = explain.Why(s)
	if v.Waits == "person" && joined && k.mayAnswer(s) == nil {
		v.MayAnswer, v.Next = true, append(v.Next, chatAnswer(s))
	}
	if v.Waits != "" {
		v.Next = append(v.Next, idle(s, joined)...)
		return v
	}
	w, err := k.cfg.Worker.ChatWork(ctx, s)
	if err != nil {
		k.cfg.Log.Error("tell a chat what to do", "run", s.ID, "error", err)
		v.Says += "; the work cannot be read: see the daemon's log"
		return v
	}
	if joined {
		v.Work = w
	}
	return v
}

// idle is what a chat does that has nothing to work on: one that drives the run
// waits for it. It has no terminal to follow it in, and ends nothing that goes on.
func idle(s run.State, joined bool) []wire.NextCommand {
	wait := wire.NextCommand{Command: "apctl session next " + s.Facts.Handle + " --wait 10m", Why: "until there is work, a question or the end"}
	switch {
	case !joined || s.Status != run.Live:
		return explain.Next(s)
	case s.WaitsForLimit() || s.Stage == run.Asking:
		return append([]wire.NextCommand{wait}, explain.Next(s)...)
	}
	return []wire.NextCommand{wait}
}

// WaitsFor names what a run does while a chat has nothing to do.
func WaitsFor(s run.State) string {
	switch {
	case s.Status == run.Over:
		return "over"
	case s.Status == run.Halted:
		return "halted"
	case s.WaitsForLimit():
		return "limit"
	}
	switch s.Stage {
	case run.Agent:
		return ""
	case run.Started, run.Gates:
		return "gates"
	case run.Looking:
		return "looking"
	case run.Asking:
		return "person"
	case run.Ended, run.Judged, run.Ready:
	}
	return "deciding"
}

// taken adds what was taken, from what is stored of it.
func (k *Drivers) taken(ctx context.Context, s run.State) wire.SessionView {
	v, a := k.view(ctx, s, true), s.Last.Agent
	v.Taken = &wire.SessionTaken{
		Effect: a.Effect, Phase: string(a.Phase), Iteration: a.Iteration, Claim: string(a.Claim), Tree: string(a.Tree), Files: a.Files,
	}
	return v
}
