package daemon

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/api"
	"autopilot/daemon/auth"
	"autopilot/daemon/repo/land"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// landing is a site whose runs work in work trees of their own.
func landingSite(t *testing.T, files map[string]string) *site {
	t.Helper()
	s := newSite(t, files)
	s.git("add", "-A")
	s.git("-c", "user.name=u", "-c", "user.email=u@e", "commit", "-qm", "first", "--allow-empty")
	s.git("branch", "-M", "main")
	return s
}

// inTree plays a run in a work tree of its own, which has to end done.
func (s *site) inTree(name, agent string, edit func(*wire.RunSpec)) run.State {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), name)
	branch := "autopilot/" + name
	s.git("worktree", "add", "-q", "-b", branch, dir)
	st := s.play(s.spec("test -f "+name, agent, func(r *wire.RunSpec) {
		r.Workspace, r.Branch, r.From, r.Task = dir, branch, s.work, "Make "+name
		if edit != nil {
			edit(r)
		}
	}))
	s.wants(st, "done")
	return st
}

func (s *site) land(o api.LandOrder) (run.State, error) {
	s.t.Helper()
	o.Env = s.spec("", "").Env
	return s.d.api.Begin(s.t.Context(), s.request(), o)
}

// lands plays a landing to its end.
func (s *site) lands(o api.LandOrder) (st run.State, commit, problem string) {
	s.t.Helper()
	st, err := s.land(o)
	s.must(err)
	st = s.until(st.ID, settled)
	commit, problem, ok := api.Landed(st)
	if !ok {
		s.t.Fatalf("the landing is not over: %+v", st.Status)
	}
	if st.Status == run.Over {
		s.must(s.d.Fleet.Settle(s.t.Context(), st.ID))
	}
	return st, commit, problem
}

// Issue M 2: what lands was gated on exactly the merged tree; a merge that is textually
// clean and red stays out, and the target where it is.
func TestWorkLandsOnATargetWhoseGatesPassWithIt(t *testing.T) {
	t.Parallel()
	s := landingSite(t, map[string]string{"check.sh": "#!/bin/sh\nif [ -f a ] && [ -f b ]; then echo both; exit 1; fi\n"})
	either := func(r *wire.RunSpec) {
		r.Gates = append(r.Gates, wire.GateSpec{Name: "either", Role: events.RoleInvariant, Command: "./check.sh"})
	}
	a := s.inTree("a", "echo a > a", either)
	b := s.inTree("b", "echo b > b && git add b && git -c user.name=ann -c user.email=a@e commit -qm 'add b'", either)
	c := s.inTree("c", "echo c > c", either)
	s.write(map[string]string{"dirty": "mine\n"})
	before := s.git("status", "--porcelain") + s.git("rev-parse", "HEAD")
	on := func(st run.State) api.LandOrder {
		return api.LandOrder{Runs: []string{st.ID}, Target: "autopilot/queue-x", Base: "main"}
	}
	st, commit, problem := s.lands(on(a))
	if problem != "" || s.git("rev-parse", "autopilot/queue-x") != commit || s.d.api.View(st).State != "done" {
		t.Fatalf("landed: %s %q %+v", commit, problem, s.d.api.View(st))
	}
	if got := s.git("show", "-s", "--format=%s", commit); got != "Merge run "+a.Facts.Handle+": Make a" {
		t.Errorf("the merge is %q", got)
	}
	if st, _, problem := s.lands(on(b)); problem != api.LandRed || s.git("rev-parse", "autopilot/queue-x") != commit {
		t.Errorf("red together: %q, %s", problem, s.why(st.ID).Because)
	}
	_, commit, problem = s.lands(on(c))
	if problem != "" || s.git("rev-parse", "autopilot/queue-x") != commit {
		t.Errorf("the lane goes on: %s %q", commit, problem)
	}
	if got := s.git("show", "--format=", "--name-only", "-m", "--first-parent", commit); got != "c" {
		t.Errorf("landed: %q", got)
	}
	if after := s.git("status", "--porcelain") + s.git("rev-parse", "HEAD"); after != before {
		t.Errorf("the user's work tree: %s, was %s", after, before)
	}
	if left, _ := filepath.Glob(filepath.Join(s.cfg.Places.State, "land", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestABatchLandsAtOnce(t *testing.T) {
	t.Parallel()
	s := landingSite(t, nil)
	a, b := s.inTree("a", "echo a > a", nil), s.inTree("b", "echo b > b", nil)
	st, commit, problem := s.lands(api.LandOrder{Runs: []string{a.ID, b.ID}, Target: "autopilot/queue-x", Base: "main", How: "squash"})
	if problem != "" || s.git("log", "--format=%s", "main.."+commit) != "Make b\nMake a" {
		t.Errorf("landed: %s %q", commit, problem)
	}
	var gates []string
	for _, g := range st.Facts.Gates {
		gates = append(gates, string(g.Name))
	}
	if want := "goal goal-" + b.Facts.Handle + " protected"; strings.Join(gates, " ") != want {
		t.Errorf("gates: %v, want %s", gates, want)
	}
}

func TestAGoalThatIsGreenOnTheTargetRefusesNothing(t *testing.T) {
	t.Parallel()
	s := landingSite(t, nil)
	a := s.inTree("a", "echo one > a; echo two > b", nil)
	s.write(map[string]string{"other/a": "", "c": "c\n"})
	s.git("branch", "target")
	s.git("checkout", "-q", "target")
	s.git("add", "-A")
	s.git("-c", "user.name=u", "-c", "user.email=u@e", "commit", "-qm", "others")
	s.git("checkout", "-q", "main")
	green := api.LandOrder{Runs: []string{a.ID}, Target: "target"}
	if _, _, problem := s.lands(green); problem != "" {
		t.Fatalf("landed: %q", problem)
	}
	// Its goal is green on the target by now, and it brings more.
	more := s.inTree("e", "echo one > a; echo e > e", func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "goal", Role: events.RoleGoal, Command: "test -f a"}}
	})
	if st, _, problem := s.lands(api.LandOrder{Runs: []string{more.ID}, Target: "target"}); problem != "" || len(st.Last.Results) == 0 {
		t.Errorf("with a goal that is green: %q %s", problem, s.why(st.ID).Because)
	}
}

func TestATargetThatIsRedWithoutTheWorkIsSaid(t *testing.T) {
	t.Parallel()
	s := landingSite(t, map[string]string{".autopilot/config.yaml": "land:\n  gates:\n    suite: test ! -f broken\n  how: rebase\n"})
	s.d.Consent.People = proctest.Seat{}
	s.trust()
	a := s.inTree("a", "echo a > a", nil)
	s.git("branch", "red")
	s.git("checkout", "-q", "red")
	s.write(map[string]string{"broken": ""})
	s.git("add", "-A")
	s.git("-c", "user.name=u", "-c", "user.email=u@e", "commit", "-qm", "breaks it")
	s.git("checkout", "-q", "main")
	st, _, problem := s.lands(api.LandOrder{Runs: []string{a.ID}, Target: "red"})
	if problem != api.LandTargetRed || st.End.Gate != "suite" {
		t.Errorf("landed: %q %+v", problem, st.End)
	}
	_, commit, problem := s.lands(api.LandOrder{Runs: []string{a.ID}, Target: "autopilot/queue-x", Base: "main"})
	if problem != "" || s.git("log", "--format=%s", "main.."+commit) != "Make a" {
		t.Errorf("by the settings: %q %s", problem, s.git("log", "--format=%s", "main.."+commit))
	}
}

func TestWhatCannotLandIsRefusedBeforeARun(t *testing.T) {
	t.Parallel()
	s := landingSite(t, nil)
	a := s.inTree("a", "echo a > a", nil)
	red := s.play(s.spec("test -f none", "echo x > x", func(r *wire.RunSpec) { r.MaxIterations = 1 }))
	files := s.inTree("f", "echo f > f", func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "goal", Kind: events.GateArtifact, Role: events.RoleGoal, Files: []string{"f"}}}
	})
	s.git("branch", "other")
	s.git("checkout", "-q", "other")
	s.write(map[string]string{"a": "another\n"})
	s.git("add", "a")
	s.git("-c", "user.name=u", "-c", "user.email=u@e", "commit", "-qm", "others")
	s.git("checkout", "-q", "main")
	conflict := func(err error) bool {
		var c *land.ConflictError
		return errors.As(err, &c) && c.Run == a.Facts.Handle && strings.Join(c.Files, " ") == "a"
	}
	about := func(why string) func(error) bool {
		return func(err error) bool {
			var r *api.RunError
			return errors.As(err, &r) && strings.Contains(r.Why, why)
		}
	}
	for name, tt := range map[string]struct {
		o  api.LandOrder
		is func(error) bool
	}{
		"a conflict":                {api.LandOrder{Runs: []string{a.ID}, Target: "other"}, conflict},
		"no such target":            {api.LandOrder{Runs: []string{a.ID}, Target: "none"}, func(err error) bool { return errors.Is(err, land.ErrNoTarget) }},
		"no such base":              {api.LandOrder{Runs: []string{a.ID}, Target: "t", Base: "none"}, func(err error) bool { return errors.Is(err, land.ErrNoTarget) }},
		"a bad name":                {api.LandOrder{Runs: []string{a.ID}, Target: "a..b", Base: "main"}, func(err error) bool { return codeOf(err) == wire.Usage }},
		"no run":                    {api.LandOrder{Target: "main"}, func(err error) bool { return codeOf(err) == wire.Usage }},
		"an unknown run":            {api.LandOrder{Runs: []string{"zzzz"}, Target: "main"}, func(err error) bool { return codeOf(err) == wire.NotFound }},
		"an unknown how":            {api.LandOrder{Runs: []string{a.ID}, Target: "main", How: "octopus"}, func(err error) bool { return codeOf(err) == wire.Usage }},
		"a run that is halted":      {api.LandOrder{Runs: []string{red.ID}, Target: "main"}, about("halted (iterations)")},
		"a run without any command": {api.LandOrder{Runs: []string{files.ID}, Target: "main"}, func(err error) bool { return errors.Is(err, land.ErrNoGates) }},
	} {
		if _, err := s.land(tt.o); !tt.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.cfg.Places.State, "land", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	st, _, problem := s.lands(api.LandOrder{Runs: []string{a.ID}, Target: "main"})
	if kept := s.git("rev-parse", "refs/autopilot/land/"+st.Facts.Handle); problem != api.LandCheckedOut || kept != st.Facts.Land.Commit || s.git("status", "--porcelain") != "?? x" {
		t.Errorf("a target that is checked out: %q %s", problem, kept)
	}
	if _, err := s.land(api.LandOrder{Runs: []string{st.ID}, Target: "t", Base: "main"}); !about("is a landing itself")(err) {
		t.Errorf("a landing: %v", err)
	}
	s.git("merge", "-q", "--ff-only", "refs/autopilot/land/"+st.Facts.Handle)
	if _, err := s.land(api.LandOrder{Runs: []string{a.ID}, Target: "main"}); !errors.Is(err, land.ErrNothing) {
		t.Errorf("once more: %v", err)
	}
}

func TestARepeatedRequestStartsOneLanding(t *testing.T) {
	t.Parallel()
	s := landingSite(t, nil)
	a := s.inTree("a", "echo a > a", nil)
	q := s.request()
	o := api.LandOrder{Runs: []string{a.ID}, Target: "autopilot/queue-x", Base: "main", Env: s.spec("", "").Env}
	first, err := s.d.api.Begin(t.Context(), q, o)
	s.must(err)
	again, err := s.d.api.Begin(t.Context(), auth.Request{Identity: q.Identity, ID: q.ID}, o)
	if err != nil || again.ID != first.ID {
		t.Errorf("again: %s %v, want %s", again.ID, err, first.ID)
	}
	s.until(first.ID, settled)
}

// A landing begins in a fresh checkout: what its gates need beside recorded files, set-up
// makes. Held-out gates judge there too, and pins allow what the run was allowed.
func TestALandingIsJudgedAsItsRunWas(t *testing.T) {
	t.Parallel()
	s := landingSite(t, map[string]string{".gitignore": "ready\n", "x_test.go": "package x\n"})
	held := t.TempDir()
	s.must(writeFile(filepath.Join(held, "more"), "more\n"))
	a := s.inTree("a", "echo a > a; touch ready; echo '// more' >> x_test.go; echo 'package x' > new_test.go", func(r *wire.RunSpec) {
		r.Setup, r.AllowTests = "touch ready", []string{"x_test.go"}
		r.Gates[0].Command = "test -f a && test -f ready"
		r.Holdout = wire.HoldoutSpec{Dir: held, Gates: []wire.GateSpec{{Name: "held", Role: events.RoleGoal, Command: "test -f more && test -f a"}}}
	})
	st, commit, problem := s.lands(api.LandOrder{Runs: []string{a.ID}, Target: "autopilot/queue-x", Base: "main"})
	if problem != "" || s.git("show", "--format=", "--name-only", "-m", "--first-parent", commit) != "a\nnew_test.go\nx_test.go" {
		t.Fatalf("landed: %q %s", problem, s.why(st.ID).Because)
	}
	verdicts := map[events.Name]events.Verdict{}
	for _, r := range st.Last.Results {
		verdicts[r.Gate] = r.Verdict
	}
	if verdicts["goal"] != events.Pass || verdicts["held"] != events.Pass || verdicts["protected"] != events.Pass {
		t.Errorf("verdicts: %v", verdicts)
	}
}

// The work of a run in the user's own tree lands as objects: HEAD, index and files of that
// tree are nobody's to move.
func TestWorkInTheUsersTreeLandsWithoutTouchingIt(t *testing.T) {
	t.Parallel()
	s := landingSite(t, map[string]string{"mine": "one\n"})
	s.write(map[string]string{"mine": "two\n"})
	st := s.play(s.spec("test -f a", "echo a > a"))
	s.wants(st, "done")
	before := s.git("status", "--porcelain") + s.git("rev-parse", "HEAD")
	_, commit, problem := s.lands(api.LandOrder{Runs: []string{st.ID}, Target: "side", Base: "main"})
	if problem != "" || s.git("diff", "--name-status", "main", commit) != "A\ta" {
		t.Errorf("landed: %q", problem)
	}
	if after := s.git("status", "--porcelain") + s.git("rev-parse", "HEAD"); after != before {
		t.Errorf("the user's tree is %s, was %s", after, before)
	}
}

// Bad input: others push to the target in mid-landing. Nothing is lost, and nothing forced.
func TestATargetThatOthersMoveMeanwhileStaysTheirs(t *testing.T) {
	t.Parallel()
	s := landingSite(t, nil)
	a := s.inTree("a", "echo a > a", nil)
	s.git("-c", "user.name=u", "-c", "user.email=u@e", "commit", "-q", "--allow-empty", "-m", "theirs")
	theirs := s.git("rev-parse", "HEAD")
	s.git("branch", "t", "HEAD~1")
	others := wire.GateSpec{Name: "others", Role: events.RoleInvariant, Command: "git -C '" + s.work + "' branch -f t " + theirs}
	st, commit, problem := s.lands(api.LandOrder{Runs: []string{a.ID}, Target: "t", Gates: []wire.GateSpec{others}})
	if problem != api.LandTargetMoved || s.git("rev-parse", "t") != theirs || s.d.api.View(st).State != "failed" {
		t.Fatalf("landed: %s %q", commit, problem)
	}
	if w := s.why(st.ID); !strings.Contains(w.Because, "others moved the branch meanwhile") || !strings.Contains(w.LastError, "t moved from") {
		t.Errorf("because %s: %s", w.Because, w.LastError)
	}
	if _, again, problem := s.lands(api.LandOrder{Runs: []string{a.ID}, Target: "t"}); problem != "" || s.git("rev-parse", again+"~1") != theirs {
		t.Errorf("again: %s %q", again, problem)
	}
}
