package daemon

import (
	"autopilot/daemon/auth/chat"
	"autopilot/daemon/auth/person"
)

// newChats tells chats apart by the processes that the daemon sees now.
func (d *Daemon) newChats() *chat.Chats {
	return chat.New(chat.Config{
		People: func() person.Table { return d.Consent.People },
		Boot:   func() string { boot, _ := d.cfg.boot(); return boot },
		Host:   d.HostID,
		Heard:  func(c chat.Chat) { d.Peers.Heard(c) },
	})
}
