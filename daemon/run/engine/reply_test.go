package engine

import (
	"testing"

	"autopilot/projections/run"
)

// Whoever cancels a run is told so, and not that the run is over.
func TestTheCommandThatEndsARunHasItsAnswer(t *testing.T) {
	t.Parallel()
	for range 300 {
		a := &Actor{inbox: make(chan request), gone: make(chan struct{})}
		go func() {
			q := <-a.inbox
			q.reply <- answer{state: run.State{ID: "r"}}
			close(a.gone)
		}()
		if s, err := a.Do(t.Context(), Stop{}, "", ""); err != nil || s.ID != "r" {
			t.Fatalf("%q, %v", s.ID, err)
		}
	}
}
