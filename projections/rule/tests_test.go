package rule

import (
	"testing"

	"autopilot/events"
)

func TestReadTestsKnowsWhatRan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want Tests
	}{
		"nothing":           {"", Tests{}},
		"text of no runner": {"warning: 3 things failed\nall done\n", Tests{}},
		"go that passes": {"ok  \ta\t0.1s\n?   \tb\t[no test files]\nok  \tc\t(cached) [no tests to run]\n", Tests{
			Runners: []string{"go"}, Units: []string{"a", "b", "c"}, Empty: []string{"b", "c"}, Bare: []string{"b"}, Unnamed: []string{"a"},
		}},
		"go -v": {"=== RUN   TestA\n=== RUN   TestA/x\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\n=== RUN   TestB\n    a_test.go:3: no db\n--- SKIP: TestB (0.00s)\nPASS\nok  \tp\t0.1s\n", Tests{
			Runners: []string{"go"}, Passed: 1, Skipped: 1, PassedIDs: []string{"p.TestA", "p.TestA/x"}, SkippedIDs: []string{"p.TestB"}, Named: true, Units: []string{"p"},
		}},
		"go test within a test of go -v": {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- FAIL: TestIn (0.00s)\nFAIL\tinner\t0.1s\nok  \tother\t0.1s\n--- PASS: TestB (0.00s)\nPASS\nok  \tp\t0.1s\n", Tests{
			Runners: []string{"go"}, Passed: 2, PassedIDs: []string{"p.TestA", "p.TestB"}, Named: true, Units: []string{"p"},
		}},
		"a test that ends the process": {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\nok  \tp\t0.1s\n", Tests{
			Runners: []string{"go"}, Passed: 1, PassedIDs: []string{"p.TestA"}, Named: true, Units: []string{"p"},
		}},
		"a package that failed and was run again": {"--- FAIL: TestA (0.00s)\nFAIL\tp\t0.1s\nok  \tp\t0.1s\n", Tests{
			Runners: []string{"go"}, Units: []string{"p"}, Unnamed: []string{"p"},
		}},
		"pytest -q": {"...s                                  [100%]\n3 passed, 1 skipped in 0.05s\n", Tests{
			Runners: []string{"pytest"}, Passed: 3, Skipped: 1, Counted: map[string]int{"pytest": 3},
		}},
		"pytest that stops at once": {"=== test session starts ===\ncollected 3 items\n", Tests{}},
		"a session of pytest within a test": {"=== test session starts ===\na.py .  [100%]\n=== PASSES ===\n___ test_x ___\n--- Captured stdout call ---\n=== test session starts ===\nb.py F\n=== short test summary info ===\nFAILED b.py::no - x\n=== 1 failed in 0.01s ===\n=== short test summary info ===\nPASSED a.py::test_x\n=== 1 passed in 0.05s ===\n", Tests{
			Runners: []string{"pytest"}, Passed: 1, PassedIDs: []string{"a.py::test_x"}, Named: true, Counted: map[string]int{"pytest": 1}, Units: []string{"a.py"},
		}},
		"unittest": {"..s\n----\nRan 3 tests in 0.001s\n\nOK (skipped=1)\n", Tests{
			Runners: []string{"unittest"}, Passed: 2, Skipped: 1, Counted: map[string]int{"unittest": 2},
		}},
		"unittest -v": {"test_a (m.T.test_a) ... ok\ntest_b (m.T.test_b)\nSays more. ... hello\nok\ntest_c (m.T.test_c) ... skipped 'x'\n\nRan 3 tests in 0.1s\n\nOK (skipped=1)\n", Tests{
			Runners: []string{"unittest"}, Passed: 2, Skipped: 1, PassedIDs: []string{"m.T.test_a", "m.T.test_b"}, SkippedIDs: []string{"m.T.test_c"}, Named: true, Counted: map[string]int{"unittest": 2},
		}},
		"marks of go that a test of unittest prints": {"...\nRan 3 tests in 0.001s\n\nOK\nFAILED (errors=1)\n--- FAIL: TestX (0.00s)\n", Tests{
			Runners: []string{"unittest"}, Passed: 3, Counted: map[string]int{"unittest": 3},
		}},
		"a test binary beside unittest": {"Ran 3 tests in 0.001s\n\nOK\n--- FAIL: TestX (0.00s)\nFAIL\n", Tests{
			Runners: []string{"go", "unittest"}, Passed: 3, Failed: 1, FailedIDs: []string{"TestX"}, Counted: map[string]int{"unittest": 3},
		}},
		"tap": {"TAP version 13\n1..3\nok 1 - a\nok 2 - b # SKIP x\n    ok 1 - y\nok 3 - s\n", Tests{
			Runners: []string{"tap"}, Passed: 2, Skipped: 1, PassedIDs: []string{"a", "s", "s > y"}, SkippedIDs: []string{"b"}, Named: true,
		}},
		"node": {"▶ s\n  ✔ a (1ms)\n  ﹣ b (1ms) # SKIP\n▶ s (3ms)\nℹ tests 2\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n", Tests{
			Runners: []string{"node"}, Passed: 1, Skipped: 1, PassedIDs: []string{"s", "s > a"}, SkippedIDs: []string{"s > b"}, Named: true, Counted: map[string]int{"node": 1},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "tests", ReadTests([]byte(c.in)), c.want)
		})
	}
}

func TestAnExitCodeOf0CountsOnlyWithItsTests(t *testing.T) {
	t.Parallel()
	red := "--- FAIL: TestA (0.00s)\nFAIL\tp\t0.1s\nok  \tq\t0.1s\n"
	for name, c := range map[string]struct {
		was, is string
		reason  events.Reason
		ids     []string
	}{
		"the packages end well":          {red, "ok  \tp\t0.1s\nok  \tq\t0.1s\n", "", nil},
		"nothing is known of either":     {"Error\n", "fine\n", "", nil},
		"no test runs":                   {red, "", events.ReasonNoTests, nil},
		"the output names what fails":    {red, red, events.ReasonNamesFailing, []string{"p.TestA"}},
		"another runner prints":          {red, "3 passed in 0.1s\n", events.ReasonNotSeen, []string{"p.TestA"}},
		"the package is gone":            {red, "ok  \tq\t0.1s\n", events.ReasonNotSeen, []string{"p.TestA"}},
		"another package is gone":        {red, "ok  \tp\t0.1s\n", events.ReasonMissingTests, []string{"q"}},
		"it did not build, and has none": {"FAIL\tp [build failed]\n", "ok  \tp\t0.1s [no tests to run]\n", events.ReasonNoTests, []string{"p"}},
		"it did not build":               {"FAIL\tp [build failed]\n", "ok  \tp\t0.1s\n", "", nil},
		"fewer are counted":              {"1 failed, 3 passed in 0.1s\n", "3 passed in 0.1s\n", events.ReasonMissingTests, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := JudgeTests(ReadTests([]byte(c.was)), ReadTests([]byte(c.is)), true, nil)
			equal(t, "reason", got.Reason, c.reason)
			equal(t, "ids", got.IDs, c.ids)
		})
	}
}
