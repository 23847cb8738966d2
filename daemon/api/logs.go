package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/exec/effect"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// Source is one effect with output to show.
type Source struct {
	iteration, attempt int
	name               string      // "agent", "role", or the name of the gate
	role, gate         events.Name // of a role session: it looks for gate
	agent              events.Name // profile, where the workflow names it
	Effect             string
	seq                uint64 // of the event that named it
	note               string // a note about the source before; it has no output
}

// RunLogs sends the output of agents and gates, in the order in which they ran.
func (a *Looks) RunLogs(ctx context.Context, q auth.Request, body wire.LogsRequest, send func(wire.LogFrame) error) error {
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if err := a.Removal.Whole(s, "the output"); err != nil {
		return err
	}
	formatOf := a.formatsOf(s)
	first := body.Iteration
	if first == 0 {
		first = s.Loop.Iteration
	}
	fits := 0
	for shown := 0; ; {
		changed := a.Fleet.Wait()
		list, err := a.Sources(ctx, s.ID)
		if err != nil {
			return err
		}
		for _, src := range list[shown:] {
			shown++
			if !wanted(body, src, first) {
				continue
			}
			fits++
			if kept := s.Gate(events.Name(src.name)).Kind == events.GateHoldout; kept && !a.looksBehind(q) {
				src.note = "only people may read the output of a held-out gate"
			}
			if err := a.sendSource(ctx, s.ID, src, body.Follow, newPrinted(src, formatOf(src.agent), send)); err != nil {
				return err
			}
		}
		now, _ := a.Fleet.State(s.ID)
		if !body.Follow || now.Status != run.Live && now.Log.Seq <= s.Log.Seq {
			return nothingFits(fits, body, s)
		}
		if s = now; s.Status != run.Live {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// nothingFits returns an error when the request names something that the run does not
// have.
func nothingFits(fits int, body wire.LogsRequest, s run.State) error {
	if fits > 0 || body.Iteration <= 0 && body.Gate == "" && body.Role == "" {
		return nil
	}
	what := "output"
	switch {
	case body.Gate != "":
		what = "gate " + body.Gate
	case body.Role != "":
		what = "session of role " + body.Role
	}
	if body.Iteration > 0 {
		what += fmt.Sprintf(" in iteration %d", body.Iteration)
	}
	return wire.Errorf(wire.NotFound, "run %s has no %s", s.Facts.Handle, what).
		WithHint("apctl why %s   lists its iterations; apctl status %s   its gates", s.Facts.Handle, s.Facts.Handle)
}

func wanted(body wire.LogsRequest, src Source, first int) bool {
	switch {
	case body.Gate != "" && src.name != body.Gate && string(src.gate) != body.Gate,
		body.Role != "" && string(src.role) != body.Role,
		body.Only == "agent" && src.name != agentSource,
		body.Only == "gate" && (src.name == agentSource || src.role != ""):
		return false
	case body.Iteration < 0:
		return true
	case body.Follow && body.Iteration == 0:
		return src.iteration >= first
	}
	return src.iteration == first
}

// The names of sources other than gates.
const (
	agentSource = "agent"
	roleSource  = "role"
)

// Sources lists the effects of a run.
func (a *Looks) Sources(ctx context.Context, id string) ([]Source, error) {
	var out []Source
	attempt, by, l := 0, events.Name(""), events.English
	for stored, err := range a.Log.Read(ctx, events.Run(id), 0) {
		if err != nil {
			return nil, err
		}
		switch e := stored.Event.Data.(type) {
		case events.RunStarted:
			l = a.Language(run.State{Facts: e})
		case events.IterationStarted:
			attempt, by = e.Attempt, e.Agent
			out = append(out, Source{iteration: e.Iteration, attempt: e.Attempt, name: agentSource, agent: by, Effect: e.Effect, seq: stored.Event.Seq})
		case events.AgentEnded:
			if left := explain.Behind(l, e); left != "" {
				out = append(out, Source{iteration: e.Iteration, attempt: attempt, name: agentSource, agent: by, seq: stored.Event.Seq, note: left})
			}
		case events.RoleStarted:
			a := e.Agent
			out = append(out, Source{iteration: a.Iteration, attempt: attempt, name: roleSource, role: e.Role, gate: e.Gate, agent: a.Agent, Effect: a.Effect, seq: stored.Event.Seq})
		case events.GatesStarted:
			for _, g := range e.Effects {
				out = append(out, Source{iteration: e.Iteration, attempt: attempt, name: string(g.Gate), Effect: g.Effect, seq: stored.Event.Seq})
			}
		case events.GatesJudged:
			// No event announced the effect of a gate's second run.
			for _, r := range e.Results {
				known := func(src Source) bool { return src.Effect == r.Effect }
				if r.Effect != "" && !slices.ContainsFunc(out, known) {
					out = append(out, Source{iteration: e.Iteration, attempt: attempt, name: string(r.Gate), Effect: r.Effect, seq: stored.Event.Seq})
				}
			}
		}
	}
	return out, nil
}

// sendSource sends the output of a source.
func (a *Looks) sendSource(ctx context.Context, run string, src Source, follow bool, to *printed) error {
	if src.note != "" {
		return to.note(src.note)
	}
	return a.sendOutput(ctx, run, src, follow, to)
}

// sendOutput sends the output of one effect, and follows it as it grows on request. An
// effect that never started, or whose directory is gone, has none.
func (a *Looks) sendOutput(ctx context.Context, run string, src Source, follow bool, to *printed) error {
	dir := a.Effects.Open(src.Effect)
	if !follow {
		if err := sendPresent(dir, to); err != nil {
			return err
		}
		return to.end()
	}
	tick := time.NewTicker(startEvery)
	defer tick.Stop()
	for {
		due := a.due(run, src)
		err := sendGrowing(ctx, dir, to)
		if err == nil {
			return to.end()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !due {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// startEvery is how often a follower looks for the start of an announced effect.
const startEvery = 50 * time.Millisecond

// due says whether an announced effect may still start. A reader may see events of the
// log before the run has folded them.
func (a *Looks) due(id string, src Source) bool {
	s, _ := a.Fleet.State(id)
	switch {
	case s.Log.Seq < src.seq:
		return true
	case s.Status != run.Live:
		return false
	case s.AtWork():
		return s.Last.Session.Effect == src.Effect
	case s.Stage == run.Gates:
		return slices.ContainsFunc(s.Last.Gates.Effects, func(e events.EffectRef) bool { return e.Effect == src.Effect })
	}
	return false
}

func sendGrowing(ctx context.Context, dir effect.Dir, to *printed) error {
	for chunk, err := range dir.Follow(ctx, effect.Merged, 0) {
		if err != nil {
			return err
		}
		if err := to.add(chunk.Data, chunk.Gap); err != nil {
			return err
		}
	}
	return nil
}

// maxLog bounds the bytes sent of one effect without follow.
const maxLog = 16 << 20

func sendPresent(dir effect.Dir, to *printed) error {
	out, err := dir.Output(effect.Merged, maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, part := range [][]byte{out.Head, out.Tail} {
		gap := int64(0)
		if i == 1 {
			gap = out.Gap
		}
		for len(part) > 0 {
			n := min(len(part), logPiece)
			if err := to.add(part[:n], gap); err != nil {
				return err
			}
			part, gap = part[n:], 0
		}
	}
	return nil
}
