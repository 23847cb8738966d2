package log_test

import (
	"errors"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

func TestALogElsewhereConforms(t *testing.T) {
	t.Parallel()
	logtest.Run(t, func(_ *testing.T, c logtest.Config) logtest.Place {
		m := log.NewMemory(log.MemoryConfig{Quota: c.Quota, Reserve: c.Reserve})
		return logtest.Place{
			Open:    func(*testing.T) log.Log { return log.NewVia(func() (log.Log, error) { return m, nil }, time.Minute) },
			Restart: func(*testing.T) {},
		}
	})
}

func TestALogOutOfReachIsUnavailableUntilItIsFoundAgain(t *testing.T) {
	t.Parallel()
	m := log.NewMemory(log.MemoryConfig{})
	away := errors.New("no route")
	var l log.Log = log.NewVia(func() (log.Log, error) { return m, away }, time.Minute)
	run := &logtest.Chain{Aggregate: events.Run("a")}
	if _, err := l.Append(t.Context(), run.Next(0), log.Ordinary); !errors.Is(err, log.ErrUnavailable) || !errors.Is(err, away) {
		t.Errorf("append: %v", err)
	}
	if _, err := l.Usage(t.Context()); !errors.Is(err, log.ErrUnavailable) {
		t.Errorf("usage: %v", err)
	}
	for _, err := range l.Read(t.Context(), run.Aggregate, 0) {
		if !errors.Is(err, log.ErrUnavailable) {
			t.Errorf("read: %v", err)
		}
	}
	for _, err := range l.Follow(t.Context(), "") {
		if !errors.Is(err, log.ErrUnavailable) {
			t.Errorf("follow: %v", err)
		}
	}
	away = nil
	run.Grow(t, l, 1)

	// A log that does not answer is given up.
	slow := log.NewMemory(log.MemoryConfig{Faults: func(events.Event, int) log.Fault { return log.FaultUnavailable }})
	if _, err := log.NewVia(func() (log.Log, error) { return slow, nil }, time.Millisecond).Append(t.Context(), run.Next(0), log.Ordinary); err == nil {
		t.Error("an append without an answer is stored")
	}
}
