package render

import "autopilot/events/wire"

// listening is a daemon that lets others in, one that cannot, one that knows
// nobody, and a key that was made.
func listening(s Style) string {
	l := wire.ListenView{Address: "0.0.0.0:4222", TLS: true, Clients: 1, Identities: []wire.IdentityView{{Name: "alice", May: "operate", Key: "UA"}, {Name: "bob", May: "read", Key: "UB"}}}
	d := wire.DaemonView{Version: "1", Started: noon, Listen: &l}
	text := s.Daemon(d)
	d.Listen = &wire.ListenView{Address: "127.0.0.1:4222", Problem: "address already in use"}
	text += s.Daemon(d)
	d.Listen = &wire.ListenView{Address: "127.0.0.1:4222"}
	text += s.Daemon(d)
	d.Listen = nil
	d.Team = &wire.TeamView{URL: "nats://a:4222,nats://b:4222", Server: "nats://b:4222", TLS: true, Since: noon, Replicas: 3}
	text += s.Daemon(d)
	d.Team = &wire.TeamView{URL: "nats://a:4222,nats://b:4222", Problem: "connect: nats: no servers available for connection", Since: noon, Replicas: 3}
	text += s.Daemon(d) + s.Claims(wire.ClaimsView{Team: d.Team}, false)
	text += KeyMade(wire.KeyView{File: "/home/u/my keys/alice.nk", Name: "alice", Key: "UA", Config: "/home/u/.config/autopilot/config.yaml"})
	return text + s.Error(BadIdentity("Al")) + s.Error(KeyThere("/x")) + s.Error(NoKeyFile())
}
