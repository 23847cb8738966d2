package work

import (
	"cmp"
	"slices"
	"time"

	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/when"
)

// timeLimited lays the run's limits over those of its workflow. Lower limits of a phase
// or role stay.
func timeLimited(flow workflow.Workflow, t stored.Timeouts) workflow.Workflow {
	flow.Limits.Agent.Idle = limit(t.IdleMS, flow.Limits.Agent.Idle)
	flow.Limits.Agent.Wall = limit(t.AttemptMS, flow.Limits.Agent.Wall)
	flow.Limits.Gate.Wall = limit(t.GateMS, flow.Limits.Gate.Wall)
	if t.AttemptMS <= 0 {
		return flow
	}
	most := limit(t.AttemptMS, 0)
	flow.Phases, flow.Roles = slices.Clone(flow.Phases), slices.Clone(flow.Roles)
	for i := range flow.Phases {
		flow.Phases[i].Limits.Wall = min(flow.Phases[i].Limits.Wall, most)
	}
	for i := range flow.Roles {
		flow.Roles[i].Value.Wall = min(flow.Roles[i].Value.Wall, most)
	}
	return flow
}

// limit converts a limit in milliseconds, else returns otherwise; zero is none.
func limit(ms int64, otherwise time.Duration) time.Duration {
	switch {
	case ms > 0:
		return time.Duration(ms) * time.Millisecond
	case ms < 0:
		return 0
	}
	return otherwise
}

// limitMS is a limit in the form of events and views.
func limitMS(d time.Duration) int64 {
	return cmp.Or(d.Milliseconds(), when.Unlimited)
}

// timeouts are the limits in effect.
func timeouts(flow workflow.Workflow) stored.Timeouts {
	return stored.Timeouts{
		IdleMS: limitMS(flow.Limits.Agent.Idle), AttemptMS: limitMS(flow.Limits.Agent.Wall), GateMS: limitMS(flow.Limits.Gate.Wall),
	}
}

// Timeouts are those of a run, in the form of views.
func Timeouts(l events.Limits) stored.Timeouts {
	return stored.Timeouts{IdleMS: l.IdleMS, AttemptMS: l.AttemptMS, GateMS: l.GateMS}
}

// checkTimeouts refuses limits that would let a hung process go on forever. flow is the
// workflow without the run's limits.
func checkTimeouts(q order.Order, flow workflow.Workflow) error {
	t := q.Spec.Timeouts
	with := timeLimited(flow, t)
	switch {
	case t.GateMS < 0:
		return wire.Errorf(wire.Usage, "--gate-timeout off: a gate that hangs would hold the run for ever").WithHint("--gate-timeout 24h")
	case !flow.Series.On() && with.Limits.Agent.Idle == 0 && with.Limits.Agent.Wall == 0 && q.ForMS == 0 && q.UntilMS == 0:
		return wire.Errorf(wire.Usage, "neither --idle nor --iteration-timeout has a limit, so an agent that hangs would never end").
			WithHint("--iteration-timeout 24h, or an end of the run: --for, --until")
	case q.Trusted == nil:
		return nil
	}
	trusted := timeouts(timeLimited(flow, *q.Trusted))
	for _, l := range []struct {
		flag        string
		asked, most int64
	}{
		{"--idle", t.IdleMS, trusted.IdleMS},
		{"--iteration-timeout", t.AttemptMS, trusted.AttemptMS},
		{"--gate-timeout", t.GateMS, trusted.GateMS},
	} {
		if l.asked != 0 && stored.Higher(l.asked, l.most) {
			return wire.Errorf(wire.Denied, "a chat cannot raise %s from %s to %s; a person can raise it in the settings or at the start of the run", l.flag, when.LimitText(l.most), when.LimitText(l.asked)).
				WithHint("leave it out, or give %s or less", when.LimitText(l.most))
		}
	}
	return nil
}
