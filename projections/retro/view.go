package retro

import (
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// Texts reads a blob; false when it is no longer there. A nil Texts reads
// nothing.
type Texts func(events.Ref) (string, bool)

func (t Texts) read(ref events.Ref) string {
	if t == nil || ref == "" {
		return ""
	}
	text, _ := t(ref)
	return text
}

// View is the run as it is by now. Later events do not change it.
func (f *Fold) View(texts Texts) wire.RetroRun {
	v := wire.RetroRun{
		ID: f.id, Handle: f.facts.Handle, Workflow: string(f.facts.Workflow), Agent: string(f.facts.Agent),
		Task: texts.read(f.facts.Task), Workspace: texts.read(f.facts.Workspace), Models: slices.Concat([]string{}, f.models),
		Started: f.clock.first, Latest: f.clock.last, Seq: f.log.seq, Unknown: f.log.unknown, Back: f.clock.back,
		Phases: f.phases(), Iterations: slices.Concat([]wire.RetroIteration{}, f.rows), Spans: slices.Concat([]wire.RetroSpan{}, f.spans),
		Repeated: f.seen.repeated(f.rows), Conflicts: slices.Concat([]wire.RetroConflict{}, f.conflicts),
		Decisions: make([]wire.RetroDecision, 0, len(f.decisions)), Repeats: make([]wire.RetroRepeat, 0, len(f.repeats)),
	}
	v.State, v.Reason = f.settled()
	if own := v.Agent; len(f.agents) > 0 {
		v.Agent = strings.Join(slices.DeleteFunc(append([]string{own}, f.agents...), func(n string) bool { return n == "" }), ", ")
	}
	for _, r := range f.rows {
		v.Time = plus(v.Time, r.Time)
		v.Usage = Sum(v.Usage, r.Usage)
	}
	for _, d := range f.decisions {
		if d.Made == "" {
			d.Took = f.clock.at - d.At
		}
		d.Asked, d.Answer = texts.read(d.asked), texts.read(d.answer)
		v.Decisions = append(v.Decisions, d.RetroDecision)
	}
	for _, r := range f.repeats {
		r.What = texts.read(r.what)
		v.Repeats = append(v.Repeats, r.RetroRepeat)
	}
	l := findings{texts: texts, list: []wire.RetroFinding{}, open: map[key]int{}, lists: map[events.Name]events.Ref{}}
	for _, j := range f.judged {
		l.judge(j, f.rows[j.row].Iteration)
	}
	v.Findings, v.More, v.Unread = l.list, l.more, l.unread
	return v
}

// settled is the state of the run, and why.
func (f *Fold) settled() (state, reason string) {
	switch {
	case f.state.ended != nil:
		return string(f.state.ended.State), string(f.state.ended.Reason)
	case f.state.halted != "":
		return rule.StateHalted, string(f.state.halted)
	case f.now.kind == Waiting:
		return rule.StateWaiting, f.now.cause
	case !f.state.begun:
		return "", ""
	}
	return rule.StateRunning, ""
}

// phases are the stays in phases; the baseline belongs to the first one.
func (f *Fold) phases() []wire.RetroPhase {
	out := []wire.RetroPhase{}
	for i, r := range f.rows {
		n := len(out) - 1
		if n < 0 || out[n].Phase != r.Phase {
			out = append(out, wire.RetroPhase{Phase: r.Phase, At: r.At})
			n++
		}
		out[n].Length += All(r.Time)
		if i > 0 {
			out[n].Iterations++
			out[n].Verdict = r.Verdict
		}
	}
	return out
}

func plus(a, b wire.RetroTime) wire.RetroTime {
	for _, k := range Kinds() {
		*Part(&a, k) += *Part(&b, k)
	}
	return a
}

// Sum adds what was used elsewhere.
func Sum(a, b wire.UsageSum) wire.UsageSum {
	a.Input += b.Input
	a.CacheRead += b.CacheRead
	a.CacheWrite += b.CacheWrite
	a.Output += b.Output
	a.Tokens += b.Tokens
	a.MicroUSD += b.MicroUSD
	a.Turns += b.Turns
	a.ActiveMS += b.ActiveMS
	a.Agents += b.Agents
	a.NoTokens += b.NoTokens
	a.NoCost += b.NoCost
	a.Computed += b.Computed
	return a
}
