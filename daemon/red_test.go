package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

const tests = `name: tests
version: 1
phases:
  - name: work
    prompt: converge.md
    gates: [goals, {name: red, kind: red, run: ./accept.sh, files: ["tests/**"]}]
`

// byHand is what agents in these tests work with.
const byHand = `set -e
commit() { git add -A; git commit -qm "$1"; }
tests() { mkdir -p tests; echo 'test -f work || { echo "--- FAIL: TestWork (0.00s)"; exit 1; }' > tests/a.sh; }
`

// redSite is a site with a commit to begin from, and a workflow whose tests have
// to be seen red.
func redSite(t *testing.T, edit ...string) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\n")
	s.write(map[string]string{
		".autopilot/workflows/tests.yaml": strings.NewReplacer(edit...).Replace(tests),
		"accept.sh":                       "#!/bin/sh\nfor t in tests/*.sh; do sh \"$t\" || exit 1; done\n",
	})
	s.trust()
	return s
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.work, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.cfg.Home}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *site) committed() {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-qm", "base")
}

func (s *site) redSpec(agent string, edit ...func(*wire.RunSpec)) wire.StartRequest {
	edit = append([]func(*wire.RunSpec){func(r *wire.RunSpec) { r.Workflow, r.MaxIterations = "tests", 1 }}, edit...)
	return s.spec("test -f tests/a.sh && ./accept.sh", byHand+agent, edit...)
}

func redResult(t *testing.T, list []events.GateResult) events.GateResult {
	t.Helper()
	for _, r := range list {
		if r.Kind == events.GateRed {
			return r
		}
	}
	t.Fatalf("no gate of kind red among %+v", list)
	return events.GateResult{}
}

func TestTheTestsHaveToBeSeenRedBeforeTheWork(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		agent, state string
		reason       events.Reason
		says         string
	}{
		"tests, then work, each in a commit":         {`tests; commit tests; touch work; commit work`, "done", events.ReasonSeenRed, "--- FAIL: TestWork"},
		"tests in a commit, then work in none":       {`tests; commit tests; touch work`, "done", events.ReasonSeenRed, "\"tests\", which adds the tests, the command fails"},
		"commits in between that have nothing":       {`tests; commit tests; git commit -q --allow-empty -m x; touch work; commit work`, "done", events.ReasonSeenRed, "\"tests\""},
		"A28: tests and work in one commit":          {`tests; touch work; commit both; touch more; commit more`, "halted:iterations", events.ReasonAncestry, "  work\n"},
		"A28: the tests after the work":              {`touch work; commit work; tests; commit tests; touch more`, "halted:iterations", events.ReasonNotRed, "would pass without the work"},
		"A28: so too with a note in their commit":    {`touch work; commit work; tests; mkdir -p .autopilot/notes; echo n > .autopilot/notes/n; commit tests; touch more`, "halted:iterations", events.ReasonNotRed, "would pass without the work"},
		"A28: a trifle in the tests after both":      {`tests; touch work; commit both; echo >> tests/a.sh; commit later; touch more`, "halted:iterations", events.ReasonNotRed, "\"later\""},
		"A28: the tests in no commit":                {`touch work; commit work; tests`, "halted:iterations", events.ReasonNoCommit, "No commit since"},
		"A28: the tests changed afterwards":          {`tests; commit tests; touch work; commit work; echo true > tests/a.sh`, "halted:iterations", events.ReasonNoCommit, "  tests/a.sh\n"},
		"A28: a test removed afterwards":             {`tests; echo false > tests/b.sh; commit tests; rm tests/b.sh; touch work`, "halted:iterations", events.ReasonNoCommit, "  tests/b.sh\n"},
		"A28: a test removed in a later commit":      {`tests; echo false > tests/b.sh; commit tests; rm tests/b.sh; commit fewer; touch work`, "halted:iterations", events.ReasonNoCommit, "only removes some"},
		"A28: tests that are said to be older":       {`touch work; commit work; tests; export GIT_AUTHOR_DATE=1980-01-01T00:00:00Z GIT_COMMITTER_DATE=1980-01-01T00:00:00Z; commit tests; touch more`, "halted:iterations", events.ReasonNotRed, "\"tests\""},
		"A30: work alone":                            {`touch work; commit work`, "halted:iterations", events.ReasonNoCommit, "No commit since"},
		"Q22: the tests as the work":                 {`tests; commit tests`, "halted:iterations", events.ReasonAncestry, "Commit the work after"},
		"Q23: HEAD is where it is, not where it was": {`tests; commit tests; touch work; commit work; git reset -q --soft HEAD~2`, "halted:iterations", events.ReasonNoCommit, "No commit since"},
		"a side branch that the tests come from":     {`git checkout -qb side; tests; commit tests; touch work; commit work; git checkout -q -; git merge -q --no-ff -m merged side; touch more`, "halted:iterations", events.ReasonAncestry, "\"merged\""},
		"the commit at the start written anew":       {`git commit -q --amend -m else; tests; commit tests; touch work`, "halted:iterations", events.ReasonAncestry, "none of those before HEAD"},
		"a shallow boundary":                         {`tests; commit tests; touch work; git rev-parse HEAD > .git/shallow`, "halted:iterations", events.ReasonAncestry, "shallow clone"},
		"a graft":                                    {`tests; touch work; commit both; echo "$(git rev-parse HEAD) $(git rev-parse HEAD~)" > .git/info/grafts`, "halted:iterations", events.ReasonAncestry, "grafts"},
		"a replacement":                              {`touch work; commit work; tests; commit tests; git replace HEAD~ HEAD~2; touch more`, "halted:iterations", events.ReasonAncestry, "replace refs"},
		"borrowed objects":                           {`tests; commit tests; touch work; echo /elsewhere > .git/objects/info/alternates`, "halted:iterations", events.ReasonAncestry, "borrows objects"},
		"a submodule":                                {`tests; git init -q sub; git -C sub -c user.name=u -c user.email=u@x commit -q --allow-empty -m s; commit tests; touch work`, "done", events.ReasonSeenRed, "\"tests\""},
		"a failure for want of the command":          {`tests; git rm -q --cached accept.sh; git add tests; git commit -qm tests; touch work; commit work`, "halted:iterations", events.ReasonExit, "did not fail by its tests"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redSite(t)
			s.committed()
			st := s.play(s.redSpec(tt.agent))
			r := redResult(t, st.Last.Results)
			if text := s.d.api.Text(r.Excerpt); r.Reason != tt.reason || !strings.Contains(text, tt.says) {
				t.Errorf("%+v\n%s", r, text)
			}
			s.wants(st, tt.state)
			if pass := tt.reason == events.ReasonSeenRed; pass && (r.Verdict != events.Pass || r.Effect == "" || r.Exit != 1 || r.Env == "" ||
				strings.Join(s.d.api.Lines(r.FailingIDs), " ") != "TestWork") {
				t.Errorf("evidence: %+v %q", r, s.d.api.Lines(r.FailingIDs))
			}
			s.noCheckout()
		})
	}
}

// Nothing of the workspace's configuration is run by the daemon: not when HEAD is
// read, not when commits are copied, not when one is checked out.
func TestARepositoryThatWantsToRunProgramsIsOnlyRead(t *testing.T) {
	t.Parallel()
	s := redSite(t)
	s.committed()
	canary := filepath.Join(t.TempDir(), "canary")
	st := s.play(s.redSpec(`echo '* filter=evil' > .gitattributes; tests; commit tests; touch work; commit work
printf '#!/bin/sh\necho "$0 $*" >> ` + canary + `\ncat\n' > .git/evil; chmod +x .git/evil
for h in post-checkout reference-transaction post-index-change; do cp .git/evil .git/hooks/$h; done
cat >> .git/config <<END
[core]
	fsmonitor = $PWD/.git/evil
	alternateRefsCommand = $PWD/.git/evil
[filter "evil"]
	clean = $PWD/.git/evil
	smudge = $PWD/.git/evil
	process = $PWD/.git/evil
	required = true
[uploadpack]
	packObjectsHook = $PWD/.git/evil
END`))
	s.wants(st, "done")
	if ran, err := os.ReadFile(canary); err == nil {
		t.Errorf("it ran:\n%s", ran)
	}
}

func TestAnAgentCanPutItsHistoryInOrder(t *testing.T) {
	t.Parallel()
	s := redSite(t)
	s.committed()
	st := s.play(s.redSpec(`if [ $AUTOPILOT_ITERATION = 1 ]; then tests; touch work; commit both; else
git reset -q HEAD~; git add tests; git commit -qm tests; touch more; commit work; fi`, func(r *wire.RunSpec) { r.MaxIterations = 2 }))
	s.wants(st, "done")
	if r := redResult(t, st.Last.Before); r.Reason != events.ReasonAncestry {
		t.Errorf("at first: %+v", r)
	}
}

func TestWhatWasSeenRedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	once := filepath.Join(t.TempDir(), "once")
	s := redSite(t, "./accept.sh", "echo ran >> "+once+"; ./accept.sh")
	s.committed()
	st := s.play(s.redSpec(`case $AUTOPILOT_ITERATION in 1) tests; commit tests; touch part;; 2) commit part; touch more;; *) touch work; commit work; esac`,
		func(r *wire.RunSpec) { r.MaxIterations = 3 }))
	s.wants(st, "done")
	if b, err := os.ReadFile(once); err != nil || string(b) != "ran\nran\n" { // in the test commit, and on the files as they are when all passes
		t.Errorf("it ran %q: %v", b, err)
	}
	before, now := redResult(t, st.Last.Before), redResult(t, st.Last.Results)
	text := s.d.api.Text(now.Excerpt)
	if now.Effect != before.Effect || now.Set != before.Set || strings.Count(text, "The earlier result counts") != 1 || !strings.Contains(text, "TestWork") {
		t.Errorf("%+v\n%+v\n%s", before, now, text)
	}
}

// Nor is a test that does not always fail tried until it does.
func TestWhatPassedInTheTestCommitIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	once := filepath.Join(t.TempDir(), "once")
	s := redSite(t, "./accept.sh", "test -e "+once+" && exit 1; touch "+once)
	s.committed()
	st := s.play(s.redSpec(`if [ $AUTOPILOT_ITERATION = 1 ]; then tests; commit tests; fi; touch work; echo $AUTOPILOT_ITERATION > n`,
		func(r *wire.RunSpec) { r.MaxIterations = 2 }))
	s.wants(st, "halted:iterations")
	if r := redResult(t, st.Last.Results); r.Reason != events.ReasonNotRed {
		t.Errorf("%+v", r)
	}
}

func TestAKilledDaemonGoesOnWithTheTestCommit(t *testing.T) {
	t.Parallel()
	once := filepath.Join(t.TempDir(), "once")
	s := redSite(t, "./accept.sh", "echo begun >> "+once+"; echo begun; until test -e "+once+".go; do sleep 0.05; done; ./accept.sh")
	s.committed()
	v := s.start(s.redSpec(`tests; commit tests; touch work`))
	st := s.until(v.ID, func(st run.State) bool { return settled(st) || st.Stage == run.Gates && st.Loop.Iteration == 1 })
	var id string
	for _, e := range st.Last.Gates.Effects {
		if e.Gate == "red" {
			id = effectID(t, s, e.Effect+"-red-????????")
		}
	}
	s.printed(id, "begun")
	s.close()
	if err := os.WriteFile(once+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.open()
	st = s.until(v.ID, settled)
	s.wants(st, "done")
	if b, err := os.ReadFile(once); err != nil || string(b) != "begun\nbegun\n" { // the second one is the control run
		t.Errorf("it ran %q times: %v", b, err)
	}
	if r := redResult(t, st.Last.Results); r.Effect != id {
		t.Errorf("%+v, want effect %s", r, id)
	}
	s.noCheckout()
}

func TestATestCommitIsPreparedAsEveryCleanCheckout(t *testing.T) {
	t.Parallel()
	for setup, want := range map[string]struct {
		state  string
		reason events.Reason
	}{
		"touch prepared":                       {"done", events.ReasonSeenRed},
		"test ! -f tests/a.sh || test -f work": {"halted:iterations", events.ReasonSetup},
	} {
		s := redSite(t)
		s.committed()
		st := s.play(s.redSpec(`tests; commit tests; touch work`, clean(setup)))
		r := redResult(t, st.Last.Results)
		if r.Reason != want.reason || r.Kind != events.GateRed {
			t.Errorf("%s: %+v\n%s", setup, r, s.d.api.Text(r.Excerpt))
		}
		s.wants(st, want.state)
		s.noCheckout()
	}
}

// A31: what no work could open is said before any is done.
func TestARunWithoutAHistoryIsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make func(s *site)
		says string
	}{
		"no commit": {func(*site) {}, "no commit yet"},
		"a shallow clone": {func(s *site) {
			s.committed()
			s.write(map[string]string{".git/shallow": s.git("rev-parse", "HEAD") + "\n"})
		}, "shallow clone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redSite(t)
			tt.make(s)
			_, err := s.d.api.RunStart(t.Context(), s.request(), s.redSpec("true"))
			if codeOf(err) != wire.Usage || !strings.Contains(err.Error(), "gate red") || !strings.Contains(err.Error(), tt.says) {
				t.Error(err)
			}
		})
	}
}

// A failure that every clean checkout has says nothing about the work.
func TestACommandThatFailsInEveryCheckoutProvesNothing(t *testing.T) {
	t.Parallel()
	work := `tests; commit tests; touch work gen`
	for name, tt := range map[string]struct {
		setup, state string
		reason       events.Reason
		says         string
	}{
		"what is ignored is missing":     {"true", "halted:iterations", events.ReasonControl, "  gen\n"},
		"the set-up makes it":            {"touch gen", "done", events.ReasonSeenRed, "\"tests\", which adds the tests, the command fails"},
		"the set-up fails with the work": {"test ! -f work", "halted:iterations", events.ReasonControl, "It is prepared by: test ! -f work\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redSite(t, "./accept.sh", "test -f gen && ./accept.sh")
			s.write(map[string]string{".gitignore": "gen\n"})
			s.committed()
			q := s.redSpec(work, clean(tt.setup))
			q.Spec.Gates[0].Command = "test -f tests/a.sh" // in place and in a checkout alike
			st := s.play(q)
			r := redResult(t, st.Last.Results)
			if text := s.d.api.Text(r.Excerpt); r.Reason != tt.reason || !strings.Contains(text, tt.says) {
				t.Errorf("%+v\n%s", r, text)
			}
			s.wants(st, tt.state)
			s.noCheckout()
		})
	}
}

func TestAControlRunIsMadeOnceForATree(t *testing.T) {
	t.Parallel()
	once := filepath.Join(t.TempDir(), "once")
	s := redSite(t, "./accept.sh", "echo ran >> "+once+"; test -f gen && ./accept.sh")
	s.write(map[string]string{".gitignore": "gen\n"})
	s.committed()
	// What is ignored is written anew, so it is no no-op, and the tree is the same.
	q := s.redSpec(`test -f tests/a.sh || { tests; commit tests; touch work; }; echo $AUTOPILOT_ITERATION > gen`, func(r *wire.RunSpec) { r.MaxIterations = 2 })
	q.Spec.Gates[0] = wire.GateSpec{Name: "gen", Role: events.RoleGoal, Kind: events.GateArtifact, Files: []string{"gen"}}
	st := s.play(q)
	s.wants(st, "halted:iterations")
	before, now := redResult(t, st.Last.Before), redResult(t, st.Last.Results)
	if b, err := os.ReadFile(once); err != nil || string(b) != "ran\nran\n" || now.Reason != events.ReasonControl || now.Control != before.Control || now.Effect != before.Effect {
		t.Errorf("it ran %q: %v\n%+v\n%+v", b, err, before, now)
	}
}

// rowed is an agent that names a red row in its result file.
func rowed(row string) string {
	return `tests; commit tests; test=$(git rev-parse HEAD); touch work; commit work; work=$(git rev-parse HEAD)
printf '{"v":1,"claim":"done","red":%s}' "` + strings.ReplaceAll(row, `"`, `\"`) + `" > "$AUTOPILOT_RESULT_FILE"`
}

// Seeds 3.5 check_red_evidence with Q22, Q23 and Q34; A30: what was named is
// compared with what was found, and takes the place of nothing.
func TestARedRowHasToAgreeWithTheHistory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ agent, state, says string }{
		"the commit of the tests":           {rowed(`[{"commit":"$test","at_file":"tests/a.sh"}]`), "done", ""},
		"with the work":                     {rowed(`[{"commit":"$test","impl_sha":"$work","at_file":"tests/a.sh"}]`), "done", ""},
		"Q34: the last one counts":          {rowed(`[{"commit":"$work","at_file":"a"},{"commit":"$test","at_file":"tests/a.sh"}]`), "done", ""},
		"a row of another gate":             {rowed(`[{"gate":"other","commit":"$work","at_file":"a"}]`), "done", ""},
		"Q34: the last one, which is wrong": {rowed(`[{"commit":"$test","at_file":"tests/a.sh"},{"commit":"$work","at_file":"tests/a.sh"}]`), "halted:iterations", "did not add the tests"},
		"Q22: the tests as the work":        {rowed(`[{"commit":"$test","impl_sha":"$test","at_file":"tests/a.sh"}]`), "halted:iterations", "impl_sha is the commit of the tests"},
		"Q23: a work that is none":          {rowed(`[{"commit":"$test","impl_sha":"$(git rev-parse HEAD~2)","at_file":"tests/a.sh"}]`), "halted:iterations", "is not a later commit"},
		"A30: HEAD is not put in its place": {rowed(`[{"commit":"HEAD~1","at_file":"tests/a.sh"}]`), "halted:iterations", "cannot be read: commit of row 1"},
		"a file that is no test":            {rowed(`[{"commit":"$test","at_file":"work"}]`), "halted:iterations", "is not one of the tests"},
		"a test of another commit":          {rowed(`[{"commit":"$test","at_file":"tests/b.sh"}]`), "halted:iterations", "is not added or changed by the commit"},
		"no list":                           {rowed(`"$test"`), "halted:iterations", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redSite(t)
			s.committed()
			st := s.play(s.redSpec(tt.agent))
			r := redResult(t, st.Last.Results)
			if text := s.d.api.Text(r.Excerpt); tt.says != "" && (r.Reason != events.ReasonRow || !strings.Contains(text, tt.says)) {
				t.Errorf("%+v\n%s", r, text)
			}
			s.wants(st, tt.state)
		})
	}
}

func TestAChatCanNameARedRow(t *testing.T) {
	t.Parallel()
	s := redSite(t)
	s.committed()
	c := s.chat()
	q := s.redSpec("", func(r *wire.RunSpec) { r.Agent, r.MaxIterations = wire.AgentSpec{}, 3 })
	v := c.joins(&q)
	w := c.work()
	s.write(map[string]string{"tests/a.sh": "test -f work || exit 1\n"})
	s.committed()
	test := s.git("rev-parse", "HEAD")
	s.write(map[string]string{"work": "x"})
	row := func(commit string) func(*wire.Submission) {
		return func(sub *wire.Submission) { sub.Red = []wire.RedRow{{Commit: commit, File: "tests/a.sh"}} }
	}
	if _, err := c.submit(delivery(w, "done", row("decaf"))); err != nil {
		t.Fatal(err)
	}
	if w = c.work(); len(w.Findings) != 1 || !strings.Contains(w.Findings[0].Text, "The commit that was found is "+test) {
		t.Errorf("%+v", w.Findings)
	}
	s.write(map[string]string{"work": "y"})
	// The row of before is the most recent one until another is named.
	c.submits(w, "done")
	if w = c.work(); len(w.Findings) != 1 || !strings.Contains(w.Findings[0].Text, "decaf") {
		t.Errorf("%+v", w.Findings)
	}
	s.write(map[string]string{"work": "z"})
	if _, err := c.submit(delivery(w, "done", row(test))); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(v.Run.ID, settled), "done")
}
