package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/daemon/auth"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func TestPartsOfAManifestThatSteerTestsArePinned(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"pyproject.toml": "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"--strict\"\n"})
	st := s.play(s.spec("test -f ok", `touch ok; printf '[project]\nname = "b"\n[tool.pytest.ini_options]\naddopts = "-k nothing"\n' > pyproject.toml`))
	s.wants(st, "halted:drift")
	if w := s.why(st.ID); !slices.Contains(w.Files, "pyproject.toml") {
		t.Errorf("files %v", w.Files)
	}
}

func TestALongTaskIsWatched(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	task := strings.Repeat("\u00e9\x01", 200<<10)
	st := s.play(s.spec("test -f ok", "cat > told; touch ok", func(spec *wire.RunSpec) { spec.Task = task }))
	s.wants(st, "done")
	if !strings.Contains(s.read("told"), task) {
		t.Error("the agent was not told the whole task")
	}
	err := s.d.api.RunWatch(t.Context(), auth.Request{}, wire.WatchRequest{RunRef: wire.RunRef{Run: st.ID}}, func(v wire.WatchFrame) error {
		b, err := json.Marshal(v)
		if len(b) > wire.MaxFrame {
			t.Fatalf("a frame of %d bytes", len(b))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFollowedLogWaitsForEffectsThatWereAnnounced(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	goOn := filepath.Join(t.TempDir(), "go")
	q := s.spec("echo judged; test -f ok", "echo worked; touch ok", func(spec *wire.RunSpec) {
		spec.Gates = append(spec.Gates, wire.GateSpec{
			Name: "slow", Role: "invariant", Command: "while ! test -f " + goOn + "; do sleep 0.01; done; echo late",
		})
	})
	v := s.start(q)
	seen := map[string]string{}
	err := s.d.api.RunLogs(t.Context(), auth.Request{}, wire.LogsRequest{RunRef: wire.RunRef{Run: v.ID}, Follow: true}, func(f wire.LogFrame) error {
		key := string(rune('0'+f.Iteration)) + f.Source
		if seen[key] += string(f.Data); strings.Contains(seen["0goal"], "judged") {
			return os.WriteFile(goOn, nil, 0o600)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(v.ID, func(st run.State) bool { return st.Status == run.Over }), "done")
	for key, want := range map[string]string{
		"0goal": "judged\n", "0slow": "late\n", "1agent": "worked\n", "1goal": "judged\n", "1slow": "late\n",
	} {
		if seen[key] != want {
			t.Errorf("%s printed %q, want %q", key, seen[key], want)
		}
	}
}

func TestLogsShowTheGateThatWasJudged(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("tr a-z A-Z < n > n.tmp && mv n.tmp n && cat n && grep -q DONE n", "echo done > n"))
	s.wants(st, "done")
	effects := map[string]bool{}
	list, err := s.d.api.Sources(t.Context(), st.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range list {
		effects[src.Effect] = true
	}
	if r := st.Last.Results[0]; !effects[r.Effect] || len(effects) != len(list) {
		t.Errorf("gate %s was judged by effect %s, and logs show %v", r.Gate, r.Effect, list)
	}
}

func TestARunThatCannotGoOnLeavesNoAgentBehind(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "echo working; sleep 600"))
	st := s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	id := st.Last.Start.Effect
	s.printed(id, "working")
	s.close()
	if err := os.Remove(filepath.Join(s.cfg.Places.State, "runs", v.ID+".json")); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.wants(s.until(v.ID, settled), "halted:internal")
	// Its end comes right after the halt.
	for _, err := range s.d.Effects.Open(id).Follow(t.Context(), "output", 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if out, err := s.d.Effects.Open(id).Outcome(); err != nil || out.Outcome != events.Stopped {
		t.Errorf("the agent: %+v, %v", out.Outcome, err)
	}
}

func TestAPreviewLeavesNothingInTheHomeOfGates(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	if _, err := s.d.api.RunPreview(t.Context(), s.request(), s.spec("test -f ok", "touch ok")); err != nil {
		t.Fatal(err)
	}
	homes, err := os.ReadDir(filepath.Join(s.cfg.Places.State, "home"))
	if err != nil || len(homes) > 0 {
		t.Errorf("homes of gates after a preview: %v, %v", homes, err)
	}
}

func TestARunWhoseWorkflowCannotBeReadIsHalted(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "sleep 600"))
	st := s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.close()
	ref := string(st.Facts.Source)
	if err := os.Remove(filepath.Join(s.cfg.Places.State, "blobs", ref[:2], ref)); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.wants(s.until(v.ID, settled), "halted:internal")
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: v.ID}}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(v.ID, settled), "halted:internal")
	s.stop(v.ID, events.StopCancel)
}

func TestARepeatedRequestIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "sleep 600"))
	s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.stop(v.ID, events.StopNow)
	q := s.request()
	for range 2 {
		if _, err := s.d.api.RunResume(t.Context(), q, wire.ResumeRequest{RunRef: wire.RunRef{Run: v.ID}}); err != nil {
			t.Fatal(err)
		}
	}
	q = s.request()
	for range 2 {
		if _, err := s.d.api.RunCancel(t.Context(), q, wire.StopRequest{RunRef: wire.RunRef{Run: v.ID}}); err != nil {
			t.Fatal(err)
		}
		s.until(v.ID, settled)
	}
}
