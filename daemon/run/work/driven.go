package work

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file is the worker of runs that a chat drives. It starts no process for an
// iteration: it announces the iteration, waits for the chat's delivery, and ends with it.

// Delivery is what a chat delivers of an iteration.
type Delivery struct {
	Claim    events.Claim
	Summary  string
	Ask      wire.Ask // to a person; without a question, its reason says why the chat is blocked
	Evidence []wire.EvidenceRef
	Report   events.SessionReport
	Red      []wire.RedRow
}

// ErrDelivering says that another delivery of the iteration is under way.
var ErrDelivering = errors.New("the iteration is being delivered")

// Deliver takes the work of the announced iteration: it records the tree as the chat left
// it. The event is not stored yet. Until then the iteration stays open, and Delivered
// lets the next delivery in.
func (w *Worker) Deliver(ctx context.Context, s run.State, by Delivery) (d events.AgentEnded, err error) {
	defer func() { err = noRoom(err) }()
	if !w.delivers(s.ID) {
		return d, ErrDelivering
	}
	defer func() {
		if err != nil {
			w.Delivered(s.ID)
		}
	}()
	d = w.endedChat(s, events.Exited)
	d.Claim, d.Result, d.Report = by.Claim, events.ResultEnded, by.Report
	if d.Summary, err = w.put(ctx, by.Summary); err != nil {
		return d, err
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return d, err
	}
	if bad := by.Ask.CheckClass(p.Flow.Questions); by.Ask.Question != "" && bad != nil {
		return d, bad
	}
	if err = w.asks(ctx, p, &d, by.Claim, by.Ask, ""); err != nil {
		return d, err
	}
	if len(by.Evidence) > 0 {
		hide := w.hidden()
		var list []stored.Evidence
		for _, e := range by.Evidence {
			list = append(list, stored.Evidence{Ref: hide.Text(e.Ref), Detail: hide.Text(e.Detail)})
		}
		if d.Evidence, err = w.encode(ctx, list); err != nil {
			return d, err
		}
	}
	if len(by.Red) > 0 {
		hide := w.hidden()
		var rows []stored.RedRow
		for _, r := range by.Red {
			r.File = hide.Text(r.File)
			rows = append(rows, stored.RedRow(r))
		}
		if d.Red, err = w.encode(ctx, rows); err != nil {
			return d, err
		}
	}
	if d.Report.V == 0 {
		if err := w.sessionRecord(ctx, s, p, &d); err != nil {
			return d, err
		}
	}
	if err := w.leftBy(ctx, s, &d); err != nil {
		return d, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chats[s.ID] = &d
	return d, nil
}

// delivers says that no other delivery for the run is under way.
func (w *Worker) delivers(run string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, busy := w.chats[run]; busy {
		return false
	}
	w.chats[run] = nil
	return true
}

// Delivered ends a delivery, stored or not.
func (w *Worker) Delivered(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.chats, run)
}

// awaitChat waits for the end of the iteration: a delivery, which drops this wait, or a
// stop.
func (w *Worker) awaitChat(ctx context.Context, s run.State, end <-chan struct{}) (events.AgentEnded, error) {
	select {
	case <-ctx.Done():
		return events.AgentEnded{}, ctx.Err()
	case <-end:
	}
	w.mu.Lock()
	handed := w.chats[s.ID]
	w.mu.Unlock()
	if handed != nil && handed.Effect == s.Last.Start.Effect {
		return *handed, nil
	}
	d := w.endedChat(s, events.Stopped)
	d.Exit, d.Result, d.By = -1, events.ResultStopped, events.FromSupervisor
	return d, w.leftBy(ctx, s, &d)
}

// endedChat is the known part of an iteration's end, before its tree.
func (w *Worker) endedChat(s run.State, how events.Outcome) events.AgentEnded {
	l := s.Last.Start
	return events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect, Outcome: how,
		DurationMS: max(w.cfg.Now().Sub(s.Clock.Agent), 0).Milliseconds(),
	}
}

// leftBy adds the tree that the agent left.
func (w *Worker) leftBy(ctx context.Context, s run.State, d *events.AgentEnded) error {
	p, err := w.plan(ctx, s)
	if err != nil {
		return err
	}
	snap, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return fmt.Errorf("record the tree that was left: %w", err)
	}
	d.Tree, d.Work, d.Head = snap.Tree, snap.Work, w.head(ctx, p)
	if d.Git, err = w.git(ctx, s, p); err != nil {
		return err
	}
	denied, err := w.gitDenied(s, p, d.Git)
	if err != nil {
		return err
	}
	d.GitDenied = len(denied) > 0
	d.Files, err = w.countFiles(ctx, s, p, snap.Work)
	return err
}

// ChatWork is the present work of a chat: the iteration is announced.
func (w *Worker) ChatWork(ctx context.Context, s run.State) (*wire.SessionWork, error) {
	p, err := w.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	l := s.Last.Start
	v := &wire.SessionWork{
		Effect: l.Effect, Phase: string(l.Phase), Iteration: l.Iteration, Attempt: l.Attempt, Iterations: lastIteration(s, p, l.Iteration),
		Findings: []wire.SessionFinding{}, Owed: []wire.SessionOwed{}, Gates: []wire.SessionGate{}, Phases: []string{},
	}
	if v.Prompt, err = w.text(l.Prompt); err != nil {
		return nil, err
	}
	if end, ok := engine.Deadline(s, w.cfg.Now()); ok {
		v.EndsBy = &end
	}
	if v.Findings, err = w.chatFindings(s); err != nil {
		return nil, err
	}
	for _, a := range p.gatesOf(events.GatesStarted{Phase: l.Phase, Iteration: l.Iteration}) {
		if a.Kind == events.GateArtifact {
			v.Owed = append(v.Owed, wire.SessionOwed{Gate: string(a.Name), Files: a.Files})
		}
		v.Gates = append(v.Gates, chatGate(s, a))
	}
	for next := p.Flow.After(string(l.Phase)); next != ""; next = p.Flow.After(next) {
		v.Phases = append(v.Phases, next)
	}
	return v, nil
}

func chatGate(s run.State, a asked) wire.SessionGate {
	g := promptGate(a)
	out := wire.SessionGate{
		Name: string(a.Name), Kind: string(a.Kind), Role: string(s.Role(a.Name)), Command: g.Command, Says: g.Says,
	}
	if a.Kind == "" {
		out.Kind = string(events.GateCommand)
	}
	for _, role := range rolesOf(a.decl) {
		out.Looks = append(out.Looks, string(role))
	}
	return out
}

// personFinding is the gate name of findings that a person handed over.
const personFinding = "person"

// chatFindings lists the findings for the prompt. In the first iteration after a way
// back, those are the findings that sent the run back.
func (w *Worker) chatFindings(s run.State) ([]wire.SessionFinding, error) {
	results := s.Last.Results
	if e := s.Loop.Entered; e.Phase != "" && s.Last.Start.Iteration == e.Iteration+1 {
		results = s.Last.Sent
	}
	out := []wire.SessionFinding{}
	if found, err := w.text(s.Findings); err != nil {
		return nil, err
	} else if found != "" {
		out = append(out, wire.SessionFinding{Gate: personFinding, Verdict: string(events.Fail), Text: ListFindings(found)})
	}
	for _, r := range results {
		if !told(r) {
			continue
		}
		text, err := w.text(r.Excerpt)
		if err != nil {
			return nil, err
		}
		if r.Kind == events.GateHoldout {
			text = heldFinding(r)
		}
		if r.Kind == events.GateApproval {
			text = ListFindings(text)
		}
		out = append(out, wire.SessionFinding{Gate: string(r.Gate), Verdict: string(r.Verdict), Text: text})
	}
	return out, nil
}

// checkDriver refuses an invalid driver.
func checkDriver(spec stored.Spec) error {
	switch spec.Driver {
	case events.DriverDaemon, events.DriverSession:
		return nil
	}
	return wire.Errorf(wire.Usage, "driver %.40q is not known", spec.Driver).WithHint("leave it out, or --driver session")
}
