package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"autopilot/daemon/store/archive"
)

// many writes runs, each with so many events and the same content but for its id.
func many(b *testing.B, w io.Writer, runs, events int) {
	b.Helper()
	out := archive.NewWriter(w, whom)
	for i := range runs {
		s := done(fmt.Sprintf("%06d", i), (events-2)/2)
		must(b, out.Run(s.Run, s.stored()))
	}
	_, err := out.Close()
	must(b, err)
}

// BenchmarkOpen opens an archive with a bundle of 10,000 runs, as a daemon does
// when it starts.
func BenchmarkOpen(b *testing.B) {
	const runs = 10_000
	dir := filepath.Join(b.TempDir(), "archive")
	a := openArchive(b, dir)
	var out bytes.Buffer
	many(b, &out, runs, 10)
	add(b, a, out.Bytes(), false, made)
	b.Run("states", func(b *testing.B) {
		for b.Loop() {
			openOnce(b, dir, runs)
		}
	})
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			states, err := filepath.Glob(filepath.Join(dir, "*.states"))
			must(b, err)
			for _, path := range states {
				must(b, os.Remove(path))
			}
			b.StartTimer()
			openOnce(b, dir, runs)
		}
	})
	b.Run("first event", func(b *testing.B) {
		heads := a.Heads()
		for b.Loop() {
			for _, err := range a.Events(heads[runs/2].ID, 0) {
				must(b, err)
				break
			}
		}
	})
}

func openOnce(b *testing.B, dir string, runs int) {
	b.Helper()
	a, err := archive.OpenArchive(dir, slog.New(slog.DiscardHandler))
	must(b, err)
	if got := len(a.Heads()); got != runs {
		b.Fatalf("%d runs", got)
	}
	must(b, a.Close())
}

// BenchmarkRead is all that is done with a bundle, by the event.
func BenchmarkRead(b *testing.B) {
	const runs, each = 1000, 100
	path := filepath.Join(b.TempDir(), "bundle.zip")
	per := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*runs*each), "ns/event")
	}
	b.Run("write", func(b *testing.B) {
		var all []*story
		for i := range runs {
			all = append(all, done(fmt.Sprintf("%06d", i), (each-2)/2))
		}
		for b.Loop() {
			f, err := os.Create(path)
			must(b, err)
			w := archive.NewWriter(f, whom)
			for _, s := range all {
				must(b, w.Run(s.Run, s.stored()))
			}
			sum, err := w.Close()
			must(b, err)
			must(b, f.Close())
			b.ReportMetric(float64(sum.Bytes)/(runs*each), "bytes/event")
		}
		per(b)
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			bundle, err := archive.Open(path)
			must(b, err)
			must(b, bundle.Check(context.Background()))
			must(b, bundle.Close())
		}
		per(b)
	})
}
