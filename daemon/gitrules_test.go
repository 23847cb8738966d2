package daemon

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// gitSite is a site with a commit, and a remote beside it that has it.
func gitSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, map[string]string{"check.sh": "test -f ok\n"})
	far := filepath.Join(t.TempDir(), "far.git")
	for _, args := range [][]string{
		{"init", "-q", "--bare", far},
		{"config", "user.name", "n"},
		{"config", "user.email", "n@example.com"},
		{"add", "-A"},
		{"commit", "-qm", "one"},
		{"commit", "-q", "--allow-empty", "-m", "two"},
		{"branch", "-M", "main"},
		{"branch", "dev"},
		{"tag", "v1"},
		{"remote", "add", "origin", far},
		{"push", "-q", "-u", "origin", "main"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", s.work}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return s
}

// unhindered is git without the hint that the run gives to its agents.
const unhindered = "unset GIT_CONFIG_COUNT; "

func denies(push, history string) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) { r.Git = wire.GitRules{Push: push, History: history} }
}

func TestAPushThatIsNotAllowedHaltsAtOnceAndIsNamed(t *testing.T) {
	t.Parallel()
	s := gitSite(t)
	st := s.play(s.spec("sh check.sh", unhindered+"touch ok; git add ok; git commit -qm ok; git push -q origin main", denies(events.GitDeny, "")))
	s.wants(st, "halted:git")
	w := s.why(st.ID)
	if st.Loop.Iteration != 1 || w.Run.Exit != 10 || !strings.Contains(w.Because, "git.push: deny") {
		t.Errorf("after %d: %d %s", st.Loop.Iteration, w.Run.Exit, w.Because)
	}
	if len(w.Files) != 1 || !strings.HasPrefix(w.Files[0], "origin/main from ") || !strings.Contains(w.LastError, "The run allows no push") {
		t.Errorf("%q\n%s", w.Files, w.LastError)
	}
}

func TestAPushIsToldWhereItIsAllowed(t *testing.T) {
	t.Parallel()
	s := gitSite(t)
	st := s.play(s.spec("sh check.sh", "touch ok; git add ok; git commit -qm ok; git push -q origin main && git tag -d v1"))
	s.wants(st, "done")
	v, err := s.d.api.RunGet(t.Context(), s.request(), wire.RunRef{Run: st.ID})
	s.must(err)
	if lines := strings.Join(v.Git, "\n"); !strings.Contains(lines, "origin/main was pushed") || !strings.Contains(lines, "tag v1 was removed") {
		t.Error(lines)
	}
}

func TestAnAgentThatMayNotPushIsHinderedAndPullsAndCommits(t *testing.T) {
	t.Parallel()
	s := gitSite(t)
	st := s.play(s.spec("sh check.sh", `
		git add check.sh && git commit -q --allow-empty -m more && git fetch -q origin && git pull -q origin main || exit 9
		git push -q origin main && exit 8
		d=$(mktemp -d) && git init -q --bare $d/far && git clone -q $d/far $d/own && cd $d/own || exit 7
		git -c user.name=n -c user.email=n@example.com commit -q --allow-empty -m x && git push -q origin HEAD:x || exit 6
		touch `+s.work+`/ok`, denies(events.GitDeny, events.GitKeep)))
	s.wants(st, "done")
	if r := st.Last.Results[len(st.Last.Results)-1]; r.Kind != events.GateGit || r.Verdict != events.Pass {
		t.Errorf("%+v", r)
	}
}

func TestLostHistoryIsAFindingFirstAndThenAHalt(t *testing.T) {
	t.Parallel()
	s := gitSite(t)
	st := s.play(s.spec("sh check.sh", "date +%N > a; git tag -d v1; git branch -D dev; touch ok", denies("", events.GitKeep)))
	s.wants(st, "halted:git")
	w := s.why(st.ID)
	if st.Loop.Iteration != 2 || !strings.Contains(w.Because, "git.history: keep") || len(w.Files) != 2 || !strings.Contains(w.LastError, "Put these back") {
		t.Errorf("after %d: %s %q\n%s", st.Loop.Iteration, w.Because, w.Files, w.LastError)
	}
}

func TestHistoryThatWasPutBackIsDone(t *testing.T) {
	t.Parallel()
	s := gitSite(t)
	st := s.play(s.spec("sh check.sh", `
		touch ok
		if [ $AUTOPILOT_ITERATION = 1 ]; then git branch keep v1; git tag -d v1; else git tag v1 keep; echo x > b; fi`, denies("", events.GitKeep)))
	s.wants(st, "done")
	if st.Loop.Iteration != 2 {
		t.Errorf("after %d", st.Loop.Iteration)
	}
}

func TestAnAgentThatOnlyPushesIsNoNoop(t *testing.T) {
	t.Parallel()
	s := gitSite(t)
	st := s.play(s.spec("sh check.sh", unhindered+"git push -q origin main:other; git push -q origin v1; git commit -q --allow-empty -m x; git push -q origin main", denies(events.GitDeny, "")))
	s.wants(st, "halted:git")
}

func TestARunThatWasHaltedByGitGoesOnWithThePersonWhoSawIt(t *testing.T) {
	t.Parallel()
	s := gitSite(t)
	st := s.play(s.spec("sh check.sh", unhindered+`
		if [ $AUTOPILOT_ITERATION = 1 ]; then git commit -q --allow-empty -m x; git push -q origin main; else touch ok; fi`, denies(events.GitDeny, "")))
	s.wants(st, "halted:git")
	resume := engine.Resume{Git: s.d.Worker.GitNow(t.Context(), st)}
	if _, err := s.d.Fleet.Do(t.Context(), st.ID, resume, "local:0@test/1", "resume-anybody"); !errors.Is(err, engine.ErrDrift) {
		t.Errorf("anybody resumes it: %v", err)
	}
	resume.Assurance = events.AssuredTTY
	if _, err := s.d.Fleet.Do(t.Context(), st.ID, resume, "person:0@test/tty", "resume-person"); err != nil {
		t.Fatal(err)
	}
	st = s.until(st.ID, func(x run.State) bool { return x.Status == run.Over })
	s.wants(st, "done")
}
