package bus

import (
	"context"
	"log/slog"
	"testing"
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
