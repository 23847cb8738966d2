package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/chat"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/coord/peer"
	"autopilot/daemon/coord/session"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// Runs are the runs of the daemon.
type Runs interface {
	State(id string) (run.State, bool)
	// LiveStates are those that are going on. They are only read.
	LiveStates() []*run.State
	// Full says that a run waits for room on the disk.
	Full(id string) bool
	Do(ctx context.Context, id string, c engine.Command, actor, cause string) (run.State, error)
}

// Config is what hooks are answered with.
type Config struct {
	Chats    *chat.Chats
	Peers    *peer.Sessions
	Sessions *session.Drivers
	Claims   *claim.Service
	Runs     Runs
	Worker   *work.Worker
	Repos    *tree.Identities
	Writer   func(run.State) *wire.WriterView // the agent or chat in the work tree of a live run
	Text     func(events.Ref) string          // from the store, empty for a removed text
	Lines    func(events.Ref) []string        // from the store, none for a removed text
	// Lasting is a context that ends with the daemon and not with the caller.
	Lasting func(context.Context) (context.Context, func())
	// Wrote takes what is to be noted. The host does not wait for that.
	Wrote func(Written)
	State string // directory of the daemon, that no chat touches
	Home  string // of the user
}

// Service is where hooks are answered.
type Service struct {
	cfg     Config
	looking sync.Mutex // one look at what chats wrote at a time
}

// New answers hooks.
func New(c Config) *Service { return &Service{cfg: c} }

// Answer answers a hook of a chat's host. Whatever a chat that drives no run
// does is its own business: it gets no word but at its beginning.
//
// Source: session-orchestrator, seeds 3.10: hooks fail open, and the gates are
// what proves.
func (k *Service) Answer(ctx context.Context, q auth.Request, body wire.HookRequest) (wire.HookView, error) {
	who, err := k.cfg.Chats.Of(q)
	if err != nil {
		return wire.HookView{}, err
	}
	if body.Event != wire.HookEnds {
		k.cfg.Chats.Note(who, body.Session)
	}
	k.cfg.Peers.Hooked(ctx, who, body, q.ID)
	var text string
	switch body.Event {
	case wire.HookBegins:
		text, err = k.begins(ctx, who, body.Workspace)
		if mail := k.cfg.Peers.MailFor(who); err == nil && mail != "" {
			text = strings.Join(slices.DeleteFunc([]string{text, mail}, func(t string) bool { return t == "" }), "\n")
		}
	case wire.HookCalls:
		text, err = k.guards(ctx, who, body)
	case wire.HookCalled:
		k.called(who)
		k.wrote(who, body)
		err = k.cfg.Claims.Beats(ctx, who, false)
	case wire.HookStops:
		text, err = k.stops(ctx, who, body.Again)
	case wire.HookEnds:
		k.cfg.Chats.Forget(who)
		err = errors.Join(k.ends(ctx, who, q.ID), k.cfg.Claims.Beats(ctx, who, true))
	default:
		err = wire.Errorf(wire.Usage, "no event %.40q of a chat is known", string(body.Event))
	}
	return wire.HookView{Text: text}, err
}

// drivenBy are the live runs that a chat drives: itself, or from below it.
func (k *Service) drivenBy(who chat.Chat) []run.State {
	var out []run.State
	for _, s := range k.cfg.Runs.LiveStates() {
		if s.Driver != nil && who.Is(s.Driver.SessionJoined) {
			out = append(out, *s)
		}
	}
	return out
}

// begins tells a chat of the run of its work tree that a chat drives, if one
// is open.
func (k *Service) begins(ctx context.Context, who chat.Chat, dir string) (string, error) {
	s, err := k.cfg.Sessions.Driven(ctx, wire.RunRef{Workspace: dir})
	var known *wire.Error
	switch {
	case errors.As(err, &known) && s.Status == run.Live:
		return k.beside(s), nil
	case errors.As(err, &known): // there is none, or no work tree
		return "", nil
	case err != nil || s.Status == run.Over:
		return "", err
	case who.Drives(s):
		return explain.ChatDrives(s), nil
	case s.Driver != nil && !k.cfg.Chats.Gone(s.Driver.SessionJoined):
		return k.beside(s), nil
	}
	return explain.ChatMayJoin(s), nil
}

// called counts a use of a tool as a sign of life.
func (k *Service) called(who chat.Chat) {
	live := func(id string) bool {
		s, ok := k.cfg.Runs.State(id)
		return ok && s.Status == run.Live
	}
	for _, s := range k.drivenBy(who) {
		if s.Stage == run.Agent {
			k.cfg.Chats.Beat(s.ID, s.Last.Start.Effect, time.Now(), live)
		}
	}
}

// stops says what a chat owes that is about to finish. It is held once at each
// point of a run, so it cannot be held for ever.
func (k *Service) stops(ctx context.Context, who chat.Chat, again bool) (string, error) {
	for _, s := range k.drivenBy(who) {
		if !who.Drives(s) || !k.wants(s) {
			continue
		}
		point := fmt.Sprintf("%s/%s/%s", s.ID, s.Last.Start.Effect, s.Stage)
		if !k.cfg.Chats.Holds(who, point, again) {
			continue
		}
		if s.Stage != run.Agent {
			return explain.ChatAwaits(s, session.WaitsFor(s)), nil
		}
		w, err := k.cfg.Worker.ChatWork(ctx, s)
		if err != nil {
			return "", err
		}
		return explain.ChatOwes(s, *w), nil
	}
	return "", nil
}

// wants says that a run of a chat wants its work, or is about to: it waits for no
// person and no limit, and was not told to stop.
func (k *Service) wants(s run.State) bool {
	if s.Stop != "" || s.Log.Broken != 0 || k.cfg.Runs.Full(s.ID) {
		return false
	}
	switch session.WaitsFor(s) {
	case "", "gates", "looking":
		return true
	case "deciding":
		ctx, done := k.cfg.Lasting(context.Background())
		defer done()
		flow, err := k.cfg.Worker.Flow(ctx, s)
		if err != nil {
			return false
		}
		w, waits := engine.Next(s, flow, time.Now()).(engine.Wait)
		return !waits || w.Until.IsZero()
	}
	return false
}

// ends lets a chat leave its runs as its host ends it.
func (k *Service) ends(ctx context.Context, who chat.Chat, id string) error {
	var all []error
	ctx, done := k.cfg.Lasting(ctx) // the host may not wait for it
	defer done()
	for _, s := range k.drivenBy(who) {
		if who.Drives(s) {
			_, err := k.cfg.Runs.Do(ctx, s.ID, engine.Leave{SessionJoined: s.Driver.SessionJoined}, s.Driver.By, id)
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// beside tells a chat that begins in the work tree of a live run who works there.
func (k *Service) beside(s run.State) string {
	return explain.ChatBeside(*k.cfg.Writer(s), time.Now())
}
