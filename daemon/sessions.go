package daemon

import (
	"autopilot/daemon/coord/session"
)

// newSessions lets chats drive runs.
func (d *Daemon) newSessions() *session.Drivers {
	return session.New(session.Config{
		Chats: d.Chats, Peers: d.Peers, Runs: d.Fleet, Verbs: d.api.OfChats(), Worker: d.Worker, Text: d.api.Text,
		Lasting: d.Lasting, Log: d.cfg.Log,
	})
}
