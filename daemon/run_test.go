package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/api"
	"autopilot/daemon/config"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func TestARunEndsDoneWithItsEvidence(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a_test.go": "package a\n"})
	st := s.play(s.spec("grep -q 2 n", `echo "$AUTOPILOT_ITERATION" > n; echo '{"v":1,"claim":"done","summary":"it is 2"}' > "$AUTOPILOT_RESULT_FILE"`))
	s.wants(st, "done")
	w := s.why(st.ID)
	if w.Evidence == nil || w.Evidence.Pinned != 1 || w.Evidence.Checkout != "in place" || len(w.Rows) != 2 {
		t.Errorf("evidence %+v, rows %+v", w.Evidence, w.Rows)
	}
	s.close() // the actor cleans up after the last event
	if _, err := os.Stat(filepath.Join(s.cfg.Places.State, "runs", st.ID+".json")); !os.IsNotExist(err) {
		t.Errorf("the environment of a finished run is still kept: %v", err)
	}
}

func TestFilesThatGatesCreateAreLeftOutOfTrees(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("date +%N > report.out; grep -q 3 n", `echo "$AUTOPILOT_ITERATION" > n`))
	s.wants(st, "done")
	w := s.why(st.ID)
	if diff := cmp.Diff([]string{"report.out"}, w.Evidence.Created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	files, err := s.d.Worker.Repo(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	got, err := files.Files(t.Context(), st.End.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"n"}, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestAFileThatAGateMadeAndAnAgentChangedIsTheAgentsWork(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]string{
		"beside other work": `echo "$AUTOPILOT_ITERATION" > b.txt; test $AUTOPILOT_ITERATION = 2 && echo good > gen.txt; :`,
		"and nothing else":  `if test $AUTOPILOT_ITERATION = 1; then echo 1 > b.txt; else echo good > gen.txt; fi`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			st := s.play(s.spec("touch gen.txt; grep -q good gen.txt", agent))
			s.wants(st, "done")
			if got := s.tree(st); !slices.Contains(got, "gen.txt") {
				t.Errorf("the tree that passed has %v, without what made it pass", got)
			}
		})
	}
}

func TestARecordedFileThatAGateBringsBackIsNotTheGates(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"testdata/golden.txt": "golden\n"})
	st := s.play(s.spec("test -f testdata/golden.txt || { mkdir -p testdata; echo golden > testdata/golden.txt; }; test -f ok",
		`case $AUTOPILOT_ITERATION in 1) rm -r testdata; echo 1 > n;; 2) echo 2 > n;; 3) touch ok;; esac`))
	s.wants(st, "done")
	if got := s.tree(st); !slices.Contains(got, "testdata/golden.txt") {
		t.Errorf("the tree has %v", got)
	}
}

func TestAReportThatGatesAndAgentsBothWriteHaltsNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("date +%N > report.out; grep -q 3 n", `date +%N > report.out; echo "$AUTOPILOT_ITERATION" > n`))
	s.wants(st, "done")
	for _, r := range st.Last.Results {
		if r.Reason == events.ReasonTreeChanged {
			t.Errorf("%+v", r)
		}
	}
}

func TestAGateThatTidiesRecordedFilesRunsTwiceAndCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("tr a-z A-Z < n > n.tmp && mv n.tmp n && grep -q DONE n", "echo done > n"))
	s.wants(st, "done")
	if s.read("n") != "DONE\n" {
		t.Errorf("n is %q", s.read("n"))
	}
	repeated := false
	for stored, err := range s.d.Log.Read(t.Context(), events.Run(st.ID), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := stored.Event.Data.(events.GatesJudged); ok && d.Iteration == 1 {
			repeated = d.Repeated
		}
	}
	if !repeated {
		t.Error("the gates judged a tree that they changed, and were not run again")
	}
}

func TestAGateThatChangesRecordedFilesEveryTimeFailsAndNamesThem(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f n && date +%N > n", "echo x > n", func(r *wire.RunSpec) { r.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	if r := st.Last.Results[0]; r.Verdict != events.Fail || r.Reason != events.ReasonTreeChanged {
		t.Errorf("result %+v", r)
	}
	if w := s.why(st.ID); !slices.Contains(w.Files, "n") {
		t.Errorf("files %v", w.Files)
	}
}

// Lesson A11; seeds 3.4 stage 1: what a gate found goes to the next work to the letter.
func TestFindingsReachTheNextPromptVerbatim(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("echo 'expected 5, got <4>'; test -f ok",
		`cat > prompt.$AUTOPILOT_ITERATION; grep -q 'expected 5, got <4>' prompt.$AUTOPILOT_ITERATION && test $AUTOPILOT_ITERATION = 2 && cp "$(dirname "$AUTOPILOT_PROMPT_FILE")/gate-goal.txt" ok; :`))
	s.wants(st, "done")
	if got := s.read("ok"); got != "expected 5, got <4>\n" {
		t.Errorf("the whole output in the box is %q", got)
	}
}

func TestAPinnedFileThatIsPutBackIsForgiven(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"check.sh": "#!/bin/sh\ntest -f ok\n"})
	st := s.play(s.spec("./check.sh", `case $AUTOPILOT_ITERATION in
1) cp check.sh /tmp/$$.keep; printf '#!/bin/sh\nexit 0\n' > check.sh;;
2) printf '#!/bin/sh\ntest -f ok\n' > check.sh; touch ok;; esac; rm -f /tmp/$$.keep`))
	s.wants(st, "done")
}

func TestAPinnedFileThatStaysChangedHaltsAsDrift(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"check.sh": "#!/bin/sh\ntest -f ok\n"})
	st := s.play(s.spec("./check.sh", `printf '#!/bin/sh\nexit 0\n' > check.sh`))
	s.wants(st, "halted:drift")
	w := s.why(st.ID)
	if !slices.Contains(w.Files, "check.sh") {
		t.Errorf("files %v", w.Files)
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "go on"}); api.Fault(err) == nil {
		t.Error("a run that was halted by drift was resumed")
	}
}

func TestAGoalThatIsRedOnlyForGatesIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	q := s.spec(`test "$ONLY_MINE" = 1`, "true", func(r *wire.RunSpec) { r.MaxIterations = 1 })
	q.Env = append(q.Env, "ONLY_MINE=1")
	v := s.start(q)
	st := s.until(v.ID, func(st run.State) bool { return len(st.Last.Baseline) > 0 })
	if got := st.Last.Baseline[0].Elsewhere; got != events.Pass {
		t.Errorf("elsewhere %q, want pass", got)
	}
	s.stop(v.ID, events.StopCancel)
}

func TestWhatBlocksAnAgentHaltsAndItsAnswerIsToldToTheNext(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", `cat > p
if grep -q 'use blue' p; then touch ok; else echo '{"v":1,"claim":"blocked","summary":"","reason":"red or blue?"}' > "$AUTOPILOT_RESULT_FILE"; fi`))
	s.wants(st, "halted:needs-person")
	if w := s.why(st.ID); w.Question != "red or blue?" {
		t.Errorf("question %q", w.Question)
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "use blue"}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(st.ID, settled), "done")
}

func TestStopNowKeepsTheWorkOfTheAgent(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "echo half > n; cat n; sleep 600"))
	st := s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.printed(st.Last.Start.Effect, "half")
	st = s.stop(v.ID, events.StopNow)
	s.wants(st, "halted:stopped")
	if st.Last.Agent.Outcome != events.Stopped || st.Last.Agent.Files != 1 {
		t.Errorf("agent %+v", st.Last.Agent)
	}
}

func TestTheNextDaemonFindsTheAgentAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "touch began; while ! test -f go-on; do sleep 0.05; done; echo $$ >> pids; touch ok"))
	s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.close()
	s.write(map[string]string{"go-on": "x"})
	s.open()
	st := s.until(v.ID, settled)
	s.wants(st, "done")
	if n := strings.Count(s.read("pids"), "\n"); n != 1 || st.Loop.Attempt != 1 {
		t.Errorf("the agent ran %d times in %d attempts", n, st.Loop.Attempt)
	}
}

func TestALostAgentBeginsAgainFromItsStartTree(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"n": "start\n"})
	v := s.start(s.spec("test -f ok", "cat n >> seen; if test -f /proc/$PPID/status && ! grep -q x n; then echo x >> n; kill -9 $PPID; sleep 5; fi; touch ok",
		func(r *wire.RunSpec) { r.Sandbox = events.SandboxOff })) // else it could not
	st := s.until(v.ID, settled)
	if st.Status == run.Halted {
		s.wants(st, "halted:agent-lost") // each attempt found the start tree and was lost again
		if got := s.read("n"); got != "start\nx\n" {
			t.Errorf("n is %q after the third loss", got)
		}
		return
	}
	t.Fatalf("an agent that kills its supervisor from the same start: %+v", s.d.api.View(st))
}

func TestAnAgentThatCannotKillItsSupervisorIsNotLost(t *testing.T) {
	t.Parallel()
	if config.DefaultSandbox() != events.SandboxGuard {
		return // nothing is confined on this system
	}
	s := newSite(t, map[string]string{"n": "start\n"})
	st := s.play(s.spec("test -f ok", `kill -9 $PPID || touch ok`, func(r *wire.RunSpec) { r.MaxIterations, r.Sandbox = 1, events.SandboxGuard }))
	s.wants(st, "done")
	if d := st.Last.Agent; d.Sandbox != events.SandboxGuard {
		t.Errorf("the agent worked in %q, lacking %v", d.Sandbox, d.Lacking)
	}
}

func TestTwoRunsNeverShareAWorkTree(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.work, link); err != nil {
		t.Fatal(err)
	}
	v := s.start(s.spec("test -f ok", "sleep 600"))
	for _, dir := range []string{s.work, link} {
		q := s.spec("test -f ok", "true")
		q.Spec.Workspace = dir
		if _, err := s.d.api.RunStart(t.Context(), s.request(), q); err == nil || !strings.Contains(err.Error(), v.Handle) {
			t.Errorf("%s: error %v, want one that names %s", dir, err, v.Handle)
		}
	}
	s.stop(v.ID, events.StopCancel)
}

func TestARepeatedRequestStartsOneRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	q := s.request()
	a, err := s.d.api.RunStart(t.Context(), q, s.spec("test -f ok", "touch ok"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.d.api.RunStart(t.Context(), q, s.spec("test -f ok", "touch ok"))
	if err != nil || a.ID != b.ID {
		t.Fatalf("second answer %s %v, first %s", b.ID, err, a.ID)
	}
	s.until(a.ID, settled)
}

func TestTheWorkspaceThatIsGoneHaltsAndComesBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	kept := s.work + ".kept"
	st := s.play(s.spec("test -f ok", fmt.Sprintf("touch ok; cp -R '%s' '%s'; rm -rf '%s'", s.work, kept, s.work)))
	s.wants(st, "halted:workspace-gone")
	if err := os.Rename(kept, s.work); err != nil {
		t.Fatal(err)
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(st.ID, settled), "done")
}

// Without its repository a folder is still where the run was, also from below.
func TestARunIsFoundWhereItsRepositoryWasRemoved(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"sub/a": "a\n"})
	st := s.play(s.spec("test -f ok", "rm -rf .git"))
	s.wants(st, "halted:workspace-gone")
	for _, dir := range []string{s.work, filepath.Join(s.work, "sub")} {
		w, err := s.d.api.RunWhy(t.Context(), s.request(), wire.RunRef{Workspace: dir})
		if err != nil || w.Run.ID != st.ID {
			t.Errorf("%s: %s %v", dir, w.Run.ID, err)
		}
	}
	if _, err := s.d.api.RunWhy(t.Context(), s.request(), wire.RunRef{Workspace: filepath.Dir(s.work)}); codeOf(err) != wire.NotFound {
		t.Errorf("above it: %v", err)
	}
}

func TestRunsThatCannotBeAreRefusedWithoutATrace(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	tests := map[string]func(*wire.RunSpec){
		"empty task":      func(r *wire.RunSpec) { r.Task = " \n" },
		"NUL":             func(r *wire.RunSpec) { r.Task = "a\x00b" },
		"invalid UTF-8":   func(r *wire.RunSpec) { r.Task = "a\xff" },
		"no gate":         func(r *wire.RunSpec) { r.Gates = nil },
		"only invariants": func(r *wire.RunSpec) { r.Gates[0].Role = events.RoleInvariant },
		"gate not found":  func(r *wire.RunSpec) { r.Gates[0].Command = "no-such-tool --x" },
		"agent not found": func(r *wire.RunSpec) { r.Agent.Command = "no-such-agent --x" },
		"no agent":        func(r *wire.RunSpec) { r.Agent = wire.AgentSpec{} },
		"bad script":      func(r *wire.RunSpec) { r.Agent = wire.AgentSpec{Script: "iterations: 3"} },
		"no repository":   func(r *wire.RunSpec) { r.Workspace = t.TempDir() },
		"no directory":    func(r *wire.RunSpec) { r.Workspace = filepath.Join(t.TempDir(), "x") },
		"bad workflow":    func(r *wire.RunSpec) { r.Workflow = "nope" },
		"taken gate name": func(r *wire.RunSpec) { r.Gates[0].Name = "protected" },
	}
	for name, edit := range tests {
		if _, err := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "touch ok", edit)); err == nil {
			t.Errorf("%s: a run was started", name)
		}
	}
	if n := len(s.d.Fleet.States()); n != 0 {
		t.Errorf("%d runs were left", n)
	}
	if left, _ := filepath.Glob(filepath.Join(s.cfg.Places.State, "runs", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAGateThatMakesFilesOfAnyNameHaltsNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec(`touch "$(printf 'caf\351.txt')" '*' 'a[b]' "$(printf 'x\ty')"; test "$(cat n)" = 2`, `echo "$AUTOPILOT_ITERATION" > n`))
	s.wants(st, "done")
	if got := s.tree(st); len(got) != 1 {
		t.Errorf("the tree has %q", got)
	}
}

func TestGatesThatAlwaysChangeRecordedFilesAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"report.txt": "0\n"})
	st := s.play(s.spec("date +%N > report.txt; test -f ok", "touch ok"))
	s.wants(st, "refused:tree-changed")
	if w := s.why(st.ID); !slices.Contains(w.Files, "report.txt") {
		t.Errorf("files %v", w.Files)
	}
}

// What another program saves while the baseline runs is no fault of the gates: the run
// halts with the names of the files, and goes on with them.
func TestFilesThatAnotherProgramSavesDuringTheBaselineAreNamed(t *testing.T) {
	t.Parallel()
	for name, copies := range map[string]bool{"laid over": false, "in copies": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"mine.txt": "1\n", "other.txt": "1\n"})
			s.cfg.copies = copies
			s.again()
			begun, saved := filepath.Join(t.TempDir(), "begun"), filepath.Join(t.TempDir(), "saved")
			gate := fmt.Sprintf("touch %s; while ! test -e %s; do sleep 0.02; done; test -f ok", begun, saved)
			st := s.start(s.spec(gate, "touch ok"))
			comes(t, "the gate of the baseline", func() bool { _, err := os.Stat(begun); return err == nil })
			s.write(map[string]string{"mine.txt": "2\n"})
			s.must(os.Remove(filepath.Join(s.work, "other.txt")))
			s.must(os.WriteFile(saved, nil, 0o600))
			s.wants(s.until(st.ID, settled), "halted:foreign-change")
			if w := s.why(st.ID); !slices.Equal(w.Files, []string{"mine.txt", "other.txt"}) {
				t.Errorf("files %v", w.Files)
			}
			_, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}})
			s.must(err)
			s.wants(s.until(st.ID, settled), "done")
			if got := s.read("mine.txt"); got != "2\n" {
				t.Errorf("it is now %q", got)
			}
			s.noCheckout()
		})
	}
}

func TestAGateThatRewritesFilesBeforeAnyWorkIsRefusedWithWhatHelps(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a.txt": "b\n", "report.xml": "0\n"})
	if out, err := exec.Command("git", "-C", s.work, "add", "a.txt").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	st := s.play(s.spec("echo 1 > report.xml; tr a-z A-Z < a.txt > n.tmp && mv n.tmp a.txt; touch new.txt; test -f ok", "touch ok"))
	s.wants(st, "refused:tree-changed")
	w := s.why(st.ID)
	if diff := cmp.Diff([]string{"a.txt", "report.xml"}, w.Files); diff != "" {
		t.Error(diff)
	}
	for _, says := range []string{"Add to .gitignore:\n  /report.xml\n", "that git tracks. Let them check only", "  a.txt\n"} {
		if !strings.Contains(w.LastError, says) {
			t.Errorf("no %q in:\n%s", says, w.LastError)
		}
	}
}

func TestALockFileThatAGateSettlesOnceIsNoReasonToRefuse(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"Cargo.lock": "old\n"})
	st := s.play(s.spec("echo new > Cargo.lock; test -f ok", "touch ok"))
	s.wants(st, "done")
}
