package daemon

import (
	"context"
	"slices"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/chat"
	"autopilot/daemon/person"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// newChats tells chats apart by the processes that the daemon sees now.
func (d *Daemon) newChats() *chat.Chats {
	return chat.New(chat.Config{
		People: func() person.Table { return d.people },
		Boot:   func() string { boot, _ := d.cfg.boot(); return boot },
		Host:   d.host,
		Heard:  func(c chat.Chat) { d.peers.Heard(c) },
	})
}

// rank keeps a run that a chat starts at normal priority, or below: settings that
// let runs go first are about those of people.
func (d *Daemon) rank(q bus.Request, typed string, c *configured) error {
	p, ok := events.ParsePriority(c.Request.Spec.Priority)
	if !ok || p <= events.PriorityNormal || !d.chats.Behind(q) {
		return nil // one that is not known is refused with all else
	}
	if typed != "" {
		return wire.Errorf(wire.Denied, "a run that a chat starts has normal priority, or low").WithHint("leave --priority out")
	}
	c.Request.Spec.Priority = events.PriorityNormal.String()
	c.Used = slices.DeleteFunc(c.Used, func(v wire.ConfigValue) bool { return v.Key == "priority" })
	return nil
}

// checkInputs keeps a chat from typing commands of gates where the settings have
// them: it may add gates, and take none away.
func (d *Daemon) checkInputs(q bus.Request, c configured) error {
	for name := range c.Request.Spec.Inputs {
		if _, set := c.Request.Inputs[name]; set && d.chats.Behind(q) {
			return wire.Errorf(wire.Denied, "the input %s is set for this project, and a chat cannot set it otherwise", name).
				WithHint("leave --input %s out", name)
		}
	}
	return nil
}

// drives is who asks, if that is the chat that drives the run.
func (d *Daemon) drives(q bus.Request, s run.State) (chat.Chat, error) {
	who, err := d.chats.Of(q)
	switch {
	case err != nil:
		return who, err
	case s.Driver == nil:
		return who, wire.Errorf(wire.Denied, "nobody drives run %s, and who asks has not joined", s.Facts.Handle).
			WithHint("apctl session join %s", s.Facts.Handle)
	case !who.Is(s.Driver.SessionJoined):
		return who, d.othersRun(s)
	}
	who.Actor = s.Driver.By
	return who, nil
}

// othersRun says who drives a run.
func (d *Daemon) othersRun(s run.State) error {
	by, h := s.Driver, s.Facts.Handle
	if d.chats.Gone(by.SessionJoined) {
		return wire.Errorf(wire.Denied, "run %s was driven by %s, process %d, which has ended; who asks has not joined", h, explain.Chat(events.English, by.Program), by.PID).
			WithHint("apctl session join %s", h)
	}
	return wire.Errorf(wire.Conflict, "run %s is driven by %s, process %d, since %s", h, explain.Chat(events.English, by.Program), by.PID, by.Since.UTC().Format(time.RFC3339)).
		WithHint("it leaves with apctl session leave, or when its process ends; apctl watch %s   follows it", h)
}

// driverView is the chat that drives a run.
func (d *Daemon) driverView(s run.State, live bool) *wire.DriverView {
	if !s.Driven() {
		return nil
	}
	v := &wire.DriverView{Kind: string(events.DriverSession)}
	if by := s.Driver; by != nil {
		v.Program, v.PID, v.Since = string(by.Program), by.PID, at(by.Since)
		if live {
			v.Gone = d.chats.Gone(by.SessionJoined)
			v.Session = d.chats.Session(by.SessionJoined)
		}
	}
	return v
}

// nested refuses a start by a chat that drives another run in that workspace:
// one that is halted does not hold it.
func (d *Daemon) nested(_ context.Context, q bus.Request, project string) error {
	var who *chat.Chat
	for _, h := range d.fleet.Heads() {
		if h.Project != project || h.Status != run.Halted {
			continue
		}
		s, ok := d.fleet.State(h.ID)
		if !ok || s.Driver == nil {
			continue
		}
		if who == nil {
			c, err := d.chats.Of(q)
			if err != nil {
				return nil //nolint:nilerr // who cannot be told apart drives nothing
			}
			who = &c
		}
		if who.Is(s.Driver.SessionJoined) {
			return wire.Errorf(wire.Conflict, "who asks drives run %s in this workspace, so it starts no other", h.Handle).
				WithHint("apctl session leave %s, or apctl cancel %s", h.Handle, h.Handle)
		}
	}
	return nil
}
