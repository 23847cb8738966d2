package filestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"autopilot/daemon/store/filestore"
	"autopilot/events/log"
)

func receipt(position int) log.Receipt {
	return log.Receipt{Stream: stream, Position: uint64(position), Subject: "ev.a", Hash: fmt.Sprintf("%064d", position)}
}

func openSeals(t *testing.T, dir, boot string) *filestore.Seals {
	t.Helper()
	s, err := filestore.OpenSeals(filestore.NamesIn(dir), filepath.Join(dir, "streams"), boot)
	if err != nil {
		t.Fatal(err)
	}
	s.Failed = func(err error) { t.Error(err) }
	return s
}

// acknowledge seals an event as a daemon does, which marks it too.
func acknowledge(t *testing.T, s *filestore.Seals, m *filestore.Mark, position int) {
	t.Helper()
	r := receipt(position)
	s.Appending(log.Receipt{Stream: r.Stream, Subject: r.Subject, Hash: r.Hash})
	s.Stored(r)
	if err := m.Set(filestore.Position{Stream: r.Stream, Last: r.Position}); err != nil {
		t.Fatal(err)
	}
}

func openMark(t *testing.T, dir string) *filestore.Mark {
	t.Helper()
	m, err := filestore.OpenMark(filestore.NamesIn(dir).Mark, false, "boot")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// closed ends what was opened, without a clean end.
func closed(t *testing.T, s *filestore.Seals, m *filestore.Mark) {
	t.Helper()
	if err := errors.Join(s.Close(0), m.Close(-1)); err != nil {
		t.Fatal(err)
	}
}

func TestSealsOutliveTheirDaemonInWhateverOrderTheyCame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, m := openSeals(t, dir, "boot"), openMark(t, dir)
	const n = 3 << 12 // more than are in memory at once
	for i := 2; i <= n; i++ {
		acknowledge(t, s, m, i)
	}
	acknowledge(t, s, m, 1) // it took long
	closed(t, s, m)
	s = openSeals(t, dir, "boot")
	for i := 1; i <= n; i++ {
		if err := s.Prove(receipt(i)); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
	moved := receipt(7)
	moved.Position = 8
	if err := s.Prove(moved); !errors.Is(err, filestore.ErrForeign) || s.InPlace() == nil {
		t.Errorf("an event at another position: %v, in place: %v", err, s.InPlace())
	}
	if err := s.Prove(receipt(n + 1)); !errors.Is(err, filestore.ErrUnsealed) {
		t.Errorf("an event that was never acknowledged: %v", err)
	}
	if err := s.Close(0); err != nil {
		t.Fatal(err)
	}
}

func TestAnUnsealedEventIsOursIfItWasOnItsWay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before func(*filestore.Seals)
		boot   string
		want   error
	}{
		"sent and not answered": {func(s *filestore.Seals) { s.Appending(receipt(2)) }, "boot", nil},
		"sent and refused":      {func(s *filestore.Seals) { s.Appending(receipt(2)); s.Refused(receipt(2)) }, "boot", filestore.ErrUnsealed},
		"never sent":            {func(*filestore.Seals) {}, "boot", filestore.ErrUnsealed},
		"after a power cut":     {func(*filestore.Seals) {}, "another", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, m := openSeals(t, dir, "boot"), openMark(t, dir)
			if err := s.Reached("", 0); err != nil {
				t.Fatal(err)
			}
			acknowledge(t, s, m, 1)
			tt.before(s)
			closed(t, s, m)
			s = openSeals(t, dir, tt.boot)
			if err := s.Prove(receipt(2)); !errors.Is(err, tt.want) {
				t.Fatalf("proven: %v, want %v", err, tt.want)
			}
			// Once all was read nothing is taken for ours any more.
			if err := s.Reached(stream, 2); err != nil {
				t.Fatal(err)
			}
			if err := s.Prove(receipt(3)); !errors.Is(err, filestore.ErrUnsealed) {
				t.Errorf("behind what was read: %v", err)
			}
			if err := s.Close(0); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestALaterGenerationHasHadSeals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names, streams := filestore.NamesIn(dir), filepath.Join(dir, "streams")
	if err := os.MkdirAll(filepath.Join(streams, "AP_EVENTS_2", "msgs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := filestore.OpenSeals(names, streams, "boot"); !errors.Is(err, filestore.ErrSeals) {
		t.Errorf("opened: %v", err)
	}
	if filestore.NeverSealed(names, streams) {
		t.Error("it is taken for one that never had any")
	}
	if first := filepath.Join(dir, "first"); !filestore.NeverSealed(names, first) {
		t.Error("a store without events has had seals")
	}
}
