package daemon

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

// thousand is a daemon with so many live runs in line, and one whose agent has the
// only slot. It does nothing but what it is asked.
func thousand(b *testing.B, runs int) (*site, []run.State) {
	b.Helper()
	s := newSite(b, nil)
	s.configure("resources: {agents: 1}\n")
	like := s.play(s.spec("test -f ok", "touch ok"))
	s.d.background.cancel() // what it does by itself
	s.d.background.Wait()
	like.Status, like.Stage, like.End = run.Live, run.Agent, nil
	s.lives("01KA0000000000000000000000", like)
	like.Stage = run.Ready
	like.Waiting = &run.Waiting{LimitWaiting: events.LimitWaiting{Cause: events.LimitResources}, Since: time.Now()}
	var all []run.State
	for i := range runs {
		st := s.lives(fmt.Sprintf("01KB%022d", i), like)
		all = append(all, st)
		not, _, err := s.d.Machine.Slot(b.Context(), st)
		if w, ok := not.(events.LimitWaiting); !ok || w.Place != i+1 || err != nil {
			b.Fatalf("run %d: %+v, %v", i, not, err)
		}
	}
	return s, all
}

// lives puts a live run into the fleet, whose actor ends at once, as the daemon's work has.
func (s *site) lives(id string, like run.State) run.State {
	like.ID, like.Facts.Handle = id, id
	s.d.Fleet.Serve(s.t.Context(), like, engine.Reboot{})
	return like
}

// BenchmarkWhoMayBegin is a scheduling decision with a thousand runs in line: what
// an agent's start asks, with a reading at hand and with a new one; daemon/host/machine has
// what every change of a run asks. The floor computes for about as long, and shows
// what the machine adds at the far end.
func BenchmarkWhoMayBegin(b *testing.B) {
	s, all := thousand(b, 1_000)
	floor := make([]byte, 512<<10)
	asks := func(i int) {
		if not, _, err := s.d.Machine.Slot(b.Context(), all[i%len(all)]); not == nil || err != nil {
			b.Fatalf("%+v, %v", not, err)
		}
	}
	for _, c := range []struct {
		name string
		once func(i int)
	}{
		{"floor", func(int) { sha256.Sum256(floor) }},
		{"ask", asks},
		{"ask and read the machine", func(i int) {
			s.host.later(fresh)
			asks(i)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begin := time.Now()
				c.once(i)
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			for _, p := range []int{50, 99} {
				b.ReportMetric(float64(took[len(took)*p/100].Microseconds())/1e3, fmt.Sprintf("p%d-ms", p))
			}
		})
	}
}
