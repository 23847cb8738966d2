package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/chat"
	"autopilot/daemon/engine"
	"autopilot/daemon/session"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// sessionHook answers a hook of a chat's host. Whatever a chat that drives no run
// does is its own business: it gets no word but at its beginning.
//
// Source: session-orchestrator, seeds 3.10: hooks fail open, and the gates are
// what proves.
func (d *Daemon) sessionHook(ctx context.Context, q bus.Request, body wire.HookRequest) (wire.HookView, error) {
	who, err := d.chats.Of(q)
	if err != nil {
		return wire.HookView{}, err
	}
	if body.Event != wire.HookEnds {
		d.chats.Note(who, body.Session)
	}
	d.peers.Hooked(ctx, who, body, q.ID)
	var text string
	switch body.Event {
	case wire.HookBegins:
		text, err = d.hookBegins(ctx, who, body.Workspace)
		if mail := d.peers.MailFor(who); err == nil && mail != "" {
			text = strings.Join(slices.DeleteFunc([]string{text, mail}, func(t string) bool { return t == "" }), "\n")
		}
	case wire.HookCalls:
		text, err = d.hookCalls(ctx, who, body)
	case wire.HookCalled:
		d.hookCalled(who)
		d.hookForeign(who, body)
		err = d.claims.Beats(ctx, who, false)
	case wire.HookStops:
		text, err = d.hookStops(ctx, who, body.Again)
	case wire.HookEnds:
		d.chats.Forget(who)
		err = errors.Join(d.hookEnds(ctx, who, q.ID), d.claims.Beats(ctx, who, true))
	default:
		err = wire.Errorf(wire.Usage, "no event %.40q of a chat is known", string(body.Event))
	}
	return wire.HookView{Text: text}, err
}

// drivenBy are the live runs that a chat drives: itself, or from below it.
func (d *Daemon) drivenBy(who chat.Chat) []run.State {
	var out []run.State
	for _, s := range d.fleet.LiveStates() {
		if s.Driver != nil && who.Is(s.Driver.SessionJoined) {
			out = append(out, *s)
		}
	}
	return out
}

// hookBegins tells a chat of the run of its work tree that a chat drives, if one
// is open.
func (d *Daemon) hookBegins(ctx context.Context, who chat.Chat, dir string) (string, error) {
	s, err := d.sessions.Driven(ctx, wire.RunRef{Workspace: dir})
	var known *wire.Error
	switch {
	case errors.As(err, &known) && s.Status == run.Live:
		return d.hookBeside(s), nil
	case errors.As(err, &known): // there is none, or no work tree
		return "", nil
	case err != nil || s.Status == run.Over:
		return "", err
	case who.Drives(s):
		return explain.ChatDrives(s), nil
	case s.Driver != nil && !d.chats.Gone(s.Driver.SessionJoined):
		return d.hookBeside(s), nil
	}
	return explain.ChatMayJoin(s), nil
}

// hookCalled counts a use of a tool as a sign of life.
func (d *Daemon) hookCalled(who chat.Chat) {
	live := func(id string) bool {
		s, ok := d.fleet.State(id)
		return ok && s.Status == run.Live
	}
	for _, s := range d.drivenBy(who) {
		if s.Stage == run.Agent {
			d.chats.Beat(s.ID, s.Last.Start.Effect, time.Now(), live)
		}
	}
}

// hookStops says what a chat owes that is about to finish. It is held once at each
// point of a run, so it cannot be held for ever.
func (d *Daemon) hookStops(ctx context.Context, who chat.Chat, again bool) (string, error) {
	for _, s := range d.drivenBy(who) {
		if !who.Drives(s) || !d.wants(s) {
			continue
		}
		point := fmt.Sprintf("%s/%s/%s", s.ID, s.Last.Start.Effect, s.Stage)
		if !d.chats.Holds(who, point, again) {
			continue
		}
		if s.Stage != run.Agent {
			return explain.ChatAwaits(s, session.WaitsFor(s)), nil
		}
		w, err := d.worker.ChatWork(ctx, s)
		if err != nil {
			return "", err
		}
		return explain.ChatOwes(s, *w), nil
	}
	return "", nil
}

// wants says that a run of a chat wants its work, or is about to: it waits for no
// person and no limit, and was not told to stop.
func (d *Daemon) wants(s run.State) bool {
	if s.Stop != "" || s.Log.Broken != 0 || d.fleet.Full(s.ID) {
		return false
	}
	switch session.WaitsFor(s) {
	case "", "gates", "looking":
		return true
	case "deciding":
		flow, err := d.worker.Flow(d.beside.ctx, s)
		if err != nil {
			return false
		}
		w, waits := engine.Next(s, flow, time.Now()).(engine.Wait)
		return !waits || w.Until.IsZero()
	}
	return false
}

// hookEnds lets a chat leave its runs as its host ends it.
func (d *Daemon) hookEnds(ctx context.Context, who chat.Chat, id string) error {
	var all []error
	ctx, done := d.lasting(ctx) // the host may not wait for it
	defer done()
	for _, s := range d.drivenBy(who) {
		if who.Drives(s) {
			_, err := d.fleet.Do(ctx, s.ID, engine.Leave{SessionJoined: s.Driver.SessionJoined}, s.Driver.By, id)
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
