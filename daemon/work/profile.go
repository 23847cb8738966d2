package work

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/marker"
	"autopilot/projections/rule"
)

// checkAgent refuses what cannot be an agent.
func checkAgent(spec wire.RunSpec) error {
	a, given := spec.Agent, 0
	for _, way := range []string{a.Command, a.Script, a.Profile} {
		if way != "" {
			given++
		}
	}
	switch {
	case given == 0 && !agentless(spec):
		return wire.Errorf(wire.Usage, "no agent is given").
			WithHint("apctl agent ls   lists those to give as --agent NAME\n--agent-cmd ./my-agent.sh   is any command of your own")
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
	a.Argv, a.Prompt, a.Shape, a.Account = nil, "", nil, "" // these are nobody else's to set
	if a.Profile == "" {
		if a.Script == "" && !agentless(p.Spec) {
			cmd := agent.Command{Command: rule.Command{Text: a.Command}}
			p.Account, a.Account = agent.CommandAccount(cmd, p.AgentEnv)
		}
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
	p.Agent, p.AgentCall, p.Shape = call, call.Env, call.Shape
	if a.Shape, err = json.Marshal(call.Shape); err != nil {
		return fmt.Errorf("store the shape of agent %s: %w", a.Profile, err)
	}
	p.Account, a.Account = agent.Account(profile, p.AgentEnv)
	p.AgentEnv = agent.Without(p.AgentEnv, call.Env)
	return nil
}

// shapeOf reads the shape of a run's calls. A run from before there were any has
// that of a profile's output alone.
func shapeOf(a wire.AgentSpec) (agent.Shape, error) {
	if len(a.Shape) == 0 {
		return agent.Shape{Stream: stream.Of(a.Profile)}, nil
	}
	var s agent.Shape
	if err := json.Unmarshal(a.Shape, &s); err != nil {
		return s, fmt.Errorf("read the shape of agent %s: %w", a.Profile, err)
	}
	return s, nil
}

// format is how the agent prints.
func (p *Plan) format() stream.Format { return cmp.Or(p.Shape.Stream, stream.Text) }

// Format is how the agent of a run prints: Text where that is not known.
func Format(a wire.AgentSpec) stream.Format {
	s, err := shapeOf(a)
	if err != nil {
		return stream.Text // the bytes can be shown without it
	}
	return cmp.Or(s.Stream, stream.Text)
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
	if agentless(p.Spec) {
		return nil
	}
	if a.Script != "" {
		if _, err := agent.ParseScript([]byte(a.Script)); err != nil {
			return wire.Errorf(wire.Usage, "script: %v", err)
		}
		return nil
	}
	cmd := agent.Command{Command: rule.Command{Text: a.Command}}
	if a.Profile != "" {
		cmd = p.Agent.Command
	}
	if _, err := cmd.Resolve(agent.Lookup(p.AgentEnv, "PATH"), p.Repo.Workspace().Path); err != nil {
		return wire.Errorf(wire.Usage, "agent: %v", err).WithHint("%s", p.agentHint(err))
	}
	return nil
}

// agentHint says how to get the agent that was not found.
func (p *Plan) agentHint(err error) string {
	if name := p.Spec.Agent.Profile; name != "" {
		return "apctl agent check " + name + "   says how to get it"
	}
	var missing *agent.NotFoundError
	if errors.As(err, &missing) {
		if info, err := os.Stat(missing.File); err == nil && info.Mode().IsRegular() {
			return "chmod +x " + explain.Quote(missing.File)
		}
		from := filepath.Join(p.Spec.From, missing.Word)
		if _, err := os.Lstat(from); err == nil && p.Spec.From != "" && strings.Contains(missing.Word, "/") {
			return "it is not committed, so the new work tree is without it; commit it, or give its whole path:\n--agent-cmd " + explain.Quote(from)
		}
	}
	return "--agent-cmd CMD   is any command, in the work tree or on PATH\napctl agent ls   lists those to give as --agent NAME"
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
