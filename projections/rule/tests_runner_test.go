package rule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Outputs in the shape that each runner prints.
func TestReadTestsKnowsEachRunner(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want Tests
	}{
		"mocha": {"\n  s\n    ✔ two\n    - three\n      1) x\n\n\n  2 passing (16ms)\n  1 pending\n  1 failing\n\n  1) s\n       deep\n         x:\n\n      Error: no\n", Tests{
			Runners: []string{"mocha"}, Passed: 2, Failed: 1, Skipped: 1, FailedIDs: []string{"s > deep > x"}, Counted: map[string]int{"mocha": 3},
		}},
		"mocha whose test prints numbers": {"  2 failing\n    ✔ two\n\n  3 passing (6ms)\n", Tests{
			Runners: []string{"mocha"}, Passed: 3, Counted: map[string]int{"mocha": 3},
		}},
		"rspec": {"Finished in 0.1 seconds (files took 0.2 seconds to load)\n4 examples, 1 failure, 1 pending\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:5 # A adds\n", Tests{
			Runners: []string{"rspec"}, Passed: 2, Failed: 1, Skipped: 1, FailedIDs: []string{"A adds"}, Counted: map[string]int{"rspec": 3},
		}},
		"minitest -v": {"TestA#test_one = 0.00 s = .\nTestA#test_two = 0.00 s = S\n\nFinished in 0.1s, 1 runs/s.\n2 runs, 1 assertions, 0 failures, 0 errors, 1 skips\n", Tests{
			Runners: []string{"minitest"}, Passed: 1, Skipped: 1, PassedIDs: []string{"TestA#test_one"}, SkippedIDs: []string{"TestA#test_two"}, Named: true, Counted: map[string]int{"minitest": 1},
		}},
		"minitest that fails": {"  1) Failure:\nTestA#test_one [test/a.rb:3]:\nExpected: 1\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n", Tests{
			Runners: []string{"minitest"}, Passed: 1, Failed: 1, FailedIDs: []string{"TestA#test_one"}, Counted: map[string]int{"minitest": 2},
		}},
		"phpunit": {"OK (10 tests, 20 assertions)\n", Tests{Runners: []string{"phpunit"}, Passed: 10, Counted: map[string]int{"phpunit": 10}}},
		"phpunit that fails": {"There was 1 failure:\n\n1) Tests\\FooTest::testBar\nFailed asserting that 1 is 2.\n\nFAILURES!\nTests: 5, Assertions: 6, Failures: 1, Skipped: 1.\n", Tests{
			Runners: []string{"phpunit"}, Passed: 3, Failed: 1, Skipped: 1, FailedIDs: []string{"Tests\\FooTest::testBar"}, Counted: map[string]int{"phpunit": 4},
		}},
		"ctest": {"1/3 Test #1: adds .............................   Passed    0.01 sec\n2/3 Test #2: fails ............................***Failed    0.01 sec\n3/3 Test #3: waits ............................***Skipped   0.00 sec\n\n67% tests passed, 1 tests failed out of 3\n", Tests{
			Runners: []string{"ctest"}, Passed: 1, Failed: 1, Skipped: 1, PassedIDs: []string{"adds"}, FailedIDs: []string{"fails"}, SkippedIDs: []string{"waits"}, Named: true, Counted: map[string]int{"ctest": 2},
		}},
		"dotnet": {"  Failed N.C.Bad [12 ms]\n\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - a.dll (net8.0)\nPassed!  - Failed:     0, Passed:     4, Skipped:     1, Total:     5, Duration: 5 ms - b.dll (net8.0)\n", Tests{
			Runners: []string{"dotnet"}, Passed: 6, Failed: 1, Skipped: 1, FailedIDs: []string{"N.C.Bad"}, Units: []string{"b.dll (net8.0)"}, Counted: map[string]int{"dotnet": 7},
		}},
		"bun": {"a.test.ts:\n(pass) s > one [0.12ms]\n(fail) two\n(skip) three\n\n 1 pass\n 1 skip\n 1 fail\n 3 expect() calls\nRan 3 tests across 1 file. [10.00ms]\n", Tests{
			Runners: []string{"bun"}, Passed: 1, Failed: 1, Skipped: 1, PassedIDs: []string{"a.test.ts > s > one"}, FailedIDs: []string{"a.test.ts > two"}, SkippedIDs: []string{"a.test.ts > three"}, Named: true, Counted: map[string]int{"bun": 2},
		}},
		"deno": {"running 3 tests from ./a_test.ts\none ... ok (1ms)\ntwo ... FAILED (2ms)\nthree ... ignored (0ms)\n\nFAILED | 1 passed | 1 failed | 1 ignored (10ms)\n", Tests{
			Runners: []string{"deno"}, Passed: 1, Failed: 1, Skipped: 1, PassedIDs: []string{"./a_test.ts > one"}, FailedIDs: []string{"./a_test.ts > two"}, SkippedIDs: []string{"./a_test.ts > three"}, Named: true, Counted: map[string]int{"deno": 2},
		}},
		"playwright with a flaky test": {"Running 4 tests using 2 workers\n\n  1 flaky\n    [chromium] › a.spec.ts:3:1 › adds\n  1 skipped\n  2 passed (1.2s)\n", Tests{
			Runners: []string{"playwright"}, Passed: 3, Skipped: 1, Counted: map[string]int{"playwright": 3},
		}},
		"XCTest": {"Test Case '-[M.C testA]' started.\nTest Case '-[M.C testA]' passed (0.001 seconds).\nTest Case '-[M.C testB]' failed (0.001 seconds).\nExecuted 2 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds\n", Tests{
			Runners: []string{"swift"}, Passed: 1, Failed: 1, PassedIDs: []string{"-[M.C testA]"}, FailedIDs: []string{"-[M.C testB]"}, Named: true,
		}},
		"nextest with a retry": {"    Starting 2 tests across 1 binary\n  TRY 1 FAIL [   0.004s] (1/2) my-lib tests::flaky\n        PASS [   0.003s] (1/2) my-lib tests::good\n  TRY 2 PASS [   0.004s] (2/2) my-lib tests::flaky\n     Summary [   0.005s] 2 tests run: 2 passed (1 flaky), 0 skipped\n", Tests{
			Runners: []string{"nextest"}, Passed: 2, PassedIDs: []string{"my-lib tests::flaky", "my-lib tests::good"}, Named: true, Counted: map[string]int{"nextest": 2},
		}},
		"prove": {"t/a.t .. ok\nt/b.t .. skipped: no db\nAll tests successful.\nFiles=2, Tests=3,  0 wallclock secs\nResult: PASS\n", Tests{
			Runners: []string{"prove"}, Passed: 3, Units: []string{"t/a.t", "t/b.t"}, Empty: []string{"t/b.t"}, Unnamed: []string{"t/a.t"}, Counted: map[string]int{"prove": 3},
		}},
		"gotestsum": {"✓  p (1.2s)\n∅  q\n\nDONE 4 tests, 1 skipped in 1.2s\n", Tests{
			Runners: []string{"gotestsum"}, Passed: 3, Skipped: 1, Units: []string{"p", "q"}, Empty: []string{"q"}, Bare: []string{"q"}, Unnamed: []string{"p"}, Counted: map[string]int{"gotestsum": 3},
		}},
		"gradle": {"> Task :compileTestJava UP-TO-DATE\n> Task :test\n> Task :lib:test NO-SOURCE\n\nBUILD SUCCESSFUL in 2s\n", Tests{
			Runners: []string{"gradle"}, Units: []string{":lib:test", ":test"}, Empty: []string{":lib:test"}, Bare: []string{":lib:test"}, Unnamed: []string{":test"},
		}},
		"surefire": {"[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.002 s -- in p.A\n[WARNING] Tests run: 1, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.002 s -- in p.B\n[INFO] Results:\n[WARNING] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1\n", Tests{
			Runners: []string{"surefire"}, Passed: 3, Skipped: 1, Units: []string{"p.A", "p.B"}, Empty: []string{"p.B"}, Unnamed: []string{"p.A"}, Counted: map[string]int{"surefire": 3},
		}},
		"junit of what is to do": {"<testsuites><testcase name=\"a\"/><testcase name=\"b\"><skipped/><failure/></testcase></testsuites>", Tests{
			Runners: []string{"junit"}, Passed: 1, Skipped: 1, PassedIDs: []string{"a"}, SkippedIDs: []string{"b"}, Named: true, Counted: map[string]int{"junit": 1},
		}},
		"django": {"Found 3 test(s).\nSystem check identified no issues (0 silenced).\n...\n----\nRan 3 tests in 0.010s\n\nOK\nDestroying test database for alias 'default'...\n", Tests{
			Runners: []string{"unittest"}, Passed: 3, Counted: map[string]int{"unittest": 3},
		}},
		"xdist": {"=== test session starts ===\ngw0 [2] / gw1 [2]\n..  [100%]\n=== 2 passed in 0.20s ===\n", Tests{
			Runners: []string{"pytest"}, Passed: 2, Counted: map[string]int{"pytest": 2},
		}},
		"pytest -v with reruns": {"=== test session starts ===\na.py::b RERUN  [ 50%]\na.py::b PASSED  [ 50%]\na.py::c XFAIL (later)  [100%]\n=== 1 passed, 1 xfailed, 1 rerun in 0.20s ===\n", Tests{
			Runners: []string{"pytest"}, Passed: 1, Skipped: 1, PassedIDs: []string{"a.py::b"}, SkippedIDs: []string{"a.py::c"}, Named: true, Units: []string{"a.py"}, Counted: map[string]int{"pytest": 1},
		}},
		"an output that is cut": {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n\n... 512 bytes were not kept ...\nok  \tp\t0.1s\n", Tests{
			Runners: []string{"go"}, Passed: 1, PassedIDs: []string{"p.TestA"}, Units: []string{"p"}, Cut: true,
		}},
		"escapes": {"\x1b[32m===\x1b[0m test session starts ===\n\x1b[32m3 passed\x1b[0m\x1b[32m in 0.05s\x1b[0m\n", Tests{
			Runners: []string{"pytest"}, Passed: 3, Counted: map[string]int{"pytest": 3},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, ReadTests([]byte(c.in)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("tests (-want +got):\n%s", diff)
			}
		})
	}
}

// A runner of its own counts, and nothing else that speaks of failing.
func TestReadTestsReadsNumbersOfUnknownRunners(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ passed, failed int }{
		"Tests failed: 6":                     {0, 6},
		"6 tests failed":                      {0, 6},
		"2 failing":                           {0, 2},
		"Failures: 2":                         {0, 2},
		"FAILED (failures=2)":                 {0, 2},
		"10 passed, 2 failed":                 {10, 2},
		"Passed: 10\nFailed: 2":               {10, 2},
		"8/10 tests passed":                   {8, 2},
		"10 tests, 2 failures, 1 skipped":     {0, 2},
		"Test results: 5 passed; 0 failed":    {5, 0},
		"✗ 3 tests failed":                    {0, 3},
		"1 failed\n0 failed":                  {0, 0},
		"0 failed":                            {0, 0},
		"Tests failed: 0":                     {0, 0},
		"warning: 3 things failed":            {0, 0},
		"2 failed login attempts were logged": {0, 0},
		"retry 3 failed, trying again":        {0, 0},
		"coverage: 80% (8/10), 0 failed":      {0, 0},
		"3 vulnerabilities":                   {0, 0},
		"ok  \tp\t0.1s\nTests failed: 6":      {0, 6},
		"Tests failed: 6\nok  \tp\t0.1s":      {0, 0},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got := ReadTests([]byte(text + "\n"))
			equal(t, "passed", got.Passed, want.passed)
			equal(t, "failed", got.Failed, want.failed)
		})
	}
}
