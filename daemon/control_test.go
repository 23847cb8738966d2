package daemon

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

// calc is a suite whose code is wrong, and how its gates run.
var calc = map[string]string{
	".gitignore":        "lib/\n",
	"add.py":            "def add(a, b):\n    return a - b  # wrong\n",
	"tests/__init__.py": "",
	"tests/test_add.py": "import unittest\nfrom add import add\n\nclass AddTest(unittest.TestCase):\n" +
		"    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n    def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n",
}

const calcGate = "python3 -m unittest"

func controlNamed(t *testing.T, w wire.WhyView, name string) wire.Control {
	t.Helper()
	i := slices.IndexFunc(w.Evidence.Controls, func(c wire.Control) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no control %s: %+v", name, w.Evidence.Controls)
	}
	return w.Evidence.Controls[i]
}

func most(n int) func(*wire.RunSpec) { return func(r *wire.RunSpec) { r.MaxIterations = n } }

func TestAnHonestFixWithNewTestsAndHelpersIsDone(t *testing.T) {
	t.Parallel()
	s := newSite(t, calc)
	st := s.play(s.spec(calcGate, `sed -i 's/a - b.*/a + b/' add.py; echo 'X = 1' > tests/helpers.py; touch conftest.py
printf 'import unittest\nfrom tests.helpers import X\n\nclass More(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(X, 1)\n' > tests/test_more.py`))
	s.wants(st, "done")
	w := s.why(st.ID)
	if c := controlNamed(t, w, "start-proof"); c.Reason != string(events.ReasonHeld) || !slices.Contains(c.Files, "tests/test_more.py") {
		t.Errorf("%+v", c)
	}
	if c := controlNamed(t, w, "still-red"); c.Reason != string(events.ReasonHeld) {
		t.Errorf("%+v", c)
	}
	if g := w.Evidence.Gates[0]; g.Tests.Passed != 3 || g.TestsWas.Failed != 1 || w.Evidence.Weaker {
		t.Errorf("%+v", g)
	}
	s.noCheckout()
}

func TestGatesThatLeanOnAnAddedFileFailAndThenHalt(t *testing.T) {
	t.Parallel()
	s := newSite(t, calc)
	st := s.play(s.spec(calcGate, `mkdir -p unittest; touch unittest/__init__.py; echo $AUTOPILOT_ITERATION > n
printf 'import sys\nprint("Ran 2 tests in 0.001s\\n\\nOK", file=sys.stderr)\nsys.exit(0)\n' > unittest/__main__.py`))
	s.wants(st, "halted:drift")
	w := s.why(st.ID)
	if !slices.Contains(w.Files, "unittest/__main__.py") {
		t.Errorf("%v\n%s", w.Files, w.LastError)
	}
	s.noCheckout()
}

func TestAnExitCodeOfZeroWithFailingTestsIsNoPass(t *testing.T) {
	t.Parallel()
	s := newSite(t, calc)
	st := s.play(s.spec(calcGate, `echo $AUTOPILOT_ITERATION > n; grep -q _exit add.py || printf 'import atexit, os\natexit.register(lambda: os._exit(0))\n' >> add.py`, most(2)))
	s.wants(st, "halted:iterations")
	if w := s.why(st.ID); !strings.Contains(w.LastError, "names failing tests") || len(w.Failing) != 1 {
		t.Errorf("%v\n%s", w.Failing, w.LastError)
	}
}

func TestATestThatWasNotExecutedIsNoPass(t *testing.T) {
	t.Parallel()
	s := newSite(t, calc)
	st := s.play(s.spec(calcGate, `echo $AUTOPILOT_ITERATION > n; echo 'import os; os._exit(0)' > add.py`, most(2)))
	s.wants(st, "halted:iterations")
	if w := s.why(st.ID); !strings.Contains(w.LastError, "no test was executed") {
		t.Error(w.LastError)
	}
}

func TestWhatTurnsTheFilesOfTheStartGreenIsAskedOfAPerson(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".gitignore": "lib/\n", "check.sh": "test -f lib/ok\n", "a": "none\n"})
	st := s.play(s.spec("sh check.sh", "mkdir -p lib; touch lib/ok; echo $AUTOPILOT_ITERATION > a"))
	s.wants(st, "halted:unproven")
	w := s.why(st.ID)
	if !strings.Contains(w.LastError, "now pass with the files of the start too") || w.Run.Exit != 13 {
		t.Errorf("%d\n%s", w.Run.Exit, w.LastError)
	}
	s.noCheckout()
}

func TestWithoutControlsDoneIsWeaker(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".gitignore": "lib/\n", "check.sh": "test -f lib/ok\n"})
	st := s.play(s.spec("sh check.sh", "mkdir -p lib; touch lib/ok; echo x > a", func(r *wire.RunSpec) { r.NoControls = true }))
	s.wants(st, "done")
	if w := s.why(st.ID); !w.Evidence.Weaker || len(w.Evidence.Controls) > 0 {
		t.Errorf("%+v", w.Evidence)
	}
}

func TestATestThatFailsByChanceAtTheStartIsNotTakenForAChangedEnvironment(t *testing.T) {
	t.Parallel()
	count := filepath.Join(t.TempDir(), "count") // outside of what a control throws away
	s := newSite(t, map[string]string{"check.sh": "n=$(cat " + count + " 2>/dev/null || echo 0); echo $((n + 1)) > " + count + "; test -f ok || test $((n % 3)) = 2\n"})
	st := s.play(s.spec("sh check.sh", "touch ok"))
	s.wants(st, "done")
}

func TestAGoalThatIsRedAsItIsTypedElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"web/Makefile": "test:\n\tfalse\n"})
	st := s.play(s.spec("make test", "true"))
	s.wants(st, "refused:goal-unready")
	if w := s.why(st.ID); !strings.Contains(w.Because+w.LastError, "make -C web test") {
		t.Errorf("%s\n%s", w.Because, w.LastError)
	}
}

// A host that lays no files over others tries them in copies: a failure there counts
// where the work passes in a copy, and a pass where the copy is what the gate reads.
func TestControlsOnAHostWithoutLayersWorkOnCopies(t *testing.T) {
	t.Parallel()
	check := func(text string) map[string]string {
		return map[string]string{".gitignore": "lib/\n", "check.sh": text, "a": "none\n"}
	}
	for name, tt := range map[string]struct {
		files       map[string]string
		gate, agent string
		end         string
		red, proof  events.Reason // of the controls, where it is done
	}{
		"an honest fix": {calc, calcGate, `sed -i 's/a - b.*/a + b/' add.py; touch conftest.py`, "done", events.ReasonHeld, events.ReasonHeld},
		"a runner that came": {
			calc, calcGate, `mkdir -p unittest; touch unittest/__init__.py; echo $AUTOPILOT_ITERATION > n
printf 'import sys\nprint("Ran 2 tests in 0.001s\\n\\nOK", file=sys.stderr)\nsys.exit(0)\n' > unittest/__main__.py`, "halted:drift", "", "",
		},
		"what is ignored turned it green": {
			check("test -f lib/ok && test -s a\n"), "sh check.sh",
			"mkdir -p lib; touch lib/ok; echo $AUTOPILOT_ITERATION > a", "halted:unproven", "", "",
		},
		"what is installed leads back": {
			check("grep -q good $(cat lib/where)/a\n"), "mkdir -p lib; test -f lib/where || pwd > lib/where; sh check.sh",
			"echo good > a", "done", events.ReasonNotTried, events.ReasonNothingNew,
		},
		"what needs its place": {
			check("test $PWD = $(cat lib/where) && grep -q good a\n"), "mkdir -p lib; test -f lib/where || pwd > lib/where; sh check.sh",
			"echo good > a", "done", events.ReasonNotTried, events.ReasonNothingNew,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, tt.files)
			s.cfg.copies = true
			s.again()
			st := s.play(s.spec(tt.gate, tt.agent, most(3)))
			s.wants(st, tt.end)
			s.noCheckout()
			if tt.end != "done" {
				return
			}
			w := s.why(st.ID)
			red, proof := controlNamed(t, w, "still-red"), controlNamed(t, w, "start-proof")
			if red.Reason != string(tt.red) || proof.Reason != string(tt.proof) || w.Evidence.Weaker != (tt.red == events.ReasonNotTried) {
				t.Errorf("%+v, %+v, weaker %v", red, proof, w.Evidence.Weaker)
			}
		})
	}
}
