package work

import (
	"cmp"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/wire"
)

// DayLimit is a limit of a calendar day on the agents of a run.
type DayLimit struct {
	Kind    events.Limit
	Setting string // the setting
	File    string // the file that has the setting
}

// CheckBudget refuses a run with usage limits that its agent does not report on: a limit
// without effect is worse than none. The error is a *wire.Error.
func (w *Worker) CheckBudget(q order.Order, flow workflow.Workflow, agents agent.Overrides, day []DayLimit) error {
	if err := checkAgent(q.Spec, flow); err != nil {
		return err
	}
	if flow.Series.On() {
		q.MaxTokens = 0 // its sessions count for themselves
	}
	if q.Spec.Driver == events.DriverSession && (q.MaxMicroUSD > 0 || q.MaxTokens > 0 || q.MaxTurns > 0) {
		return wire.Errorf(wire.Usage, "a limit on dollars, tokens or turns needs usage figures, and a chat reports none").
			WithHint("leave it out: --for and --max-iterations limit every run")
	}
	p := &Plan{Spec: q.Spec, Flow: flow, Secret: Secret{AgentEnv: AgentEnv(q.Env)}}
	if err := p.hire(agents); err != nil {
		return err
	}
	for _, h := range p.agents() {
		if err := w.checkAgentBudget(q, h, day); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) checkAgentBudget(q order.Order, h *member, day []DayLimit) error {
	if h.Spec.Script != "" {
		return nil // it uses no tokens
	}
	tells := w.tells(h)
	for _, own := range []struct {
		asked bool
		kind  events.Limit
		flag  string
	}{
		{q.MaxMicroUSD > 0, events.LimitDayCost, "--max-usd"},
		{q.MaxTokens > 0, events.LimitDayTokens, "--max-tokens"},
		{q.MaxTurns > 0, events.LimitDayTurns, "--max-turns"},
	} {
		if own.asked && !tells[own.kind] {
			return h.mute(own.kind, own.flag).WithHint("%s", h.toTell(own.kind, "leave it out: --for and --max-iterations limit every agent"))
		}
	}
	for _, d := range day {
		if !tells[d.Kind] {
			return h.mute(d.Kind, d.Setting).WithHint("%s", h.toTell(d.Kind, "take "+d.Setting+" out of "+d.File))
		}
	}
	return nil
}

// tells lists the kinds of usage that an agent reports, or that a price table can
// compute. If the model is still unknown, the agent's word for it may have a price.
func (w *Worker) tells(h *member) map[events.Limit]bool {
	r, format := h.Shape.Reports, h.format()
	cost := r.Cost
	if !cost && r.Tokens {
		model := h.Spec.Model
		cost = w.cfg.Priced != nil && (model != "" && w.cfg.Priced(model) || model == "" && format.NamesModel())
	}
	return map[events.Limit]bool{
		events.LimitDayCost: cost, events.LimitDayTokens: r.Tokens,
		events.LimitDayTurns: format != stream.Text || len(h.Shape.MaxTurns) > 0, events.LimitDayHours: true,
	}
}

// mute refuses a limit that the agent does not report on.
func (h *member) mute(kind events.Limit, limit string) *wire.Error {
	what := "what it costs"
	switch kind {
	case events.LimitDayTokens:
		what = "how many tokens it uses"
	case events.LimitDayTurns:
		what = "how many turns it takes"
	case events.LimitDayCost, events.LimitDayHours, events.LimitRate, events.LimitOverload, events.LimitNetwork, events.LimitSlots, events.LimitResources:
	}
	if kind == events.LimitDayCost && h.Shape.Reports.Tokens {
		what += ", and the price of " + cmp.Or(h.Spec.Model, "a model that it does not name") + " is not known"
	}
	return wire.Errorf(wire.Usage, "%s cannot be enforced: %s does not report %s", limit, h.who(), what)
}

// toTell says how to make the agent report it, and names the alternative.
func (h *member) toTell(kind events.Limit, other string) string {
	switch {
	case kind == events.LimitDayCost && h.Shape.Reports.Tokens && h.Spec.Model != "":
		return other + "\nor set prices of " + h.Spec.Model + " in your own configuration: docs/limits.md"
	case kind == events.LimitDayCost && h.Shape.Reports.Tokens && h.role != "":
		return other + "\nor name its model: agents." + h.Spec.Profile + ".model in the configuration, docs/limits.md"
	case kind == events.LimitDayCost && h.Shape.Reports.Tokens:
		return other + "\nor name the model with --model: docs/limits.md"
	case kind != events.LimitDayTurns && (h.Spec.Profile == "" || h.format() == stream.Text):
		return other + "\nor make it a profile that reports its usage: agents.NAME.reports, docs/agents.md"
	}
	return other + "\nor choose an agent that reports it: docs/agents.md"
}

// over says that usage reached a limit beyond those of the agent itself.
func (w *Worker) over(run, effect string, u events.Usage) events.Cut {
	if w.cfg.Over == nil {
		return ""
	}
	return w.cfg.Over(run, effect, u)
}

// price is the cost of tokens. Where the program names no model, the requested one
// counts.
func (t *turn) price(model string, u stream.Usage) (microUSD int64, date string, ok bool) {
	if t.w.cfg.Price == nil {
		return 0, "", false
	}
	return t.w.cfg.Price(cmp.Or(model, t.by.Spec.Model), u)
}

// used is the usage of the agent for an event. A script has no model.
func (t *turn) used(told events.Usage) events.Usage {
	if t.by.Spec.Script != "" {
		return events.Usage{TokensFrom: events.Guessed, CostFrom: events.Guessed}
	}
	return told
}
