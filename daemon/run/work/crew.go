package work

import (
	"cmp"
	"errors"
	"slices"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file finds the agents of a run: its own agent, and those that its workflow names
// for roles.

// member is one agent of a run, fixed for the whole run.
type member struct {
	Spec    stored.Agent
	Shape   agent.Shape
	call    agent.Call // of a profile, while the daemon prepares the run
	account string     // id, while the daemon prepares the run
	role    string     // its first role in the workflow; empty for the run's own agent
}

// format is the agent's output format.
func (h *member) format() stream.Format { return cmp.Or(h.Shape.Stream, stream.Text) }

// who names the agent in a message.
func (h *member) who() string {
	switch {
	case h.role != "":
		return "agent " + h.Spec.Profile + " of role " + h.role
	case h.Spec.Profile != "":
		return "agent " + h.Spec.Profile
	}
	return "the command"
}

// agent finds an agent by the name in a session's announcement.
func (p *Plan) agent(name events.Name) *member {
	if h, ok := p.Members[string(name)]; ok {
		return h
	}
	return p.Own
}

// env is the environment of an agent, and its profile's variables beside it.
func (p *Plan) env(h *member) (env, call []string) {
	call = p.AgentCall
	if h != p.Own {
		call = p.Calls[h.Spec.Profile]
	}
	return agent.Without(p.AgentEnv, call), call
}

// agents lists all agents that the run may need, its own first.
func (p *Plan) agents() []*member {
	var out []*member
	if given(p.Spec.Agent) {
		out = append(out, p.Own)
	}
	for _, a := range p.Spec.Crew {
		out = append(out, p.Members[a.Profile])
	}
	return out
}

// ofCrew returns the event members for the agent of a crew at work; all empty for the
// run's own agent.
func ofCrew(w run.Worker) (name events.Name, level int, account string) {
	if w.Level == 0 {
		return "", 0, ""
	}
	return w.Agent, w.Level, w.Account
}

// crew is a role with agents from the workflow, and its places of work.
type crew struct {
	name   string
	role   workflow.Role
	phases []events.Name
}

// crews lists the crews that the run needs. Where a chat does the work, they only look.
func crews(flow workflow.Workflow, driver events.Driver) []crew {
	var out []crew
	for _, e := range flow.Roles {
		c := crew{name: e.Key, role: e.Value}
		for _, ph := range flow.Phases {
			if ph.Works() && ph.Role == e.Key && driver == events.DriverDaemon {
				c.phases = append(c.phases, events.Name(ph.Name))
			}
		}
		if len(e.Value.Agents) > 0 && (len(c.phases) > 0 || lookedBy(flow, e.Key) != "") {
			out = append(out, c)
		}
	}
	return out
}

// lookedBy is the first gate of a role.
func lookedBy(flow workflow.Workflow, role string) string {
	for _, ph := range flow.Phases {
		for _, g := range slices.Concat(ph.Entry, ph.Gates) {
			if g.Kind.Facts().Looks && (g.Role == role || slices.Contains(g.Roles, role)) {
				return g.Name
			}
		}
	}
	return ""
}

// ownWork is the first place for the run's own agent, where the workflow names no other:
// a phase, else a gate. It is empty without such a place.
func ownWork(flow workflow.Workflow, driver events.Driver) (phase, gate string) {
	for _, ph := range flow.Phases {
		if r, _ := flow.Role(ph.Role); ph.Works() && len(r.Agents) == 0 && driver == events.DriverDaemon {
			return ph.Name, ""
		}
	}
	for _, e := range flow.Roles {
		if g := lookedBy(flow, e.Key); g != "" && len(e.Value.Agents) == 0 {
			return "", g
		}
	}
	return "", ""
}

// hire settles all agents of a run, so that later edits change nothing for it. It checks
// agents without work, and then leaves them out.
func (p *Plan) hire(agents agent.Overrides) error {
	own, err := p.settle(p.Spec.Agent, agents)
	if err != nil {
		return err
	}
	if phase, gate := ownWork(p.Flow, p.Spec.Driver); phase == "" && gate == "" {
		own = &member{}
	}
	p.Own, p.Spec.Agent, p.AgentCall = own, own.Spec, own.call.Env
	p.Spec.Crew, p.Members, p.Calls = nil, map[string]*member{}, map[string][]string{}
	for _, c := range crews(p.Flow, p.Spec.Driver) {
		for _, name := range c.role.Agents {
			if p.Members[name] != nil {
				continue
			}
			h, err := p.settle(stored.Agent{Profile: name}, agents)
			if err != nil {
				return ofRole(c.name, err)
			}
			h.role = c.name
			p.Members[name], p.Calls[name] = h, h.call.Env
			p.Spec.Crew = append(p.Spec.Crew, h.Spec)
		}
	}
	return nil
}

// ofRole adds the role to the error about its agent.
func ofRole(role string, err error) error {
	var e *wire.Error
	if errors.As(err, &e) {
		return wire.Errorf(e.Code, "role %s: %s", role, e.Message).WithHint("%s", e.Hint)
	}
	return err
}

// readMembers reads the agents of a started run.
func (p *Plan) readMembers() error {
	read := func(a stored.Agent) (*member, error) {
		shape, err := shapeOf(a)
		return &member{Spec: a, Shape: shape}, err
	}
	var err error
	if p.Own, err = read(p.Spec.Agent); err != nil {
		return err
	}
	p.Members = map[string]*member{}
	for _, a := range p.Spec.Crew {
		if p.Members[a.Profile], err = read(a); err != nil {
			return err
		}
	}
	return nil
}

// facts are the crews for the first event of the run, and the phases without an agent.
func (p *Plan) facts() (out []events.Crew, idle []events.Name) {
	for _, c := range crews(p.Flow, p.Spec.Driver) {
		f := events.Crew{Role: events.Name(c.name), Phases: c.phases}
		for _, name := range c.role.Agents {
			f.Hands = append(f.Hands, events.Hand{Agent: events.Name(name), Account: p.Members[name].account})
		}
		out = append(out, f)
	}
	for _, ph := range p.Flow.Phases {
		if !ph.Works() {
			idle = append(idle, events.Name(ph.Name))
		}
	}
	return out, idle
}

// envNames lists the names of an agent's variables.
func (p *Plan) envNames(h *member) []string {
	env, call := p.env(h)
	return envNames(slices.Concat(env, call))
}

// crewViews show the workflow's agents with their command lines.
func (w *Worker) crewViews(p *Plan, effect string) []wire.CrewView {
	var out []wire.CrewView
	for _, c := range crews(p.Flow, p.Spec.Driver) {
		v := wire.CrewView{Role: c.name, Agents: []wire.CrewAgent{}}
		for _, ph := range c.phases {
			v.Phases = append(v.Phases, string(ph))
		}
		for _, name := range c.role.Agents {
			h := p.Members[name]
			v.Agents = append(v.Agents, wire.CrewAgent{
				Agent: name, Account: h.Spec.Account, Permissions: h.call.Says, Env: p.envNames(h),
				Argv: w.command(h, events.IterationStarted{Effect: effect}).Process(),
			})
		}
		out = append(out, v)
	}
	return out
}

// AgentOf finds the agent of a run by the name in a session's announcement.
func AgentOf(spec stored.Spec, name events.Name) stored.Agent {
	for _, a := range spec.Crew {
		if name != "" && a.Profile == string(name) {
			return a
		}
	}
	return spec.Agent
}

// AccountLabel is the local name of a run's account.
func AccountLabel(s run.State, spec stored.Spec, account string) string {
	for _, c := range s.Facts.Crews {
		for _, h := range c.Hands {
			if h.Account == account {
				return AgentOf(spec, h.Agent).Account
			}
		}
	}
	return spec.Agent.Account
}
