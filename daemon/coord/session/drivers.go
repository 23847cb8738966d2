package session

import (
	"context"
	"log/slog"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/chat"
	"autopilot/daemon/coord/peer"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// Runs are the runs of the daemon.
type Runs interface {
	State(id string) (run.State, bool)
	Heads() []snapshot.Head // the newest first
	Read(h snapshot.Head) (run.State, error)
	// Wait is closed when a run has changed.
	Wait() <-chan struct{}
	Do(ctx context.Context, id string, c engine.Command, actor, cause string) (run.State, error)
}

// Verbs are what the daemon answers of any run, whoever works for it.
type Verbs interface {
	Find(ctx context.Context, ref wire.RunRef) (run.State, error)
	// Start begins a run. Its refusals name the commands of sessions.
	Start(ctx context.Context, q auth.Request, body wire.StartRequest) (wire.RunView, error)
	View(s run.State) wire.RunView
	// Asks is nil if a run waits with that question, Answerable if that answer can be one.
	Asks(s run.State, number int) error
	Answerable(s run.State, body wire.AnswerRequest) error
	// Answer stores what a chat has answered.
	Answer(ctx context.Context, s run.State, body wire.AnswerRequest, actor, cause string) (wire.RunView, error)
	// Besides tells who comes into the work tree of a live run who works there.
	Besides(s run.State) error
	// Fault names the run in an error, and in the commands that it hints at.
	Fault(verb, handle string, err error) error
}

// Config is what chats drive runs with.
type Config struct {
	Chats  *chat.Chats
	Peers  *peer.Sessions
	Runs   Runs
	Verbs  Verbs
	Worker *work.Worker
	Text   func(events.Ref) string // of the store, empty for one that is gone
	// Lasting is a context that ends with the daemon and not with the caller.
	Lasting func(context.Context) (context.Context, func())
	Log     *slog.Logger
}

// Drivers are the chats that drive runs.
type Drivers struct{ cfg Config }

// New lets chats drive runs.
func New(c Config) *Drivers { return &Drivers{c} }

// drives is the caller, if that is the chat that drives the run.
func (k *Drivers) drives(q auth.Request, s run.State) (chat.Chat, error) {
	who, err := k.cfg.Chats.Of(q)
	switch {
	case err != nil:
		return who, err
	case s.Driver == nil:
		return who, wire.Errorf(wire.Denied, "no chat drives run %s, and the caller has not joined it", s.Facts.Handle).
			WithHint("apctl session join %s", s.Facts.Handle)
	case !who.Is(s.Driver.SessionJoined):
		return who, k.othersRun(s)
	}
	who.Actor = s.Driver.By
	return who, nil
}

// othersRun says who drives a run.
func (k *Drivers) othersRun(s run.State) error {
	by, h := s.Driver, s.Facts.Handle
	if k.cfg.Chats.Gone(by.SessionJoined) {
		return wire.Errorf(wire.Denied, "run %s was driven by %s, process %d, which has ended; the caller has not joined", h, explain.Chat(events.English, by.Program), by.PID).
			WithHint("apctl session join %s", h)
	}
	return wire.Errorf(wire.Conflict, "run %s is driven by %s, process %d, since %s", h, explain.Chat(events.English, by.Program), by.PID, by.Since.UTC().Format(time.RFC3339)).
		WithHint("it leaves with apctl session leave, or when its process ends; apctl watch %s   follows it", h)
}

// Driver is the chat that drives a run.
func (k *Drivers) Driver(s run.State, live bool) *wire.DriverView {
	if !s.Driven() {
		return nil
	}
	v := &wire.DriverView{Kind: string(events.DriverSession)}
	if by := s.Driver; by != nil {
		since := by.Since
		v.Program, v.PID, v.Since = string(by.Program), by.PID, &since
		if live {
			v.Gone = k.cfg.Chats.Gone(by.SessionJoined)
			v.Session = k.cfg.Chats.Session(by.SessionJoined)
		}
	}
	return v
}

// Nested refuses a start by a chat that drives another run in that workspace:
// one that is halted does not hold it.
func (k *Drivers) Nested(q auth.Request, project string) error {
	var who *chat.Chat
	for _, h := range k.cfg.Runs.Heads() {
		if h.Project != project || h.Status != run.Halted {
			continue
		}
		s, ok := k.cfg.Runs.State(h.ID)
		if !ok || s.Driver == nil {
			continue
		}
		if who == nil {
			c, err := k.cfg.Chats.Of(q)
			if err != nil {
				return nil //nolint:nilerr // who cannot be told apart drives nothing
			}
			who = &c
		}
		if who.Is(s.Driver.SessionJoined) {
			return wire.Errorf(wire.Conflict, "the caller drives run %s in this workspace, so it starts no other", h.Handle).
				WithHint("apctl session leave %s, or apctl cancel %s", h.Handle, h.Handle)
		}
	}
	return nil
}
