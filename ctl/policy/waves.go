package policy

import (
	"autopilot/projections/orchestrator"
)

var waveFunctions = []Function{
	{"agent-status", "output, changed, failed, truncated, spiral", "how an agent of a wave ended", agentStatus},
	{"spiral", "steps [{file, error, tree}]", "whether an agent goes in circles", spiral},
	{"max-turns", "mode", "the turns of an agent, or null", maxTurns},
	{"recovery", "status, times", "what becomes of work that an agent did not finish", recovery},
	{"loop-guard", "calls, times, window", "whether one call is made again and again", loopGuard},
	{"isolation", "agents, mode, off", "where the agents of a wave work", isolation},
	{"convergence", "waves [{diff_lines, pass_rate, velocity}]", "what the last waves have in common; advice", convergence},
	{"effectiveness", "text", "sessions by people beside those of runs, by mode", effectiveness},
}

func agentStatus(in input) (any, error) {
	return orchestrator.Status(orchestrator.AgentEnd{
		Output: in.text("output"), Changed: in.is("changed"), Failed: in.is("failed"), Truncated: in.is("truncated"), Spirals: in.is("spiral"),
	}), nil
}

func spiral(in input) (any, error) {
	list, ok := in.list("steps")
	if !ok {
		return nil, refuse("steps is no list")
	}
	var steps []orchestrator.Step
	for _, v := range list {
		r := v.record()
		steps = append(steps, orchestrator.Step{File: r.Text("file"), Error: r.Text("error"), Tree: r.Text("tree")})
	}
	why, is := orchestrator.Spirals(steps)
	return map[string]any{"spiral": is, "why": why}, nil
}

func maxTurns(in input) (any, error) {
	if n := orchestrator.MaxTurns(orchestrator.Mode(in.text("mode"))); n > 0 {
		return n, nil
	}
	return nil, nil
}

func recovery(in input) (any, error) {
	s := orchestrator.AgentStatus(in.text("status"))
	switch s {
	case orchestrator.AgentDone, orchestrator.AgentPartial, orchestrator.AgentFailed, orchestrator.AgentSpiral:
	default:
		return nil, refuse("status %q is none of done, partial, failed, spiral", s)
	}
	r, issue := orchestrator.Recover(s, int(in.numberOr("times", 1)))
	return map[string]any{"recovery": r, "file_issue": issue}, nil
}

func loopGuard(in input) (any, error) {
	list, ok := in.list("calls")
	if !ok {
		return nil, refuse("calls is no list")
	}
	g := orchestrator.Guard{
		Times:  int(in.numberOr("times", float64(orchestrator.GuardDefault.Times))),
		Window: int(in.numberOr("window", float64(orchestrator.GuardDefault.Window))),
	}
	call, times, is := g.Loops(texts(list))
	return map[string]any{"warn": is, "call": call, "times": times}, nil
}

func isolation(in input) (any, error) {
	n := in.number("agents")
	if shown(n) == nil || n < 0 {
		return nil, refuse("agents is no number of agents")
	}
	i, strict := orchestrator.Isolate(int(n), orchestrator.Mode(in.text("mode")), in.is("off"))
	return map[string]any{"isolation": i, "strict_scope": strict}, nil
}

func convergence(in input) (any, error) {
	list, ok := in.list("waves")
	if !ok {
		return nil, refuse("waves is no list")
	}
	var waves []orchestrator.Wave
	for _, v := range list {
		r := v.record()
		waves = append(waves, orchestrator.Wave{Lines: r.Number("diff_lines"), PassRate: r.Number("pass_rate"), Velocity: r.Number("velocity")})
	}
	return orchestrator.Converges(waves), nil
}

func effectiveness(in input) (any, error) {
	all := orchestrator.LastRecords([]byte(in.text("text")), 1<<20, func(orchestrator.Record) bool { return true })
	return orchestrator.Compare(all), nil
}
