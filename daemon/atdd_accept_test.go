package daemon

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func accept(command string) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) { r.Inputs = map[string]string{"accept": command} }
}

// inBats is an agent whose acceptance test is one of BATS.
const inBats = `tests() { mkdir -p tests/acceptance; echo '@test "AC1" { ./greet.sh you; }' > tests/acceptance/AT-24.bats; commit tests; }
impl() { if ! test -e tests/acceptance/AT-24.bats; then tests; fi; work; }`

// wantsGate is what a gate said last.
func (s *site) wantsGate(st run.State, name events.Name, reason events.Reason, says string) {
	s.t.Helper()
	if r := verdictOf(st, name); r.Reason != reason || !strings.Contains(s.d.api.Text(r.Excerpt), says) {
		s.t.Errorf("gate %s: %+v\n%s", name, r, s.d.api.Text(r.Excerpt))
	}
}

// Lesson A28: a command that runs no test, or none that could fail, proves nothing
// however green it is; and what it prints or changes is said.
func TestAcceptanceCommandsThatProveNothing(t *testing.T) {
	t.Parallel()
	path := withoutBats(t)
	for name, tt := range map[string]struct {
		agent  string
		edit   []func(*wire.RunSpec)
		gate   events.Name
		reason events.Reason
		says   string
		end    string // sameness, unless it says otherwise
	}{
		"it runs nothing":    {tidyCommits, []func(*wire.RunSpec){accept("true")}, "red", events.ReasonNotRed, "would pass without the work", "halted:gate-unverifiable"},
		"it deletes tests":   {"", []func(*wire.RunSpec){accept("rm -rf tests")}, "red", events.ReasonNoCommit, "The gates changed recorded files, so they ran once more on the changed files:\n  tests/acceptance/AT-24.sh\n", "halted:gate-unverifiable"},
		"it floods":          {"", []func(*wire.RunSpec){accept(`head -c 100000000 /dev/zero | tr '\0' x; exit 3`)}, "green", events.ReasonExit, " bytes left out", ""},
		"there is no test":   {"impl() { touch x; commit x; }", nil, "green", events.ReasonExit, "no acceptance test: tests/acceptance/AT-24.*", ""},
		"a test cannot run":  {`tests() { mkdir -p tests/acceptance; echo ./greet.sh > tests/acceptance/AT-24.sh; commit tests; }`, nil, "green", events.ReasonExit, "failed: tests/acceptance/AT-24.sh", ""},
		"BATS is not there":  {inBats, []func(*wire.RunSpec){}, "green", events.ReasonExit, "was not found.\nbats is not installed: tests/acceptance/AT-24.bats needs it", ""},
		"and so nothing red": {inBats, []func(*wire.RunSpec){}, "red", events.ReasonExit, "did not fail by its tests", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atddSite(t)
			q := s.atdd(tt.agent, tt.edit...)
			q.Env[0] = "PATH=" + path
			st := s.approved(q)
			s.wants(st, cmp.Or(tt.end, "halted:sameness"))
			s.wantsGate(st, tt.gate, tt.reason, tt.says)
			if text := s.d.api.Text(verdictOf(st, tt.gate).Excerpt); len(text) > gate.ExcerptBytes {
				t.Errorf("the excerpt has %d bytes", len(text))
			}
		})
	}
}

// tidyCommits is an agent that commits its tests with nothing else.
const tidyCommits = `tests() { mkdir -p tests/acceptance; printf '#!/bin/sh\n./greet.sh you\n' > tests/acceptance/AT-24.sh; git add tests; git commit -qm tests; }`

// withoutBats is a PATH with all that this host has, but for bats.
func withoutBats(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, from := range filepath.SplitList(os.Getenv("PATH")) {
		programs, _ := os.ReadDir(from) // one that is not there has none
		for _, p := range programs {
			if p.Name() != "bats" {
				_ = os.Symlink(filepath.Join(from, p.Name()), filepath.Join(dir, p.Name())) // the first one counts
			}
		}
	}
	return dir
}

// BATS and programs alike: what is there is run, and a test that waits for
// input, or leaves a server behind, holds nothing up.
func TestAcceptanceTestsOfEveryFormAreRun(t *testing.T) {
	t.Parallel()
	bats := t.TempDir()
	if err := proctest.WriteProgram(filepath.Join(bats, "bats"), "#!/bin/sh\ngrep -q @test \"$1\" && ./greet.sh you\n"); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(t.TempDir(), "pid")
	for name, tt := range map[string]struct {
		agent string
		edit  []func(*wire.RunSpec)
	}{
		"BATS":                    {inBats, nil},
		"one that reads input":    {"", []func(*wire.RunSpec){accept(`test -z "$(cat)" && tests/acceptance/AT-24.sh || exit 1`)}},
		"one that leaves servers": {"", []func(*wire.RunSpec){accept(`(sleep 1000 & echo $! >> ` + left + `); tests/acceptance/AT-24.sh`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atddSite(t)
			q := s.atdd(tt.agent, tt.edit...)
			q.Env[0] = "PATH=" + bats + string(filepath.ListSeparator) + os.Getenv("PATH")
			s.wants(s.approved(q), "done")
		})
	}
	t.Cleanup(func() { // the runs have ended
		b, err := os.ReadFile(left)
		pids := strings.Fields(string(b))
		if err != nil || len(pids) == 0 {
			t.Errorf("servers %q: %v", pids, err)
		}
		for _, text := range pids {
			if pid, err := strconv.Atoi(text); err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
				t.Errorf("server %q is still there: %v", text, err)
			}
		}
	})
}

// Seeds 3.4 stage 2, closed: what does not end in its time is not green, nothing of
// it stays, and its end is no failure of tests.
func TestAnAcceptanceCommandThatHangsIsEnded(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	_, src, err := workflow.Shipped("atdd")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Replace(string(src), "\nlimits: {", "\nlimits: {gate: {wall: 1s, grace: 1s}, ", 1)
	s.write(map[string]string{".autopilot/workflows/atdd.yaml": own})
	s.trust()
	s.committed()
	left := filepath.Join(t.TempDir(), "pid")
	st := s.approved(s.atdd("", accept("echo begun; sleep 1000 & echo $! >> "+left+"; wait")))
	s.wants(st, "halted:sameness")
	s.wantsGate(st, "green", events.ReasonTimeout, "did not finish.\nbegun\n")
	s.wantsGate(st, "red", events.ReasonTimeout, "did not fail by its tests")
	b, err := os.ReadFile(left)
	for _, text := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(text); err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			t.Errorf("process %q is still there: %v", text, err)
		}
	}
	if err != nil || len(b) == 0 {
		t.Errorf("nothing was begun: %v", err)
	}
}
