package daemon

import (
	"context"

	"autopilot/daemon/run/session"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// newSessions lets chats drive runs.
func (d *Daemon) newSessions() *session.Drivers {
	return session.New(session.Config{
		Chats: d.chats, Peers: d.peers, Runs: d.fleet, Verbs: chatVerbs{d}, Worker: d.worker, Text: d.text,
		Lasting: d.lasting, Log: d.cfg.Log,
	})
}

// chatVerbs are the verbs about runs as chats use them that drive one.
type chatVerbs struct{ d *Daemon }

func (v chatVerbs) Find(ctx context.Context, ref wire.RunRef) (run.State, error) {
	return v.d.find(ctx, ref)
}

func (v chatVerbs) Start(ctx context.Context, q bus.Request, body wire.StartRequest) (wire.RunView, error) {
	view, err := v.d.runStart(ctx, q, body)
	return view, asJoin(err)
}

func (v chatVerbs) View(s run.State) wire.RunView {
	view := v.d.view(s)
	if view.Question != nil {
		view.Question = v.d.questionView(s, chatBytes)
	}
	return view
}

func (v chatVerbs) Asks(s run.State, number int) error { return v.d.asks(s, number) }

func (v chatVerbs) Answerable(s run.State, body wire.AnswerRequest) error {
	body, err := v.d.shownToChat(s, body)
	if err != nil {
		return err
	}
	return v.d.answerable(s, body)
}

func (v chatVerbs) Answer(ctx context.Context, s run.State, body wire.AnswerRequest, actor, cause string) (wire.RunView, error) {
	body, err := v.d.shownToChat(s, body)
	if err != nil {
		return wire.RunView{}, err
	}
	return v.d.takeAnswer(ctx, s, body, given{events.AssuredSession, actor, cause})
}

func (v chatVerbs) Besides(s run.State) error { return asJoin(v.d.besides(s)) }

func (v chatVerbs) Fault(verb, handle string, err error) error { return aboutRun(verb, handle, err) }
