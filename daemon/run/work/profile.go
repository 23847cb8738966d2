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
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/marker"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
)

// given says that the spec names an agent.
func given(a stored.Agent) bool { return a.Command != "" || a.Script != "" || a.Profile != "" }

// checkAgent refuses an invalid agent, and a run that lacks the agent it needs.
func checkAgent(spec stored.Spec, flow workflow.Workflow) error {
	a, ways := spec.Agent, 0
	for _, way := range []string{a.Command, a.Script, a.Profile} {
		if way != "" {
			ways++
		}
	}
	switch {
	case ways == 0:
		return checkNoAgent(spec, flow)
	case ways > 1:
		return wire.Errorf(wire.Usage, "more than one agent is given").
			WithHint("give one of --agent NAME, --agent-cmd CMD and --script FILE")
	case a.Profile != "":
		return nil
	case a.Model != "":
		return wire.Errorf(wire.Usage, "a model is given, but the agent has no option for it").WithHint("write it into the command, or give --agent NAME")
	case a.Permissions != "":
		return wire.Errorf(wire.Usage, "permissions are given, but the agent has no option for them").
			WithHint("write them into the command, or give --agent NAME")
	case len(a.Args) > 0:
		return wire.Errorf(wire.Usage, "arguments are given, but the agent takes none").WithHint("write them into the command")
	}
	return nil
}

// checkNoAgent refuses a run without its own agent where the workflow names none for a
// phase or a look.
func checkNoAgent(spec stored.Spec, flow workflow.Workflow) error {
	phase, gate := ownWork(flow, spec.Driver)
	const hint = "apctl agent ls   lists those to give as --agent NAME\n--agent-cmd ./my-agent.sh   is any command of your own"
	switch {
	case phase == "" && gate == "":
		return nil
	case spec.Driver == events.DriverSession:
		return wire.Errorf(wire.Usage, "workflow %s: gate %s needs a reviewer, and no agent is given", flow.Name, gate).
			WithHint("add --agent NAME: autopilot starts it for each look, read-only")
	case len(crews(flow, spec.Driver)) == 0:
		return wire.Errorf(wire.Usage, "no agent is given").WithHint(hint)
	}
	where := "gate " + gate
	if phase != "" {
		where = "phase " + phase
	}
	return wire.Errorf(wire.Usage, "no agent is given, and workflow %s names none for %s", flow.Name, where).WithHint(hint)
}

// settle turns an agent into a command that stays the same for the whole run. AgentEnv is
// already the caller's.
func (p *Plan) settle(a stored.Agent, agents agent.Overrides) (*member, error) {
	h := &member{Spec: a}
	if a.Profile == "" {
		if a.Command != "" {
			cmd := agent.Command{Command: rule.Command{Text: a.Command}}
			h.account, h.Spec.Account = agent.CommandAccount(cmd, p.AgentEnv, p.site())
		}
		return h, nil
	}
	profile, err := agents.Find(a.Profile)
	if err != nil {
		return nil, refused(err)
	}
	h.call, err = profile.Call(agent.Choice{
		Model: a.Model, Permissions: a.Permissions, Args: a.Args,
		Gates: gateCommands(p.Spec.Gates), Env: p.AgentEnv, Root: os.Geteuid() == 0,
	})
	if err != nil {
		return nil, refused(err)
	}
	h.Shape = h.call.Shape
	h.Spec.Model = cmp.Or(a.Model, agents[a.Profile].Model)
	h.Spec.Argv, h.Spec.Prompt, h.Spec.Permissions = h.call.Process(), string(h.call.Prompt), h.call.Permissions
	if h.Spec.Shape, err = json.Marshal(h.call.Shape); err != nil {
		return nil, fmt.Errorf("store the shape of agent %s: %w", a.Profile, err)
	}
	h.account, h.Spec.Account = agent.Account(profile, p.AgentEnv, p.site())
	return h, nil
}

// site is where the commands of the run work. A repository that cannot be found out
// counts as its work tree.
func (p *Plan) site() agent.Site {
	if p.Repo == nil {
		return agent.Site{}
	}
	ws := p.Repo.Workspace()
	id, err := ws.Repository()
	if err != nil {
		id = ws.Path
	}
	return agent.Site{Dir: ws.Path, Repository: id}
}

// shapeOf reads the shape of an agent's calls; a command or script has none.
func shapeOf(a stored.Agent) (agent.Shape, error) {
	if len(a.Shape) == 0 {
		return agent.Shape{}, nil
	}
	var s agent.Shape
	if err := json.Unmarshal(a.Shape, &s); err != nil {
		return s, fmt.Errorf("read the shape of agent %s: %w", a.Profile, err)
	}
	return s, nil
}

// Format is the output format of a run's agent: Text if unknown.
func Format(a stored.Agent) stream.Format {
	s, err := shapeOf(a)
	if err != nil {
		return stream.Text // Text shows the bytes as they are
	}
	return cmp.Or(s.Stream, stream.Text)
}

// refused translates the fault of a profile for the wire.
func refused(err error) error {
	var e *agent.ProfileError
	if !errors.As(err, &e) {
		return err
	}
	return wire.Errorf(wire.Usage, "%s", e.Msg).WithHint("%s", e.Fix)
}

// gateCommands lists the commands of the gates of a run.
func gateCommands(gates []stored.Gate) []string {
	var out []string
	for _, g := range gates {
		if g.Command != "" {
			out = append(out, g.Command)
		}
	}
	return out
}

// findAgents finds the programs of all agents before the run begins.
func (p *Plan) findAgents() error {
	for _, h := range p.agents() {
		if err := p.findAgent(h); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) findAgent(h *member) error {
	if h.Spec.Script != "" {
		if _, err := agent.ParseScript([]byte(h.Spec.Script)); err != nil {
			return wire.Errorf(wire.Usage, "script: %v", err)
		}
		return nil
	}
	cmd := agent.Command{Command: rule.Command{Text: h.Spec.Command}}
	if h.Spec.Profile != "" {
		cmd = h.call.Command
	}
	env, _ := p.env(h)
	if _, err := cmd.Resolve(agent.Lookup(env, "PATH"), p.Repo.Workspace().Path); err != nil {
		who := "agent"
		if h.role != "" {
			who = h.who()
		}
		return wire.Errorf(wire.Usage, "%s: %v", who, err).WithHint("%s", p.agentHint(h, err))
	}
	return nil
}

// agentHint says how to install a missing agent.
func (p *Plan) agentHint(h *member, err error) string {
	if name := h.Spec.Profile; name != "" {
		return "apctl agent check " + name + "   shows how to install it"
	}
	var missing *agent.NotFoundError
	if errors.As(err, &missing) {
		if info, err := os.Stat(missing.File); err == nil && info.Mode().IsRegular() {
			return "chmod +x " + phrase.Quote(missing.File)
		}
		from := filepath.Join(p.Spec.From, missing.Word)
		if _, err := os.Lstat(from); err == nil && p.Spec.From != "" && strings.Contains(missing.Word, "/") {
			return "it is not committed, so the new work tree lacks it; commit it, or give its absolute path:\n--agent-cmd " + phrase.Quote(from)
		}
	}
	return "--agent-cmd CMD   is any command, in the work tree or on PATH\napctl agent ls   lists those to give as --agent NAME"
}

// AgentEnv is the part of the caller's environment for an agent. It has the variables
// that the caller sent, without autopilot's own and the markers of the caller's session, and
// without the code that this session loads into programs. Settings of the agent may name
// such variables.
func AgentEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(marker.WithoutCode(env)), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(entry, "AUTOPILOT_") || strings.ContainsRune(entry, 0) || marker.Session(name) || marker.Repository(name)
	})
}
