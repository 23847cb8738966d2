package bus

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"autopilot/events/wire"
)

// BenchmarkOpen is from nothing to a socket that answers, and back.
func BenchmarkOpen(b *testing.B) {
	p := testPlaces(b)
	lock, err := Lock(p, "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	for b.Loop() {
		s, err := Open(Config{Places: p, Lock: lock, Version: "bench", Log: slog.New(slog.DiscardHandler), Identify: local})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Serve(nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkAskDuringAFlood is a request from this host, alone and while four
// connections over the network send as much as they can.
func BenchmarkAskDuringAFlood(b *testing.B) {
	for _, conns := range []int{0, 4} {
		b.Run(fmt.Sprintf("connections=%d", conns), func(b *testing.B) {
			s, keys := listening(b, nil, echo())
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			for i := range conns {
				c := mustTCP(b, s, keys, []string{"alice", "bob"}[i%2])
				inbox := c.NewInbox()
				go func() {
					for ctx.Err() == nil && c.PublishRequest("ap.cmd."+c.name+".run.get", inbox, []byte("{}")) == nil {
					}
				}()
			}
			local := mustDial(b, s.cfg.Places.Socket)
			for i := range b.N {
				if _, err := local.ask(b, wire.RunGet.Spec, fmt.Sprint("r", i), "{}"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
