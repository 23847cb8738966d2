package sheet

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

func (m maker) findings(r wire.RetroRun) Section {
	s := Section{Name: "What failed, and when it was settled"}
	t := Table{Name: "findings", Head: heads("what", "seen in", "settled in", "#took")}
	open := 0
	for _, f := range r.Findings {
		t.Rows = append(t.Rows, m.finding(f))
		if f.Open {
			open++
		}
	}
	if len(t.Rows) == 0 {
		s.Notes = append(s.Notes, "Nothing failed.")
		return s
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s, %d of them open.", count(len(r.Findings)+r.More, "finding"), open))
	if r.More > 0 {
		s.Notes = append(s.Notes, "Of these "+number(int64(r.More))+" are counted and not followed.")
	}
	if r.Unread > 0 {
		s.Notes = append(s.Notes, count(r.Unread, "list")+" of failing tests could not be read, so some tests may be missing.")
	}
	s.Tables = []Table{bound(t, m.Entries)}
	return s
}

func (m maker) finding(f wire.RetroFinding) []Cell {
	what := Cell{Text: "gate " + f.Gate + ": " + f.Reason}
	if f.Test != "" {
		what = m.free(f.Test)
	}
	settled, took := Cell{Text: "open", Class: Bad}, "-"
	if !f.Open {
		settled, took = Cell{Text: where(f.Settled), Class: Good}, span(f.Until-f.At)
	}
	return []Cell{what, {Text: where(f.Seen)}, settled, {Text: took}}
}

// baseline is what the gates before the first iteration are called, and no later ones:
// an iteration whose gates ran without an agent is still an iteration.
const baseline = "baseline"

func where(iteration int) string {
	if iteration == 0 {
		return baseline
	}
	return fmt.Sprintf("iteration %d", iteration)
}

func (m maker) repeated(r wire.RetroRun) Section {
	s := Section{Name: "After the first repeat"}
	p := r.Repeated
	if p == nil {
		s.Notes = append(s.Notes, "No failure came back in the same way.")
		return s
	}
	how := "failed as iteration %d had, on the same tree"
	if p.By == "signature" {
		how = "was the third with the failure of iteration %d"
	}
	s.Notes = append(s.Notes, fmt.Sprintf("Iteration %d "+how+".", p.First, p.EqualTo),
		"What was used from there to a pass or new findings of a person is below.")
	switch {
	case p.Green:
		s.Notes = append(s.Notes, "One of the later iterations passed all the same.")
	case p.Resumed:
		s.Notes = append(s.Notes, "New findings of a person ended it.")
	}
	of := func(n, of int64) string { return share(n, of) }
	s.Tables = []Table{{Name: "after the first repeat", Head: heads("what", "#used", "#of the run"), Rows: [][]Cell{
		cells("iterations", number(int64(p.Iterations)), of(int64(p.Iterations), int64(len(r.Iterations)-1))),
		cells("work", span(p.Length), of(p.Length, work(r.Time))),
		cells("tokens", tokens(p.Usage), of(p.Usage.Tokens, r.Usage.Tokens)),
		cells("cost", cost(p.Usage), of(p.Usage.MicroUSD, r.Usage.MicroUSD)),
	}}}
	return s
}

func (m maker) decisions(r wire.RetroRun) Section {
	s := Section{Name: "Decisions of people"}
	t := Table{Name: "decisions", Head: heads("?@when", "what", "#iteration", "#took", "made", "?by", "asked", "answer")}
	for _, d := range r.Decisions {
		made := d.Made
		if made == "" {
			made = "open"
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: m.moment(d.Began)},
			{Text: d.Kind},
			{Text: fmt.Sprint(d.Iteration)},
			{Text: span(d.Took)},
			{Text: made},
			{Text: cut(by(d.By), 60), Free: true},
			m.free(d.Asked),
			m.free(d.Answer),
		})
	}
	if len(t.Rows) == 0 {
		s.Notes = append(s.Notes, "Nobody was needed.")
		return s
	}
	s.Tables = []Table{bound(t, m.Entries)}
	return s
}

// by is who acted, without the host: that is the one of the whole run.
func by(actor string) string {
	kind, rest, _ := strings.Cut(actor, ":")
	name, at, _ := strings.Cut(rest, "@")
	_, place, _ := strings.Cut(at, "/")
	if kind == "local" {
		kind, place = "user", "" // that is a process, and over
	}
	return strings.TrimSpace(strings.TrimSpace(kind+" "+name) + " " + place)
}

// turns is what is known of what happened inside the turns of agents.
func (m maker) turns(r wire.RetroRun) Section {
	s := Section{Name: "Inside the turns"}
	rep := Table{Name: "repeats", Head: heads("#iteration", "#times", "tool and input", "end")}
	for _, p := range r.Repeats {
		end := "went on"
		if p.Ended {
			end = "the turn was ended"
		}
		rep.Rows = append(rep.Rows, []Cell{{Text: fmt.Sprint(p.Iteration)}, {Text: number(int64(p.Times))}, m.free(p.What), {Text: end}})
	}
	con := Table{Name: "conflicts", Head: heads("#iteration", "believed", "says", "against", "says")}
	for _, c := range r.Conflicts {
		con.Rows = append(con.Rows, cells(fmt.Sprint(c.Iteration), c.By, c.Result, c.Other, c.Says))
	}
	for _, t := range []Table{rep, con} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, bound(t, m.Entries))
		}
	}
	if len(s.Tables) == 0 {
		s.Notes = append(s.Notes, "No tool was used over and over, and no sources disagreed about an end.")
	}
	return s
}
