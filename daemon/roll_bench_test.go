package daemon

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

// rolledRuns and rolledEvents are how much history BenchmarkRoll rolls.
const (
	rolledRuns   = 10_000
	rolledEvents = 10 // of each
)

// BenchmarkRoll starts a daemon that rolls ten thousand runs which are over.
func BenchmarkRoll(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := newSite(b, nil)
		for i := range rolledRuns {
			s.overAlready(fmt.Sprintf("01J%023d", i))
		}
		s.close()
		s.open()
		v, err := s.d.Rolls.Ask(b.Context(), s.request(), wire.RollRequest{})
		if err != nil || v.Runs != rolledRuns {
			b.Fatalf("%+v %v", v, err)
		}
		s.close()
		b.StartTimer()
		s.open()
		b.StopTimer()
		if n := len(s.d.Fleet.Heads()); n != rolledRuns || !s.d.Fleet.IsArchived("01J00000000000000000000007") {
			b.Errorf("%d runs are known", n)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
		s.close()
		b.StartTimer()
	}
}

// overAlready stores a run that is over.
func (s *site) overAlready(id string) {
	s.t.Helper()
	prev := ""
	for seq := range uint64(rolledEvents) {
		var data events.Data = events.RunSuspended{MS: int64(seq)}
		switch seq {
		case 0:
			data = events.RunStarted{Handle: id[len(id)-6:], Workflow: "converge"}
		case rolledEvents - 1:
			data = events.RunEnded{State: events.EndDone}
		}
		e := events.Event{
			ID: fmt.Sprintf("%s-%d", id, seq), Source: "autopilot/bench", Aggregate: events.Run(id), Seq: seq + 1, PrevHash: prev,
			Time: time.Date(2026, 1, 2, 3, 4, int(seq), 0, time.UTC), Actor: "daemon:bench", Data: data,
		}
		st, err := s.d.Log.Append(s.t.Context(), e, 0)
		if err != nil {
			s.t.Fatal(err)
		}
		prev = st.Hash
	}
}
