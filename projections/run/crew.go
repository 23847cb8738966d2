package run

import (
	"cmp"
	"maps"
	"slices"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Worker is an agent that works in a phase, or looks for a role. The run's own
// agent has neither a name nor a level; one that nobody is is the zero value.
type Worker struct {
	Role    events.Name // whose crew it is of; empty for the run's own agent
	Agent   events.Name // profile
	Level   int         // in the crew, from 1
	Account string      // id of the account that it works on
}

// Worker is who works in the present phase.
func (s State) Worker() Worker { return s.WorkerIn(s.Loop.Phase) }

// WorkerIn is who works in a phase now: nobody, where its gates alone look, or
// where a chat does the work.
func (s State) WorkerIn(phase events.Name) Worker {
	if s.Driven() || slices.Contains(s.Facts.Idle, phase) {
		return Worker{}
	}
	for _, c := range s.Facts.Crews {
		if slices.Contains(c.Phases, phase) {
			return s.hand(c)
		}
	}
	return Worker{Account: s.Facts.Account}
}

// Looker is who looks for a role now.
func (s State) Looker(role events.Name) Worker {
	for _, c := range s.Facts.Crews {
		if c.Role == role {
			return s.hand(c)
		}
	}
	return Worker{Account: s.Facts.Account}
}

func (s State) hand(c events.Crew) Worker {
	level := min(max(s.Loop.Levels[c.Role], 1), len(c.Hands))
	if level == 0 {
		return Worker{Role: c.Role, Account: s.Facts.Account} // no run is stored so
	}
	h := c.Hands[level-1]
	return Worker{Role: c.Role, Agent: h.Agent, Level: level, Account: h.Account}
}

// Hand names the agent of a role at a level; empty where there is none.
func Hand(crews []events.Crew, role events.Name, level int) events.Name {
	for _, c := range crews {
		if c.Role == role && level > 0 && level <= len(c.Hands) {
			return c.Hands[level-1].Agent
		}
	}
	return ""
}

// Higher says that another agent would go on where this one did not get on.
func (s State) Higher(w Worker) bool {
	return slices.ContainsFunc(s.Facts.Crews, func(c events.Crew) bool { return c.Role == w.Role && w.Level < len(c.Hands) })
}

// SessionAccount is the account of the latest session that was announced.
func (s State) SessionAccount() string { return s.AccountOf(s.Last.Session) }

// AccountOf is the account that a session works on.
func (s State) AccountOf(l events.IterationStarted) string { return cmp.Or(l.Account, s.Facts.Account) }

// Uses says that agents of the run may work on an account.
func (s State) Uses(account string) bool {
	return s.Facts.Account == account || slices.ContainsFunc(s.Facts.Crews, func(c events.Crew) bool {
		return slices.ContainsFunc(c.Hands, func(h events.Hand) bool { return h.Account == account })
	})
}

// Accounts are all that agents of the run may work on, the run's own first.
func (s State) Accounts() []string {
	var out []string
	if s.Facts.Account != "" {
		out = append(out, s.Facts.Account)
	}
	for _, c := range s.Facts.Crews {
		for _, h := range c.Hands {
			if !slices.Contains(out, h.Account) {
				out = append(out, h.Account)
			}
		}
	}
	return out
}

// escalated hands the work of a role to its next agent, for good. What rails
// compare begins anew, wherever the role works: it was the other agent's.
//
// Source: atdd-kit, seeds 3.5 and lesson A27.
func escalated(s State, d events.AgentEscalated) State {
	levels := maps.Clone(s.Loop.Levels)
	if levels == nil {
		levels = map[events.Name]int{}
	}
	levels[d.Role] = d.To
	s.Loop.Levels, s.Loop.Raised = levels, d.Role
	s.Loop.Spent, s.Loop.Losses, s.Loop.Noops, s.Loop.Hung, s.Loop.Plans = 0, 0, 0, 0, nil
	if d.Reason == events.HaltCycles {
		s.Loop.Entered.Cycle = 0
	}
	left := maps.Clone(s.Loop.Left)
	for _, c := range s.Facts.Crews {
		if c.Role != d.Role {
			continue
		}
		for _, phase := range c.Phases {
			delete(left, phase)
		}
	}
	s.Loop.Left, s.Loop.History = left, rule.NewHistory(keepFails, keepFails)
	return s
}

// begins has a role begin with the agent that an earlier run about the same issue had
// come to: an escalation is one way for an issue.
//
// Source: atdd-kit, seeds 3.4 and lesson A27.
func (s State) begins(c events.Crew) State {
	levels := maps.Clone(s.Loop.Levels)
	if levels == nil {
		levels = map[events.Name]int{}
	}
	levels[c.Role] = c.Level
	s.Loop.Levels = levels
	return s
}

// Raised is the agent that a role has come to by an escalation, in this run or in one
// before it about the same issue; empty for none.
func (s State) Raised(role events.Name) events.Name {
	if s.Loop.Levels[role] < 2 {
		return ""
	}
	return Hand(s.Facts.Crews, role, s.Loop.Levels[role])
}
