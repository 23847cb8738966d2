package api

import (
	"cmp"
	"context"
	"slices"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/coord/session"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// rank keeps a run that a chat starts at normal priority or below: settings with a higher
// priority are for runs that people start.
func (a *Runs) rank(q auth.Request, typed string, c *configured) error {
	p, ok := events.ParsePriority(c.Order.Priority)
	if !ok || p <= events.PriorityNormal || !a.Chats.Behind(q) {
		return nil // the spec check refuses an unknown priority later
	}
	if typed != "" {
		return wire.Errorf(wire.Denied, "a run that a chat starts has normal priority, or low").WithHint("leave --priority out")
	}
	c.Order.Priority = events.PriorityNormal.String()
	c.Used = slices.DeleteFunc(c.Used, func(v wire.ConfigValue) bool { return v.Key == "priority" })
	return nil
}

// checkGit refuses git permissions of a chat beyond those of the settings.
func (a *Runs) checkGit(q auth.Request, body wire.StartRequest) error {
	typed := body.Spec.Git
	loose := typed.Push == events.GitAllow || typed.History == events.GitAny || body.Settings["git.push"] != "" || body.Settings["git.history"] != ""
	if loose && a.Chats.Behind(q) {
		return wire.Errorf(wire.Denied, "a chat cannot loosen the git settings").
			WithHint("leave out --git-push allow, --git-history any and the variables AUTOPILOT_GIT_PUSH and AUTOPILOT_GIT_HISTORY")
	}
	return nil
}

// ofChat limits the request of a chat to what the settings allow.
func (a *Runs) ofChat(q auth.Request, body wire.StartRequest, c *configured) error {
	if a.Chats.Behind(q) {
		c.Order.Trusted = &c.Trusted
		c.Order.Spec.Timeouts = config.Kept(stored.Timeouts(body.Spec.Timeouts), c.Order.Spec.Timeouts, c.Trusted, body.Settings)
	}
	return cmp.Or(a.rank(q, body.Spec.Priority, c), a.checkInputs(q, *c), a.checkGit(q, body))
}

// checkInputs keeps a chat from replacing gate commands of the settings: a chat may add
// gates, and remove none.
func (a *Runs) checkInputs(q auth.Request, c configured) error {
	for name, value := range c.Order.Spec.Inputs {
		if value == workflow.NotApplicable && a.Chats.Behind(q) {
			return wire.Errorf(wire.Denied, "input %s: only a person or the configuration can say that a check does not apply", name).
				WithHint("a person writes in .autopilot/config.yaml   inputs: {%s: %s}", name, value)
		}
		if _, set := c.Order.Inputs[name]; set && a.Chats.Behind(q) {
			return wire.Errorf(wire.Denied, "the project sets the input %s; a chat cannot change it", name).
				WithHint("leave --input %s out", name)
		}
	}
	return nil
}

// OfChats returns the verbs about runs for chats that drive a run.
func (a *API) OfChats() session.Verbs { return chatRuns{a} }

type chatRuns struct{ a *API }

func (v chatRuns) Find(ctx context.Context, ref wire.RunRef) (run.State, error) {
	return v.a.Find(ctx, ref)
}

func (v chatRuns) Start(ctx context.Context, q auth.Request, body wire.StartRequest) (wire.RunView, error) {
	view, err := v.a.RunStart(ctx, q, body)
	return view, asJoin(err)
}

func (v chatRuns) View(s run.State) wire.RunView {
	view := v.a.View(s)
	if view.Question != nil {
		view.Question = v.a.QuestionView(s, chatBytes)
	}
	return view
}

func (v chatRuns) Asks(s run.State, number int) error { return v.a.Asks(s, number) }

func (v chatRuns) Answerable(s run.State, body wire.AnswerRequest) error {
	body, err := v.a.shownToChat(s, body)
	if err != nil {
		return err
	}
	return v.a.answerable(s, body)
}

func (v chatRuns) Answer(ctx context.Context, s run.State, body wire.AnswerRequest, actor, cause string) (wire.RunView, error) {
	body, err := v.a.shownToChat(s, body)
	if err != nil {
		return wire.RunView{}, err
	}
	return v.a.takeAnswer(ctx, s, body, given{events.AssuredSession, actor, cause})
}

func (v chatRuns) Besides(s run.State) error { return asJoin(v.a.Besides(s)) }

func (v chatRuns) Fault(verb, handle string, err error) error { return aboutRun(verb, handle, err) }
