package daemon

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// crewOf is one to three agents for who works, each with an account of its own.
func crewOf(n int, phases ...events.Name) events.Crew {
	hands := []events.Hand{{Agent: "small", Account: "A"}, {Agent: "middle", Account: "B"}, {Agent: "big", Account: "C"}}
	return events.Crew{Role: "coder", Phases: phases, Hands: hands[:n]}
}

func crewScript(rt *rapid.T) *script {
	c := crewOf(rapid.IntRange(1, 3).Draw(rt, "hands"), "work")
	return &script{steps: steps().Draw(rt, "steps"), now: time.Now, crews: []events.Crew{c}}
}

// oneWay checks what a log says of its agents: each was announced as the level
// that its role had, no level ever fell, and only a rail of convergence raised one.
func oneWay(t *testing.T, l log.Log) {
	t.Helper()
	var s run.State
	level := 1
	for st, err := range l.ReadAll(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		crew := s.Facts.Crews
		switch d := st.Event.Data.(type) {
		case events.IterationStarted:
			if d.Level != level || d.Agent != crew[0].Hands[level-1].Agent || d.Account != crew[0].Hands[level-1].Account {
				t.Fatalf("event %d: %s at level %d, want %d", st.Event.Seq, d.Agent, d.Level, level)
			}
			if d.Resumes && s.Last.Start.Level != d.Level {
				t.Fatalf("event %d: it goes on in a session of another agent", st.Event.Seq)
			}
		case events.AgentEscalated:
			if d.From != level || d.To != level+1 || d.To > len(crew[0].Hands) || !converges(d.Reason) {
				t.Fatalf("event %d: %+v at level %d", st.Event.Seq, d, level)
			}
			level = d.To
		case events.RunHalted:
			if converges(d.Reason) && level < len(crew[0].Hands) {
				t.Fatalf("event %d: halted by %s, and agent %d of %d could have gone on", st.Event.Seq, d.Reason, level+1, len(crew[0].Hands))
			}
		}
		s = run.Evolve(s, st.Event)
	}
}

func converges(h events.Halt) bool {
	switch h {
	case events.HaltIterations, events.HaltSameness, events.HaltStuck, events.HaltSignature, events.HaltCycles, events.HaltPlan:
		return true
	default:
		return false
	}
}

// Lesson A27.
func TestTheNextAgentGoesOnFromAnyPrefixToTheSameEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := crewScript(rt)
		seed := rapid.Uint64().Draw(rt, "seed")
		synctest.Test(t, func(t *testing.T) {
			l := log.NewMemory(log.MemoryConfig{})
			whole := play(t, l, w, nil)
			oneWay(t, l)
			cutAtRandom(8, seed, whole.Log.Seq, func(n uint64) { // of many: runs of several agents are long
				endsTheSame(t, fmt.Sprint("cut after event ", n), endOf(whole), endOf(play(t, copyLog(t, l, n), w, nil)))
			})
		})
	})
}

func TestTheNextAgentOfADaemonThatIsKilledAtEveryEventGoesOnOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := crewScript(rt)
		seed := rapid.Uint64().Draw(rt, "seed")
		synctest.Test(t, func(t *testing.T) {
			whole := play(t, log.NewMemory(log.MemoryConfig{}), w, nil)
			l := log.NewMemory(log.MemoryConfig{})
			killed := play(t, l, w, killedAtRandom(seed))
			oneWay(t, l)
			endsTheSame(t, "killed", endOf(whole), endOf(killed))
		})
	})
}
