package workflow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/events"
)

// keys are those that the gate gives.
func (g Gate) keys() []string {
	var out []string
	for _, k := range []struct {
		name  string
		given bool
	}{
		{"run", g.Run != ""},
		{"checkout", g.Checkout != ""},
		{"setup", g.Setup != ""},
		{"times", g.Times != Times{}},
		{"files", g.Files != nil},
		{"of", g.Of != nil},
		{"role", g.Role != ""},
		{"roles", g.Roles != nil},
		{"skip", g.Skip != nil},
		{"rounds", g.Rounds.By != "" || g.Rounds.Value != 0},
		{"ambiguity", g.Ambiguity.By != "" || g.Ambiguity.Value != 0},
		{"weights", g.Weights.By != "" || g.Weights.Value != nil},
		{"assurance", g.Assurance != ""},
		{"expires", g.Expires != 0},
		{"question", g.Question != nil},
		{"means", g.Means != nil},
		{"handoff", g.Handoff},
		{"stall", g.Stall != 0},
		{"carryover", g.Carryover != 0},
	} {
		if k.given {
			out = append(out, k.name)
		}
	}
	return out
}

func (p *problems) gate(at string, w Workflow, g Gate) {
	if g.Group != "" {
		one(p, at, g.Group, Goals, Invariants, Protected)
		return
	}
	p.name(at+".name", "gate", g.Name)
	if GateGroup(g.Name) == Goals || GateGroup(g.Name) == Invariants || GateGroup(g.Name) == Protected {
		p.add(at+".name", "choose another one", "%q names a group of gates", g.Name)
	}
	kind := KindOf(g.Kind)
	if g.Kind == "" || kind.Help == "" || kind.Hidden {
		p.kind(at, g.Kind)
		return
	}
	given := g.keys()
	for _, key := range kind.Must {
		if !slices.Contains(given, key) {
			p.add(at, fmt.Sprintf("add %s:", key), "a gate of kind %s needs %s", g.Kind, key)
		}
	}
	for _, key := range given {
		if !slices.Contains(kind.Must, key) && !slices.Contains(kind.May, key) {
			p.add(at+"."+key, "take it out", "a gate of kind %s has no %s", g.Kind, key)
		}
	}
	p.gateValues(at, w, g)
	if kind.check != nil {
		kind.check(p, at, g)
	}
}

// shortestStall is longer than an agent may think without a word.
//
// Source: session-orchestrator, seeds 2.1.1: the least of its multi-story runs.
const shortestStall = time.Minute

func (p *problems) kind(at string, kind events.GateKind) {
	known := names(declared())
	if kind == "" {
		p.add(at, "add kind:, one of "+strings.Join(texts(known), ", "), "the gate has no kind")
		return
	}
	one(p, at+".kind", kind, known...)
}

// gateValues checks each value that is given.
func (p *problems) gateValues(at string, w Workflow, g Gate) {
	if g.Run != "" && strings.TrimSpace(g.Run) == "" {
		p.add(at+".run", "write a command", "the command is blank")
	}
	if g.Checkout != "" {
		one(p, at+".checkout", g.Checkout, events.CheckoutClean)
	}
	if g.Setup != "" && g.Checkout == "" {
		p.add(at+".setup", "add checkout: clean", "setup needs checkout: clean")
	}
	if g.Times.Input == "" && g.Times.N != 0 {
		p.number(at+".times", g.Times.N, leastTimes, MostTimes)
	}
	p.globs(at+".files", g.Files)
	p.globs(at+".of", g.Of)
	p.role(at+".role", w, g.Role, g.Role == "")
	p.seats(at+".roles", w, g.Roles)
	set(p, at+".skip", g.Skip, SkipDocs)
	if g.Assurance != "" {
		one(p, at+".assurance", g.Assurance, events.AssuredSession, events.AssuredTTY, events.AssuredPIN, events.AssuredPage, events.AssuredSignature)
	}
	if g.Handoff && g.Assurance.Level() > events.AssuredSession.Level() {
		p.add(at+".handoff", "take it, or the assurance, out", "a gate with assurance %s cannot allow a hand-off", g.Assurance)
	}
	p.duration(at+".expires", g.Expires)
	p.words(at+".question", g.Question)
	p.words(at+".means", g.Means)
	if g.Stall != 0 && (g.Stall < shortestStall || g.Stall > longest) {
		p.add(at+".stall", "write a duration from 1m to 720h", "the stall is %v", g.Stall)
	}
	if g.Carryover != 0 {
		p.number(at+".carryover", g.Carryover, 1, 100)
	}
}

func (p *problems) globs(at string, globs []string) {
	if globs != nil && len(globs) == 0 {
		p.add(at, "name at least one", "the list is empty")
	}
	for i, glob := range globs {
		p.glob(index(at, i), glob)
	}
}

// seats checks the roles of a consensus: it takes two who differ.
func (p *problems) seats(at string, w Workflow, roles []string) {
	if roles != nil && len(roles) < 2 {
		p.add(at, "name two or more, in their order", "a consensus needs two roles or more")
	}
	for i, role := range roles {
		p.role(index(at, i), w, role, false)
		if slices.Contains(roles[:i], role) {
			p.add(index(at, i), "remove it", "%q is given twice", role)
		}
	}
}
