package client

import (
	"context"
	"net"
	"testing"

	"github.com/nats-io/nats.go"

	"autopilot/daemon/auth"
	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
)

var pong = map[string]bus.Handler{wire.RunGet.Name: func(ctx context.Context, _ auth.Request, body []byte, r *bus.Reply) error { return r.Send(ctx, body) }}

type unixDialer string

func (d unixDialer) Dial(string, string) (net.Conn, error) { return net.Dial("unix", string(d)) }

// rawDial is the least that a NATS program has to do on this socket.
func rawDial(b *testing.B, socket string, name [26]byte) (*nats.Conn, string) {
	c := wire.ClientName(name)
	nc, err := nats.Connect("nats://127.0.0.1", nats.SetCustomDialer(unixDialer(socket)),
		nats.Name(c), nats.CustomInboxPrefix(wire.Inbox(c)), nats.NoReconnect())
	if err != nil {
		b.Fatal(err)
	}
	return nc, c
}

func rawAsk(b *testing.B, nc *nats.Conn, c, id string) {
	_, err := nc.RequestMsg(&nats.Msg{
		Subject: wire.CommandSubject(c, wire.RunGet.Spec), Data: []byte(`"x"`), Header: nats.Header{wire.HeaderRequest: {id}},
	}, limit)
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDialAndAsk compares with its floor: the same over plain nats.go.
func BenchmarkDialAndAsk(b *testing.B) {
	p, _ := openBus(b, pong)
	b.Run("floor", func(b *testing.B) {
		n := [26]byte{}
		for i := 0; b.Loop(); i++ {
			n[0], n[1], n[2], n[3] = byte(i), byte(i>>5), byte(i>>10), byte(i>>15)
			nc, c := rawDial(b, p.Socket, n)
			rawAsk(b, nc, c, "1")
			nc.Close()
		}
	})
	b.Run("client", func(b *testing.B) {
		for b.Loop() {
			c, err := Dial(b.Context(), p.Socket, Options{})
			if err != nil {
				b.Fatal(err)
			}
			var s string
			if err := call(b.Context(), c, wire.RunGet.Spec, "x", &s); err != nil {
				b.Fatal(err)
			}
			_ = c.Close()
		}
	})
}

// BenchmarkAsk is a request on a connection that is there.
func BenchmarkAsk(b *testing.B) {
	p, _ := openBus(b, pong)
	b.Run("floor", func(b *testing.B) {
		nc, c := rawDial(b, p.Socket, [26]byte{1})
		defer nc.Close()
		for b.Loop() {
			rawAsk(b, nc, c, "1")
		}
	})
	b.Run("client", func(b *testing.B) {
		c, err := Dial(b.Context(), p.Socket, Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		for b.Loop() {
			var s string
			if err := call(b.Context(), c, wire.RunGet.Spec, "x", &s); err != nil {
				b.Fatal(err)
			}
		}
	})
}
