package daemon

import (
	"fmt"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

// launchGates are the gates of a launch here, by name.
func (s *site) launchGates(confidence string) (wire.LaunchView, map[string]wire.LaunchGate) {
	s.t.Helper()
	v, err := s.d.api.Launch().Show(s.t.Context(), s.request(), wire.LaunchRequest{Workspace: s.work, Confidence: confidence, Workflow: "converge"})
	if err != nil {
		s.t.Fatal(err)
	}
	gates := map[string]wire.LaunchGate{}
	for _, g := range v.Gates {
		gates[g.Gate] = g
	}
	return v, gates
}

// Seeds 2.4, G4: a machine that is critical is none to launch on.
func TestNothingIsLaunchedOnACriticalMachine(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	onMachine(s, 1)
	v, gates := s.launchGates("0.9")
	if g := gates["resources"]; v.Suitable || v.ExitCode != wire.ExitConflict || g.Pass || g.Value != "critical" || g.Reason != "critical" || v.Policy != "signals" {
		t.Errorf("%+v", v)
	}
	s.configure("resources: {policy: off}\n")
	v, gates = s.launchGates("0.9")
	if g := gates["resources"]; !v.Suitable || v.ExitCode != 0 || !g.Pass || g.Warning != "unknown" || v.Policy != "off" {
		t.Errorf("%+v", v)
	}
}

// Seeds 2.4, G2; S44: all runs of a repository count, however many.
func TestS44TheHistoryOfALaunchHasNoWindow(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	onMachine(s, 64)
	halted := s.start(s.spec("test -e never", "date +%N >x", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.until(halted.ID, settled)
	for i := range 3 {
		v := s.start(s.spec(fmt.Sprintf("test -e d%d", i), fmt.Sprintf("touch d%d", i)))
		s.wants(s.until(v.ID, settled), "done")
	}
	if v, gates := s.launchGates("0.9"); gates["kill-rate"].Value != "1/4" || !gates["kill-rate"].Omitted || !v.Suitable {
		t.Errorf("of four: %+v", v)
	}
	s.wants(s.stop(halted.ID, events.StopCancel), "cancelled")
	v := s.start(s.spec("test -e d3", "touch d3"))
	s.wants(s.until(v.ID, settled), "done")
	got, gates := s.launchGates("0.9")
	if gates["kill-rate"].Value != "1/5" || got.Suitable || len(got.Halts) != 1 || got.Halts[0].Latest != halted.Handle {
		t.Errorf("of five: %+v", got)
	}
	v = s.start(s.spec("test -e d4", "touch d4"))
	s.wants(s.until(v.ID, settled), "done")
	if got, gates = s.launchGates("0.9"); gates["kill-rate"].Value != "1/6" || !got.Suitable {
		t.Errorf("of six: %+v", got)
	}
}
