package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func clean(setup string) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) { r.Checkout, r.Setup = events.CheckoutClean, setup }
}

func invariant(name events.Name, command string) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) {
		r.Gates = append(r.Gates, wire.GateSpec{Name: name, Role: events.RoleInvariant, Command: command})
	}
}

// noCheckout proves that nothing of a clean checkout is left. It is removed after a run
// is seen to have ended.
func (s *site) noCheckout() {
	s.t.Helper()
	comes(s.t, "the removal of every checkout", func() bool {
		left, err := filepath.Glob(filepath.Join(s.cfg.Places.State, "clean", "*"))
		return err == nil && len(left) == 0
	})
}

func TestARunIsDoneWhenItsGatesPassInACleanCheckoutToo(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"run.sh": "#!/bin/sh\nexit 0\n", "dir/a": "a\n"})
	st := s.play(s.spec("test -f ok && ./run.sh && test -f dir/a && test -f made", "touch ok made", clean("touch made; pwd")))
	s.wants(st, "done")
	if w := s.why(st.ID); w.Evidence.Checkout != "clean" {
		t.Errorf("evidence %+v", w.Evidence)
	}
	s.noCheckout()
}

func TestWhatOnlyPassesInPlaceIsNotDone(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".gitignore": "local/\n"})
	st := s.play(s.spec("test -f local/ok", "mkdir -p local; touch local/ok; echo $AUTOPILOT_ITERATION > n", clean(""), func(r *wire.RunSpec) { r.MaxIterations = 2 }))
	s.wants(st, "halted:iterations")
	w := s.why(st.ID)
	for _, want := range []string{"passes in the work tree and fails in a clean checkout", "local/"} {
		if !strings.Contains(w.LastError, want) {
			t.Errorf("the finding lacks %q:\n%s", want, w.LastError)
		}
	}
	s.noCheckout()
}

func TestASetUpThatFailsRefusesTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok", invariant("inv", "true"), clean("echo no network; exit 3")))
	s.wants(st, "refused:setup-failed")
	w := s.why(st.ID)
	if !strings.Contains(w.LastError, "no network") || !strings.Contains(w.Because, "set-up") {
		t.Errorf("%s\n%s", w.Because, w.LastError)
	}
	s.noCheckout()
}

func TestASetUpThatAnAgentBreaksIsAFinding(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"lock": "good\n"})
	st := s.play(s.spec("test -f ok", `touch ok; if [ $AUTOPILOT_ITERATION = 1 ]; then echo bad > lock; else echo good > lock; fi`,
		invariant("inv", "true"), clean("cat lock; grep -q good lock")))
	s.wants(st, "done")
	var first []events.GateResult
	for stored, err := range s.d.Log.Read(t.Context(), events.Run(st.ID), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := stored.Event.Data.(events.GatesJudged); ok && d.Iteration == 1 {
			first = d.Results
		}
	}
	if r := first[0]; r.Verdict != events.Fail || r.Reason != events.ReasonSetup || !strings.Contains(s.d.api.Text(r.Excerpt), "bad") {
		t.Errorf("%+v\n%s", r, s.d.api.Text(r.Excerpt))
	}
	if r := first[1]; r.Verdict != events.Skipped || r.Reason != events.ReasonSetup {
		t.Errorf("%+v", r)
	}
}

func TestAnInvariantThatNeedsWhatIsIgnoredRefusesTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".gitignore": "lib\n", "lib": "x\n"})
	st := s.play(s.spec("test -f ok", "touch ok", invariant("inv", "test -f lib"), clean("")))
	s.wants(st, "refused:invariant-red")
	if w := s.why(st.ID); !strings.Contains(w.LastError, "clean checkout") || !strings.Contains(w.LastError, "lib") {
		t.Errorf("%s", w.LastError)
	}
}

func TestAGoalThatIsGreenInACleanCheckoutProvesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".gitignore": "stale\n", "stale": "x\n"})
	st := s.play(s.spec("! test -f stale", "rm stale", clean("")))
	s.wants(st, "refused:goal-green")
}

func TestACleanCheckoutDoesNotNameTheWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	q := s.spec("env; test -f ok", "touch ok", clean("env > env.setup; ! grep -F \"$(cat where)\" env.setup"))
	s.write(map[string]string{"where": s.work + "\n"})
	q.Env = append(q.Env, "PATH="+filepath.Join(s.work, "bin")+":"+os.Getenv("PATH"), "VIRTUAL_ENV="+s.work+"/.venv", "GOFLAGS=-I"+s.work)
	s.wants(s.play(q), "done")
}

func TestAKilledDaemonGoesOnInTheSameCleanCheckout(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	once := filepath.Join(t.TempDir(), "once")
	v := s.start(s.spec("test -f ok && test -f made", "touch ok made",
		clean("touch made; test -f ok || exit 0; echo begun >> "+once+"; echo begun; while [ ! -e "+once+".go ]; do sleep 0.05; done")))
	st := s.until(v.ID, func(st run.State) bool { return st.Stage == run.Gates && st.Loop.Iteration == 1 })
	id := effectID(t, s, st.Last.Gates.Effects[0].Effect+"-clean-*-setup")
	s.printed(id, "begun")
	s.close()
	if err := os.WriteFile(once+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.wants(s.until(v.ID, settled), "done")
	if b, err := os.ReadFile(once); err != nil || string(b) != "begun\n" {
		t.Errorf("the set-up ran %q times: %v", b, err)
	}
	s.noCheckout()
}

// effectID waits for an effect with such a name.
func effectID(t *testing.T, s *site, pattern string) string {
	t.Helper()
	for t.Context().Err() == nil {
		found, err := filepath.Glob(filepath.Join(s.cfg.Places.State, "effects", pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return filepath.Base(found[0])
		}
	}
	t.Fatalf("no effect %s", pattern)
	return ""
}

func TestAStoppedRunLeavesNoCheckout(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "touch ok", clean("test -f ok || exit 0; echo begun; chmod 0500 .; sleep 600")))
	st := s.until(v.ID, func(st run.State) bool { return st.Stage == run.Gates && st.Loop.Iteration == 1 })
	s.printed(effectID(t, s, st.Last.Gates.Effects[0].Effect+"-clean-*-setup"), "begun")
	s.wants(s.stop(v.ID, events.StopNow), "halted:stopped")
	s.close()
	s.noCheckout()
}

func TestADaemonStartsWhateverRunsLeft(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.wants(s.play(s.spec("test -f ok", "touch ok", clean(""))), "done")
	s.close()
	// No file can be removed that is a directory with something in it.
	if err := os.MkdirAll(filepath.Join(s.cfg.Places.State, "runs", "01LEFT.json", "stuck"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.wants(s.play(s.spec("test -f ok2", "touch ok2", clean(""))), "done")
}

func artifact(name events.Name, globs ...string) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) {
		r.Gates = append(r.Gates, wire.GateSpec{Name: name, Kind: events.GateArtifact, Role: events.RoleGoal, Files: globs})
	}
}

func only(r *wire.RunSpec) { r.Gates = r.Gates[1:] }

func TestAnArtifactHasToBeWrittenByTheRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		glob, agent, state string
		reason             events.Reason
		file               string
	}{
		"written":               {"docs/report.md", "mkdir -p docs; echo text > docs/report.md", "done", events.ReasonWritten, "docs/report.md"},
		"missing":               {"docs/report.md", "echo $AUTOPILOT_ITERATION > n", "halted:iterations", events.ReasonMissing, "docs/report.md"},
		"blank":                 {"docs/report.md", `mkdir -p docs; printf ' \n\t\n' > docs/report.md; echo $AUTOPILOT_ITERATION > n`, "halted:iterations", events.ReasonBlank, "docs/report.md"},
		"as it was":             {"old.md", "echo $AUTOPILOT_ITERATION > n", "halted:iterations", events.ReasonStale, "old.md"},
		"written anew":          {"old.md", "echo more >> old.md", "done", events.ReasonWritten, "old.md"},
		"only touched":          {"old.md", "chmod +x old.md; touch old.md; echo $AUTOPILOT_ITERATION > n", "halted:iterations", events.ReasonStale, "old.md"},
		"in any folder":         {"*.rst", "mkdir -p a/b; echo x > a/b/c.rst", "done", events.ReasonWritten, "a/b/c.rst"},
		"ignored":               {"build/out.txt", "mkdir -p build; echo x > build/out.txt; echo > n", "done", events.ReasonWritten, "build/out.txt"},
		"ignored and old":       {"keep/*.txt", "echo $AUTOPILOT_ITERATION > n", "halted:iterations", events.ReasonStale, "keep/old.txt"},
		"a link":                {"link.md", "ln -s old.md link.md; echo $AUTOPILOT_ITERATION > n", "halted:iterations", events.ReasonMissing, "link.md"},
		"a link to the outside": {"link.md", "ln -s /etc/passwd link.md; echo $AUTOPILOT_ITERATION > n", "halted:iterations", events.ReasonMissing, "link.md"},
		"a pipe":                {"build/pipe", "mkdir -p build; mkfifo build/pipe; echo $AUTOPILOT_ITERATION > n", "halted:iterations", events.ReasonMissing, "build/pipe"},
		"a folder of files":     {"docs", "mkdir -p docs/x; echo a > docs/x/a; echo b > docs/b", "done", events.ReasonWritten, "docs/x/a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"old.md": "old\n", ".gitignore": "build/\nkeep/\n", "keep/old.txt": "old\n"})
			st := s.play(s.spec("false", c.agent, artifact("report", c.glob), only, func(r *wire.RunSpec) { r.MaxIterations = 1 }))
			s.wants(st, c.state)
			r := st.Last.Results[0]
			if r.Reason != c.reason || r.Kind != events.GateArtifact {
				t.Errorf("%+v", r)
			}
			if files := s.d.api.Lines(r.Files); !slices.Contains(files, c.file) {
				t.Errorf("files %v", files)
			}
		})
	}
}

func TestAFileThatAGateMakesIsNoArtifact(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("echo x > report.md; test -f ok", "touch ok; echo $AUTOPILOT_ITERATION > n", artifact("report", "report.md"), func(r *wire.RunSpec) { r.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	if r := st.Last.Results[1]; r.Reason != events.ReasonMissing {
		t.Errorf("%+v", r)
	}
}

func TestArtifactsStandBesideACleanCheckout(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".gitignore": "build/\n"})
	st := s.play(s.spec("test -f ok", "touch ok; mkdir -p build; echo x > build/report", artifact("report", "build/report"), clean("")))
	s.wants(st, "done")
	if w := s.why(st.ID); w.Evidence.Checkout != "clean" || len(w.Evidence.Gates) != 3 {
		t.Errorf("%+v", w.Evidence)
	}
}

func TestGatesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for name, edit := range map[string]func(*wire.RunSpec){
		"an artifact without files": artifact("a"), "one outside": artifact("a", "../x"), "an absolute one": artifact("a", "/x"),
		"a malformed one":            artifact("a", "[x"),
		"a command too":              func(r *wire.RunSpec) { r.Gates[0].Files = []string{"x"} },
		"an unknown kind":            func(r *wire.RunSpec) { r.Gates[0].Kind = "odd" },
		"an invariant of files":      func(r *wire.RunSpec) { artifact("a", "x")(r); r.Gates[1].Role = events.RoleInvariant },
		"an unknown checkout":        func(r *wire.RunSpec) { r.Checkout = "odd" },
		"a checkout for nothing":     func(r *wire.RunSpec) { artifact("a", "x")(r); only(r); clean("")(r) },
		"a set-up that is not found": clean("/nonexistent/setup"),
	} {
		_, err := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "true", edit))
		var refused *wire.Error
		if !errors.As(err, &refused) || refused.Code != wire.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
