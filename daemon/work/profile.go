package work

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"

	"autopilot/daemon/agent"
	"autopilot/events/wire"
	"autopilot/projections/marker"
	"autopilot/projections/rule"
)

// checkAgent refuses what cannot be an agent.
func checkAgent(a wire.AgentSpec) error {
	given := 0
	for _, way := range []string{a.Command, a.Script, a.Profile} {
		if way != "" {
			given++
		}
	}
	switch {
	case given == 0:
		return wire.Errorf(wire.Usage, "no agent is given").
			WithHint("--agent NAME; apctl agent ls   lists them\n--agent-cmd CMD   is any command, --script FILE needs no model")
	case given > 1:
		return wire.Errorf(wire.Usage, "more than one agent is given").
			WithHint("give one of --agent NAME, --agent-cmd CMD and --script FILE")
	case a.Profile != "":
		return nil
	case a.Model != "":
		return wire.Errorf(wire.Usage, "a model is given, but no agent that has an option for it").WithHint("write it into the command, or give --agent NAME")
	case a.Permissions != "":
		return wire.Errorf(wire.Usage, "permissions are given, but no agent that has an option for them").
			WithHint("write them into the command, or give --agent NAME")
	case len(a.Args) > 0:
		return wire.Errorf(wire.Usage, "arguments are given, but no agent that takes them").WithHint("write them into the command")
	}
	return nil
}

// settleAgent turns the profile of a run into a command that stays the same for
// all of it. AgentEnv is that of the caller by now.
func (p *Plan) settleAgent(agents agent.Overrides) error {
	a := &p.Spec.Agent
	a.Argv, a.Prompt = nil, "" // these are nobody else's to set
	if a.Profile == "" {
		return nil
	}
	profile, err := agents.Find(a.Profile)
	if err != nil {
		return refused(err)
	}
	call, err := profile.Call(agent.Choice{
		Model: a.Model, Permissions: a.Permissions, Args: a.Args,
		Gates: gateCommands(p.Spec.Gates), Env: p.AgentEnv, Root: os.Geteuid() == 0,
	})
	if err != nil {
		return refused(err)
	}
	a.Model = cmp.Or(a.Model, agents[a.Profile].Model)
	a.Argv, a.Prompt, a.Permissions = call.Process(), string(call.Prompt), call.Permissions
	p.Agent, p.AgentCall = call, call.Env
	p.AgentEnv = agent.Without(p.AgentEnv, call.Env)
	return nil
}

// refused puts the fault of a profile into the terms of the wire.
func refused(err error) error {
	var e *agent.ProfileError
	if !errors.As(err, &e) {
		return err
	}
	return wire.Errorf(wire.Usage, "%s", e.Msg).WithHint("%s", e.Fix)
}

// gateCommands are the commands of the gates of a run.
func gateCommands(gates []wire.GateSpec) []string {
	var out []string
	for _, g := range gates {
		if g.Command != "" {
			out = append(out, g.Command)
		}
	}
	return out
}

// findAgent finds the program of the agent before anything begins.
func (p *Plan) findAgent() error {
	a := p.Spec.Agent
	if a.Script != "" {
		if _, err := agent.ParseScript([]byte(a.Script)); err != nil {
			return wire.Errorf(wire.Usage, "script: %v", err)
		}
		return nil
	}
	cmd, hint := agent.Command{Command: rule.Command{Text: a.Command}}, "give the agent as --agent-cmd CMD, or --agent NAME; apctl agent ls   lists them"
	if a.Profile != "" {
		cmd, hint = p.Agent.Command, "apctl agent check "+a.Profile+"   says how to get it"
	}
	if _, err := cmd.Resolve(value(p.AgentEnv, "PATH"), p.Repo.Workspace().Path); err != nil {
		return wire.Errorf(wire.Usage, "agent: %v", err).WithHint("%s", hint)
	}
	return nil
}

// AgentEnv is what an agent gets of the caller's environment: what the caller
// chose to send, without anything of ours, and without the markers of a session
// that the caller may be in.
func AgentEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(entry, "AUTOPILOT_") || strings.ContainsRune(entry, 0) || marker.Session(name)
	})
}
