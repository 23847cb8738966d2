package api

import (
	"context"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/auth"
	"autopilot/daemon/strictyaml"
	"autopilot/events/wire"
)

// AgentClassify decides from a printed sample how an agent ended.
func (a *Projects) AgentClassify(_ context.Context, q auth.Request, body wire.ClassifyRequest) (wire.OutcomeView, error) {
	sample := body.Sample
	if body.SampleRef != "" {
		if q.Kind == auth.KindEffect { // a sample ref could name any stored text
			return wire.OutcomeView{}, wire.Errorf(wire.Denied, "the sample of an agent or a gate may have %d bytes at most", wire.MaxChunk)
		}
		b, err := a.Blobs.Get(body.SampleRef)
		if err != nil {
			return wire.OutcomeView{}, wire.Errorf(wire.NotFound, "the sample cannot be found: %v", err)
		}
		sample = b
	}
	format, candidates, err := sampleFormat(body.Agent, sample)
	if err != nil {
		return wire.OutcomeView{}, err
	}
	in := outcome.Input{Exit: -1, Stream: stream.Read(format, sample), Now: time.Now(), Zone: time.Local}
	if body.Exit != nil {
		if in.Exit = *body.Exit; in.Exit < 0 || in.Exit > 255 {
			return wire.OutcomeView{}, wire.Errorf(wire.Usage, "no program exits with %d", in.Exit).WithHint("give 0 to 255")
		}
	}
	v := outcomeView(in.Stream, outcome.Decide(in))
	v.Candidates = candidates
	return v, nil
}

// sampleFormat is the format of a named agent; without a name it finds the format of the
// sample, and the others that it may be of.
func sampleFormat(name string, sample []byte) (f stream.Format, candidates []string, err error) {
	if name == "" {
		g := stream.Detect(sample)
		for _, c := range g.Candidates {
			candidates = append(candidates, string(c))
		}
		return g.Format, candidates, nil
	}
	var names []string
	for _, f := range stream.Formats() {
		names = append(names, string(f))
	}
	if slices.Contains(names, name) {
		return stream.Format(name), nil, nil
	}
	hint := "known are " + strings.Join(names, ", ") + "; text is any other"
	if near := strictyaml.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return "", nil, wire.Errorf(wire.NotFound, "no agent has a stream named %q", name).WithHint("%s", hint)
}

func outcomeView(s stream.Summary, o outcome.Decision) wire.OutcomeView {
	v := wire.OutcomeView{
		Agent: string(s.Format), Outcome: string(o.Outcome), Reason: o.By.Detail, Message: o.Message, Signal: string(o.By.Source),
		Conflicts: []wire.SignalView{}, Session: s.Session, Model: s.Model, Turns: s.Turns, Tools: s.Tools,
		Final: s.Final, Last: s.Last, Lines: s.Lines, Junk: s.Junk, Unknown: s.Unknown, Patterns: outcome.Version(),
	}
	for _, c := range o.Conflicts {
		v.Conflicts = append(v.Conflicts, wire.SignalView{Signal: string(c.Source), Outcome: string(c.Outcome), Reason: c.Detail})
	}
	if !o.Reset.IsZero() {
		at := o.Reset.UTC()
		v.Reset = &at
	}
	if s.UsageFrom == stream.Reported {
		u := wire.UsageView(s.Usage)
		v.Usage = &u
	}
	if s.CostFrom == stream.Reported {
		v.MicroUSD = &s.MicroUSD
	}
	return v
}
