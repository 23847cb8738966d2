package work

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/spool"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// promptData gathers the data for the next agent's prompt. Paths of findings are names in
// its box.
func (w *Worker) promptData(s run.State, p *Plan, act engine.RunAgent) (workflow.PromptData, error) {
	d := firstPrompt(p, act.Phase)
	d.Iteration, d.Attempt, d.MaxIterations = act.Iteration, act.Attempt, lastIteration(s, p, act.Iteration)
	d.Resumed = act.Resume != ""
	if m := s.Series.Selected; m != nil {
		d.Mode = string(m.Mode)
	} else if m := s.Series.Ran; m != nil {
		d.Mode = string(m.Mode) // the same session, once more
	}
	for i := range d.Gates {
		d.Gates[i].Role = s.Role(events.Name(d.Gates[i].Name))
	}
	var err error
	if d.PersonNotes, err = w.notes(s); err != nil {
		return d, err
	}
	if d.Findings, err = w.toWorkOn(s); err != nil {
		return d, err
	}
	d.Warning, err = w.warning(s, p)
	return d, err
}

// notes lists texts of people to the agent: answers, the note, findings.
func (w *Worker) notes(s run.State) ([]string, error) {
	notes, err := w.answered(s)
	if err != nil {
		return nil, err
	}
	note, err := w.text(s.Note)
	if err != nil {
		return nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	found, err := w.text(s.Findings)
	if err != nil {
		return nil, err
	}
	if found != "" {
		notes = append(notes, ListFindings(found))
	}
	changed, err := w.text(s.Changed)
	if err != nil {
		return nil, err
	}
	if changed != "" && !s.Driven() {
		notes = append(notes, othersChanged+changed)
	}
	moved, err := w.movedNote(s)
	if err != nil || moved == "" || s.Driven() {
		return notes, err
	}
	return append(notes, moved), nil
}

// movedNote reports a move of HEAD by others; empty without one.
func (w *Worker) movedNote(s run.State) (string, error) {
	m := s.Moved
	if m == (events.HeadMove{}) {
		return "", nil
	}
	from, err := w.text(m.From.Branch)
	if err != nil {
		return "", err
	}
	to, err := w.text(m.To.Branch)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(headMoved, phrase.HeadName(events.English, m.From, from), phrase.HeadName(events.English, m.To, to)), nil
}

// headMoved is the note for a moved HEAD.
const headMoved = "Another session moved HEAD of the work tree from %s to %s after your work was recorded. Continue from there, and do not move it back.\n"

// othersChanged precedes the files that others changed.
const othersChanged = "Another session changed these files after your work was recorded. Read them again, and do not revert them.\n"

// toWorkOn lists the findings of the iteration before.
func (w *Worker) toWorkOn(s run.State) ([]workflow.Finding, error) {
	var out []workflow.Finding
	for _, r := range sentBy(s) {
		if !told(r) {
			continue
		}
		f := workflow.Finding{Gate: string(r.Gate), Verdict: r.Verdict}
		if r.Kind == events.GateHoldout {
			f.Text = heldFinding(r)
			out = append(out, f)
			continue
		}
		var err error
		if f.Text, err = w.text(r.Excerpt); err != nil {
			return nil, err
		}
		if r.Kind == events.GateApproval {
			f.Text = ListFindings(f.Text)
		}
		if _, err := w.cfg.Effects.Open(r.Effect).Outcome(); err == nil && r.Reason != events.ReasonControl {
			f.Path = findingName(r)
		}
		out = append(out, f)
	}
	misasked, err := w.misasked(s)
	if err != nil {
		return nil, err
	}
	if misasked != "" {
		out = append(out, workflow.Finding{Gate: "question", Verdict: events.Fail, Text: misasked})
	}
	if s.Unchanged() && s.Loop.Iteration > 0 {
		out = append(out, workflow.Finding{
			Gate: "change", Verdict: events.Fail, Text: "Every gate passes, but nothing was changed since the run began.",
		})
	}
	return out, nil
}

// warning is the first due warning that asks for another approach; empty without one.
func (w *Worker) warning(s run.State, p *Plan) (string, error) {
	if who := s.Worker(); who.Role != "" && s.Loop.Raised == who.Role {
		return workflow.OtherAgent, nil
	}
	switch warned := engine.Warned(s, p.Flow); {
	case warned.Rail == events.HaltSignature:
		return workflow.RepeatedFailure(warned.Times, warned.Halts), nil
	case warned.Rail != "":
		return workflow.Returned(warned.First), nil
	}
	a, ms := s.Last.Agent, func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	switch {
	case a.Cut == events.CutRepetition:
		tool, err := w.text(a.Repeat)
		return workflow.RepeatedTool(tool, a.Repeats), err
	case rule.Hung(a) && s.Last.Start.IdleMS > 0:
		return workflow.HungBefore(ms(s.Last.Start.IdleMS)), nil
	case a.Result == events.ResultWallTimeout && s.Last.Start.WallMS > 0:
		return workflow.LateBefore(ms(s.Last.Start.WallMS)), nil
	}
	return "", nil
}

// told says that a prompt includes a result.
func told(r events.GateResult) bool {
	return r.Verdict != events.Pass && r.Verdict != events.Skipped && r.Verdict != events.Open
}

// iterations is the number for the present phase.
func iterations(s run.State, p *Plan) int {
	ph, _ := p.Flow.Phase(string(s.Loop.Phase))
	if n := ph.Limits.Iterations; n > 0 && len(s.Facts.Budgets) == 0 {
		return n
	}
	return s.Budget()
}

// lastIteration is the number of the present phase's last iteration: the numbers go on
// from phase to phase.
func lastIteration(s run.State, p *Plan, now int) int {
	return iterations(s, p) + max(0, now-1-s.Loop.Spent)
}

// sentBy lists the results for the next agent: those of the iteration before. At the
// beginning of a phase, they are those that sent the run back to it.
func sentBy(s run.State) []events.GateResult {
	if s.Loop.Entered.Phase != "" && s.Last.Start.Effect == "" {
		return s.Last.Sent
	}
	return s.Last.Results
}

// firstPrompt is the common part of a run's prompts.
func firstPrompt(p *Plan, phase events.Name) workflow.PromptData {
	ph, _ := p.Flow.Phase(string(phase))
	d := workflow.PromptData{
		Task: p.Task, Phase: string(phase), Brief: ph.Brief, Iteration: 1, Attempt: 1, Inputs: p.Spec.Inputs,
		Pinned: p.Pinned, NotesDir: notesDir(p.Flow), Questions: p.Flow.Questions,
		Checkout: p.Spec.Checkout == events.CheckoutClean, Setup: p.Spec.Setup, SharedStash: p.Repo != nil && sharesStash(p.Repo.Workspace()),
	}
	for _, a := range p.gatesOf(events.GatesStarted{Phase: phase, Iteration: 1}) {
		if a.Kind != events.GateProtected && !a.decl.Void {
			d.Gates = append(d.Gates, needing(promptGate(a), p.Gates.Lacks(command(a.Gate))))
		}
		if a.Kind == events.GateSession {
			d.Report = wire.SessionReportForm
		}
	}
	if says := gitSays(p.Spec.Git); says != "" {
		d.Gates = append(d.Gates, workflow.PromptGate{Name: string(gate.GitName), Role: events.RoleInvariant, Says: says})
	}
	return d
}

// needing tells the agent which programs this host lacks, so that it does not build on them.
func needing(g workflow.PromptGate, programs []string) workflow.PromptGate {
	if len(programs) > 0 && g.Command != "" {
		g.Says = strings.TrimPrefix(g.Says+"; ", "; ") + strings.Join(programs, ", ") + " is not installed here"
	}
	return g
}

// sharesStash says that other work trees have the stash of this one: refs/stash belongs
// to the repository, and git has none for one work tree. Where that cannot be read, the
// agent is told to be careful.
func sharesStash(ws tree.Workspace) bool {
	trees, err := ws.Beside()
	return err != nil || len(trees) > 1
}

// gitSays tells the agent what the run forbids in git; empty for nothing.
func gitSays(rules stored.GitRules) string {
	var says []string
	if rules.Push == events.GitDeny {
		says = append(says, "push nothing")
	}
	if rules.History == events.GitKeep {
		says = append(says, "leave the commits, branches, tags and stashes of the start as they are; new commits are fine")
	}
	return strings.Join(says, "; ")
}

func promptGate(a asked) workflow.PromptGate {
	g := workflow.PromptGate{Name: string(a.Name), Role: a.Role, Command: a.Command}
	if tells := workflow.KindOf(a.Kind).Tells; tells != nil {
		declared := a.decl
		declared.Files = a.Files // a gate that the phase implies has them too
		tells(declared, &g)
	}
	return g
}

// notesDir is the folder of the workflow's first notes glob.
func notesDir(flow workflow.Workflow) string {
	if len(flow.Notes) == 0 {
		return ""
	}
	dir, _, _ := strings.Cut(flow.Notes[0], "*")
	return path.Clean(dir)
}

func findingName(r events.GateResult) string { return "gate-" + string(r.Gate) + ".txt" }

// maxFinding bounds the copy of a gate's output in the next agent's box.
const maxFinding = 1 << 20

// findings copies the whole output of each failed gate for the next agent.
func (w *Worker) findings(s run.State) (effect.Box, error) {
	box := effect.Box{}
	for _, r := range sentBy(s) {
		if r.Effect == "" || r.Verdict == events.Pass || r.Kind == events.GateHoldout || r.Reason == events.ReasonControl { // the effect ran in the test commit
			continue
		}
		out, err := w.printed(r.Effect)
		if err != nil {
			return nil, fmt.Errorf("read the output of gate %s: %w", r.Gate, err)
		}
		box[findingName(r)] = out
	}
	return box, nil
}

// printed is the kept output of an effect. A removed output is empty: the excerpt of a
// gate is a text of its own.
func (w *Worker) printed(id string) ([]byte, error) {
	out, err := w.cfg.Effects.Open(id).Output(effect.Merged, maxFinding)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return joined(out), err
}

// joined is an output with the count of missing bytes in between.
func joined(o spool.Output) []byte {
	if o.Gap == 0 {
		return append(append([]byte{}, o.Head...), o.Tail...)
	}
	return bytes.Join([][]byte{o.Head, []byte(fmt.Sprintf("\n... %d bytes were not kept ...\n", o.Gap)), o.Tail}, nil)
}
