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
	d.Team = &wire.TeamView{
		URL: "nats://a:4222,nats://b:4222", Server: "nats://b:4222", TLS: true, Since: noon, Replicas: 3, Wanted: 3,
		Leader: "n2", Bytes: 1 << 20, Quota: 256 << 20, Events: 7, Host: "01HERE",
		Servers: []wire.TeamServer{{Name: "n2", Current: true}, {Name: "n1", Lag: 3}, {Name: "n3", Offline: true}},
		Hosts:   []wire.TeamHost{{ID: "01B", Name: "build-7", Person: "ann", Heard: noon, Away: true}, {ID: "01HERE", Name: "desk", Person: "bob", Heard: noon, Here: true}},
	}
	text += s.Daemon(d)
	d.Team = &wire.TeamView{URL: "nats://a:4222", Server: "nats://a:4222", Since: noon, Reading: true, Replicas: 1, Wanted: 3, Quota: 256 << 20, Events: 1, Host: "01HERE"}
	text += s.Daemon(d) + s.Claims(wire.ClaimsView{Team: d.Team}, false) + s.Claims(wire.ClaimsView{Team: d.Team, Unknown: true}, false)
	d.Team = &wire.TeamView{URL: "nats://a:4222,nats://b:4222", Problem: "connect: nats: no servers available for connection", Since: noon, Wanted: 3, Host: "01HERE"}
	text += s.Daemon(d) + s.Claims(wire.ClaimsView{Team: d.Team}, false) + s.Claims(wire.ClaimsView{Team: d.Team, Unknown: true}, true)
	text += KeyMade(wire.KeyView{File: "/home/u/my keys/alice.nk", Name: "alice", Key: "UA", Config: "/home/u/.config/autopilot/config.yaml"})
	return text + s.Error(BadIdentity("Al")) + s.Error(KeyThere("/x")) + s.Error(NoKeyFile())
}
