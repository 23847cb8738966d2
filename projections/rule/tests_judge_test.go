package rule

import (
	"strings"
	"testing"

	"autopilot/events"
)

const (
	goRed = "--- FAIL: TestA (0.00s)\nFAIL\tm/p\t0.1s\nok  \tm/q\t0.1s\nFAIL\n"
	// A baseline of -v.
	goRedV = "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n=== RUN   TestT\n=== RUN   TestT/one\n--- PASS: TestT (0.00s)\n    --- PASS: TestT/one (0.00s)\nFAIL\nFAIL\tm/p\t0.1s\n"
	goTop  = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n"
	goEndV = "PASS\nok  \tm/p\t0.1s\n"
	pyRed  = "=== test session starts ===\ncollected 3 items\n\ntests/test_a.py F..  [100%]\n=== FAILURES ===\n=== short test summary info ===\nFAILED tests/test_a.py::test_x - no\n=== 1 failed, 2 passed in 0.1s ===\n"
)

func pytestRunOf(lines, total string) string {
	return "=== test session starts ===\ncollected 3 items\n\n" + lines + "\n=== " + total + " in 0.1s ===\n"
}

type judged struct {
	was, is string
	green   bool // the baseline
	letGo   string
	reason  events.Reason
	ids     []string
}

func judgeAll(t *testing.T, cases map[string]judged) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			letGo := func(id string) bool { return c.letGo != "" && strings.Contains(id, c.letGo) }
			got := JudgeTests(ReadTests([]byte(c.was)), ReadTests([]byte(c.is)), !c.green, letGo)
			equal(t, "reason", got.Reason, c.reason)
			equal(t, "ids", got.IDs, c.ids)
		})
	}
}

func TestAPassThatItsTestsDoNotProveIsNone(t *testing.T) {
	t.Parallel()
	judgeAll(t, map[string]judged{
		"no test runs":                           {was: goRed, is: "", reason: events.ReasonNoTests},
		"the output names what fails":            {was: goRed, is: goRed, reason: events.ReasonNamesFailing, ids: []string{"m/p.TestA"}},
		"it names what fails, and was green":     {was: "ok  \tm/p\t0.1s\n", is: goRed, green: true, reason: events.ReasonNamesFailing, ids: []string{"m/p.TestA"}},
		"an end that the exit code hides":        {was: pyRed, is: strings.Replace(pyRed, "1 failed", "1 failed", 1), reason: events.ReasonNamesFailing, ids: []string{"tests/test_a.py::test_x"}},
		"numbers of a suite of its own":          {was: "Tests failed: 9\n", is: "Tests failed: 6\n", reason: events.ReasonNamesFailing},
		"another runner prints":                  {was: goRed, is: "3 passed in 0.1s\n", reason: events.ReasonNotSeen, ids: []string{"m/p.TestA"}},
		"the package is gone":                    {was: goRed, is: "ok  \tm/q\t0.1s\n", reason: events.ReasonNotSeen, ids: []string{"m/p.TestA"}},
		"the package has no tests":               {was: goRed, is: "?   \tm/p\t[no test files]\nok  \tm/q\t0.1s\n", reason: events.ReasonNotSeen, ids: []string{"m/p.TestA"}},
		"another package is gone":                {was: goRed, is: "ok  \tm/p\t0.1s\n", reason: events.ReasonMissingTests, ids: []string{"m/q"}},
		"another package is empty":               {was: goRed, is: "ok  \tm/p\t0.1s\nok  \tm/q\t0.1s [no tests to run]\n", reason: events.ReasonMissingTests, ids: []string{"m/q"}},
		"it did not build, and nothing matches":  {was: "FAIL\tm/p [build failed]\n", is: "ok  \tm/p\t0.1s [no tests to run]\n", reason: events.ReasonNoTests, ids: []string{"m/p"}},
		"a panic, and no test there":             {was: "panic: x\nFAIL\tm/p\t0.1s\n", is: "ok  \tm/p\t0.1s [no tests to run]\nok  \tm/q\t0.1s\n", reason: events.ReasonNotSeen, ids: []string{"m/p [panic]"}},
		"the main of the tests ends the process": {was: goRedV, is: "ok  \tm/p\t0.1s\n", reason: events.ReasonNotSeen, ids: []string{"m/p.TestA"}},
		"the process ends within a test":         {was: goRedV, is: goTop[:strings.Index(goTop, "--- PASS: TestA")] + "ok  \tm/p\t0.1s\n", reason: events.ReasonNoTests, ids: []string{"m/p"}},
		"what failed is skipped":                 {was: goRedV, is: "=== RUN   TestA\n--- SKIP: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n" + goEndV, reason: events.ReasonNotSeen, ids: []string{"m/p.TestA"}},
		"what passed is skipped":                 {was: goRedV, is: strings.Replace(goTop, "PASS: TestB", "SKIP: TestB", 1) + "=== RUN   TestT\n=== RUN   TestT/one\n--- PASS: TestT (0.00s)\n    --- PASS: TestT/one (0.00s)\n" + goEndV, reason: events.ReasonMissingTests, ids: []string{"m/p.TestB"}},
		"a subtest is gone":                      {was: goRedV, is: goTop + "=== RUN   TestT\n--- PASS: TestT (0.00s)\n" + goEndV, reason: events.ReasonMissingTests, ids: []string{"m/p.TestT/one"}},
		"pytest that stops at once":              {was: pyRed, is: "=== test session starts ===\ncollected 3 items\n", reason: events.ReasonNoTests},
		"pytest counts fewer":                    {was: pyRed, is: pytestRunOf("tests/test_a.py ..  [100%]", "2 passed"), reason: events.ReasonMissingTests},
		"pytest skips":                           {was: pyRed, is: pytestRunOf("tests/test_a.py s..  [100%]", "2 passed, 1 skipped"), reason: events.ReasonMissingTests},
		"pytest skips by name":                   {was: pyRed, is: pytestRunOf("tests/test_a.py::test_x SKIPPED (no)  [ 33%]\ntests/test_a.py::test_y PASSED  [ 66%]\ntests/test_a.py::test_z PASSED  [100%]", "2 passed, 1 skipped"), reason: events.ReasonNotSeen, ids: []string{"tests/test_a.py::test_x"}},
		"pytest expects it to fail":              {was: pyRed, is: pytestRunOf("tests/test_a.py x..  [100%]", "2 passed, 1 xfailed"), reason: events.ReasonMissingTests},
		"a file of pytest is gone":               {was: pytestRunOf("a.py F  [ 50%]\nb.py .  [100%]", "1 failed, 1 passed"), is: pytestRunOf("a.py .  [100%]", "1 passed"), reason: events.ReasonMissingTests, ids: []string{"b.py"}},
		"unittest ran fewer":                     {was: "Ran 3 tests in 0.1s\n\nFAILED (failures=1)\n", is: "Ran 2 tests in 0.1s\n\nOK\n", reason: events.ReasonMissingTests},
		"unittest ran none":                      {was: "Ran 3 tests in 0.1s\n\nFAILED (failures=1)\n", is: "Ran 0 tests in 0.1s\n\nOK\n", reason: events.ReasonNoTests},
		"unittest fails behind an exit":          {was: "Ran 3 tests in 0.1s\n\nFAILED (failures=2)\n", is: "Ran 3 tests in 0.1s\n\nFAILED (failures=2)\n", reason: events.ReasonNamesFailing},
		"a file of jest is gone":                 {was: "FAIL a.test.js\n  ● x\nPASS b.test.js\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 passed, 2 total\n", is: "PASS b.test.js\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n", reason: events.ReasonNotSeen, ids: []string{"a.test.js › x"}},
		"a test of node is gone":                 {was: "TAP version 13\nnot ok 1 - a\nok 2 - b\n1..2\n# pass 1\n# fail 1\n", is: "TAP version 13\nok 1 - b\n1..1\n# pass 1\n# fail 0\n", reason: events.ReasonNotSeen, ids: []string{"a"}},
		"gradle runs no tests":                   {was: "> Task :test\n\nA > bad() FAILED\n\n2 tests completed, 1 failed\n> Task :test FAILED\nBUILD FAILED in 1s\n", is: "> Task :test SKIPPED\nBUILD SUCCESSFUL in 1s\n", reason: events.ReasonNoTests, ids: []string{":test"}},
		"unknown before, and counts to none now": {was: "Error: no such module\n", is: "0 passed in 0.1s\n1..0\n" + "", reason: events.ReasonNoTests},
	})
}

func TestHonestPassesCount(t *testing.T) {
	t.Parallel()
	judgeAll(t, map[string]judged{
		"the packages end well":                  {was: goRed, is: "ok  \tm/p\t0.1s\nok  \tm/q\t(cached)\n"},
		"in another order, with new packages":    {was: goRed, is: "ok  \tm/q\t0.1s\nok  \tm/new\t0.1s\nok  \tm/p\t0.1s\tcoverage: 50.0% of statements\n"},
		"a new package without tests":            {was: goRed, is: "?   \tm/cmd\t[no test files]\nok  \tm/p\t0.1s\nok  \tm/q\t0.1s\n"},
		"nothing is known of either":             {was: "Error\n", is: "fine\n"},
		"unknown before, known now":              {was: "Error\n", is: "ok  \tm/p\t0.1s\n"},
		"unknown before, no tests there":         {was: "# m\nx.go:3: undefined\n", is: "?   \tm\t[no test files]\n"},
		"it did not build":                       {was: "FAIL\tm/p [build failed]\nFAIL\tm/cmd [build failed]\n", is: "ok  \tm/p\t0.1s\n?   \tm/cmd\t[no test files]\n"},
		"it did not build, of one test":          {was: "FAIL\tm/p [build failed]\nFAIL\tm/q [build failed]\n", is: "ok  \tm/p\t0.1s [no tests to run]\nok  \tm/q\t0.1s\n"},
		"a panic":                                {was: "panic: x\nFAIL\tm/p\t0.1s\n", is: "ok  \tm/p\t0.1s\n"},
		"-v":                                     {was: goRedV, is: goTop + "=== RUN   TestT\n=== RUN   TestT/one\n--- PASS: TestT (0.00s)\n    --- PASS: TestT/one (0.00s)\n" + goEndV},
		"subtests appear, one by another name":   {was: goRedV, is: goTop + "=== RUN   TestT\n=== RUN   TestT/uno\n=== RUN   TestT/two\n--- PASS: TestT (0.00s)\n    --- PASS: TestT/uno (0.00s)\n    --- PASS: TestT/two (0.00s)\n" + goEndV},
		"a test that was skipped before":         {was: "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- SKIP: TestB (0.00s)\nFAIL\tm/p\t0.1s\n", is: "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- SKIP: TestB (0.00s)\n" + goEndV},
		"a test that prints what go test prints": {was: goRedV, is: "=== RUN   TestA\n--- FAIL: TestX (0.00s)\nFAIL\tm/other\t0.1s\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n=== short test summary info ===\nFAILED a.py::b - x\n=== 1 failed in 0.01s ===\n--- PASS: TestB (0.00s)\n=== RUN   TestT\n=== RUN   TestT/one\n--- PASS: TestT (0.00s)\n    --- PASS: TestT/one (0.00s)\n" + goEndV},
		"a run of -v beside a plain one":         {was: goRed, is: "ok  \tm/p\t0.1s\n=== RUN   TestQ\n--- PASS: TestQ (0.00s)\nPASS\nok  \tm/q\t0.1s\n"},
		"a package that was run again":           {was: goRed, is: goRed + "ok  \tm/p\t0.1s\n"},
		"a file of tests goes by permission":     {was: goRed, is: "ok  \tm/p\t0.1s\n", letGo: "m/q"},
		"pytest":                                 {was: pyRed, is: pytestRunOf("tests/test_a.py ...  [100%]", "3 passed, 2 warnings")},
		"pytest with a new skip":                 {was: pyRed, is: pytestRunOf("tests/test_a.py ...  [ 75%]\ntests/test_new.py s  [100%]", "3 passed, 1 skipped")},
		"pytest by workers":                      {was: pyRed, is: "=== test session starts ===\ngw0 [3]\n...  [100%]\n=== 3 passed in 0.1s ===\n"},
		"pytest whose tests print":               {was: pyRed, is: pytestRunOf("tests/test_a.py hello\n...", "3 passed")},
		"pytest that could not import":           {was: "=== test session starts ===\ncollected 0 items / 1 error\n=== short test summary info ===\nERROR tests/test_b.py\n=== 1 error in 0.1s ===\n", is: pytestRunOf("tests/test_b.py .  [100%]", "1 passed")},
		"an error besides the failure":           {was: "=== test session starts ===\n=== short test summary info ===\nFAILED a.py::x - no\nERROR a.py::x - no\n=== 1 failed, 1 error in 0.1s ===\n", is: pytestRunOf("a.py .  [100%]", "1 passed")},
		"a parameter with an address": {
			was: pytestRunOf("a.py::x[<o at 0x7f5e1c2d3e40>] PASSED  [ 50%]\na.py::y FAILED  [100%]", "1 failed, 1 passed"),
			is:  pytestRunOf("a.py::x[<o at 0x7f0011223340>] PASSED  [ 50%]\na.py::y PASSED  [100%]", "2 passed"),
		},
		"parameters from the product": {
			was: pytestRunOf("a.py::x[old] PASSED  [ 50%]\na.py::y FAILED  [100%]", "1 failed, 1 passed"),
			is:  pytestRunOf("a.py::x[new] PASSED  [ 33%]\na.py::x[more] PASSED  [ 66%]\na.py::y PASSED  [100%]", "3 passed"),
		},
		"unittest":                          {was: unittestRule + "\nFAIL: test_x (t.T.test_x)\n\nRan 3 tests in 0.1s\n\nFAILED (failures=1)\n", is: "Ran 3 tests in 0.2s\n\nOK\n"},
		"more failures than tests":          {was: "Ran 1 test in 0.1s\n\nFAILED (failures=5)\n", is: "Ran 1 test in 0.1s\n\nOK\n"},
		"a class that could not be set up":  {was: "test_a (m.A.test_a) ... ok\nsetUpClass (m.B) ... ERROR\n" + unittestRule + "\nERROR: setUpClass (m.B)\n\nRan 1 test in 0.1s\n\nFAILED (errors=1)\n", is: "test_a (m.A.test_a) ... ok\ntest_b (m.B.test_b) ... ok\n\nRan 2 tests in 0.1s\n\nOK\n"},
		"an import that failed":             {was: unittestRule + "\nERROR: m (unittest.loader._FailedTest.m)\n\nRan 1 test in 0.1s\n\nFAILED (errors=1)\n", is: "Ran 4 tests in 0.1s\n\nOK\n"},
		"jest that names no more":           {was: "FAIL ./b.test.js\n  ✓ one (2 ms)\n  ✕ two (3 ms)\n\n  ● two\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\n", is: "PASS ./b.test.js\nPASS ./c.test.js\n\nTest Suites: 2 passed, 2 total\nTests:       3 passed, 3 total\n"},
		"a suite of jest that did not load": {was: "FAIL ./b.test.js\n  ● Test suite failed to run\n\nTest Suites: 1 failed, 1 total\nTests:       0 total\n", is: "PASS ./b.test.js\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n"},
		"a file that node could not load":   {was: "TAP version 13\nnot ok 1 - /w/b.test.js\n1..1\n# pass 0\n# fail 1\n", is: "TAP version 13\nok 1 - b\n1..1\n# pass 1\n# fail 0\n"},
		"cargo":                             {was: "     Running unittests src/lib.rs (target/debug/deps/my_lib-12db092d64960c26)\n\nrunning 2 tests\ntest a ... FAILED\ntest b ... ok\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n\nerror: test failed, to rerun pass `-p my-lib --lib`\n", is: "     Running unittests src/lib.rs (target/debug/deps/my_lib-12db092d64960c27)\n\nrunning 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n"},
		"cargo that did not build":          {was: "error: could not compile `two`\n", is: "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored;\n"},
		"gradle":                            {was: "> Task :test\n\nA > bad() FAILED\n\n2 tests completed, 1 failed\n> Task :test FAILED\nBUILD FAILED in 1s\n", is: "> Task :test\n\nBUILD SUCCESSFUL in 1s\n"},
		"surefire":                          {was: "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.08 s <<< FAILURE! -- in p.T\n[ERROR] p.T.bad -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n", is: "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.08 s -- in p.T\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n"},
		"java that did not compile":         {was: "[ERROR] COMPILATION ERROR : \n", is: "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n"},
		"a suite of its own":                {was: "Tests failed: 6\n", is: "Tests failed: 0\n"},
		"two runners, one red":              {was: "ok  \tm/p\t0.1s\n" + pyRed, is: "ok  \tm/p\t0.1s\n" + pytestRunOf("tests/test_a.py ...  [100%]", "3 passed")},
		"the second runner was not reached": {was: goRed, is: "ok  \tm/p\t0.1s\nok  \tm/q\t0.1s\n" + pytestRunOf("tests/test_a.py ...  [100%]", "3 passed")},
		"warnings that speak of failing":    {was: goRed, is: "warning: 3 things failed\n0 failed\nok  \tm/p\t0.1s\nok  \tm/q\t0.1s\n"},
		"the middle was not kept":           {was: goRedV, is: "=== RUN   TestA\n\n... 99 bytes were not kept ...\nok  \tm/p\t0.1s\n"},
		"a green baseline":                  {was: "ok  \tm/p\t0.1s\n", is: "ok  \tm/p\t0.1s\nok  \tm/q\t0.1s\n", green: true},
	})
}
