package daemon

import (
	"cmp"
	"slices"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/config"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
)

// newChats tells chats apart by the processes that the daemon sees now.
func (d *Daemon) newChats() *chat.Chats {
	return chat.New(chat.Config{
		People: func() person.Table { return d.consent.People },
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

// checkGit keeps a chat from allowing in git what the settings may not.
func (d *Daemon) checkGit(q bus.Request, body wire.StartRequest) error {
	typed := body.Spec.Git
	loose := typed.Push == wire.GitAllow || typed.History == wire.GitAny || body.Settings["git.push"] != "" || body.Settings["git.history"] != ""
	if loose && d.chats.Behind(q) {
		return wire.Errorf(wire.Denied, "a chat cannot allow more in git than the settings do").
			WithHint("leave out --git-push allow, --git-history any and the variables AUTOPILOT_GIT_PUSH and AUTOPILOT_GIT_HISTORY")
	}
	return nil
}

// ofChat holds what a chat asks for to what the settings say.
func (d *Daemon) ofChat(q bus.Request, body wire.StartRequest, c *configured) error {
	if d.chats.Behind(q) {
		c.Request.Trusted = &c.Trusted
		c.Request.Spec.Timeouts = config.Kept(body.Spec.Timeouts, c.Request.Spec.Timeouts, c.Trusted, body.Settings)
	}
	return cmp.Or(d.rank(q, body.Spec.Priority, c), d.checkInputs(q, *c), d.checkGit(q, body))
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
