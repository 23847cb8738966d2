package rule

import (
	"testing"

	"autopilot/events"
)

// TestChangedTestsByPermissionLetGo judges totals, names and names without files, where
// the files named were changed by permission.
func TestChangedTestsByPermissionLetGo(t *testing.T) {
	t.Parallel()
	const (
		pyWas  = "...F\n1 failed, 3 passed in 0.1s\n"
		pyIs   = "..\n2 passed in 0.1s\n"
		tapWas = "TAP version 13\nnot ok 1 - a\nok 2 - b\n1..2\n# tests 2\n# pass 1\n# fail 1\n"
		tapIs  = "TAP version 13\nok 1 - a\n1..1\n# tests 1\n# pass 1\n# fail 0\n"
		unit   = "Ran 3 tests in 0.1s\n\nFAILED (failures=1)\n"
	)
	for name, c := range map[string]struct {
		changed []string
		was, is string
		reason  events.Reason
	}{
		"totals, nothing was changed":      {nil, pyWas, pyIs, events.ReasonMissingTests},
		"totals, a test file":              {[]string{"tests/test_b.py"}, pyWas, pyIs, ""},
		"totals, of another language":      {[]string{"web/b.test.js"}, pyWas, pyIs, events.ReasonMissingTests},
		"totals, and no test runs":         {[]string{"tests/test_b.py"}, pyWas, "no tests ran in 0.1s\n", events.ReasonNoTests},
		"totals, and one fails":            {[]string{"tests/test_b.py"}, pyWas, "1 failed, 1 passed in 0.1s\n", events.ReasonNamesFailing},
		"unittest":                         {[]string{"tests/test_b.py"}, unit, "Ran 2 tests in 0.1s\n\nOK\n", ""},
		"unittest, and none runs":          {[]string{"tests/test_b.py"}, unit, "Ran 0 tests in 0.1s\n\nOK\n", events.ReasonNoTests},
		"a suite of its own":               {[]string{"check/b.sh"}, "4 tests passed, 1 failed\n", "3 tests passed, 0 failed\n", ""},
		"names without files":              {[]string{"test/b.test.js"}, tapWas, tapIs, ""},
		"names without files, none":        {nil, tapWas, tapIs, events.ReasonMissingTests},
		"names without files, what failed": {[]string{"test/b.test.js"}, tapWas, "TAP version 13\nok 1 - b\n1..1\n# tests 1\n# pass 1\n# fail 0\n", events.ReasonNotSeen},
		"a package by its file":            {[]string{"q/q_test.go"}, goRed, "ok  \tm/p\t0.1s\n", ""},
		"a package whose name has it":      {[]string{"q/q_test.go"}, "--- FAIL: TestA (0.00s)\nFAIL\tm/p\t0.1s\nok  \tm/qq\t0.1s\n", "ok  \tm/p\t0.1s\n", events.ReasonMissingTests},
		"a file whose name is in others":   {[]string{"tests/a.py"}, pytestRunOf("tests/bad.py F [ 50%]\ntests/data.py . [100%]", "1 failed, 1 passed"), pytestRunOf("tests/bad.py . [100%]", "1 passed"), events.ReasonMissingTests},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := JudgeTests(ReadTests([]byte(c.was)), ReadTests([]byte(c.is)), true, GoneWith(c.changed))
			equal(t, "reason", got.Reason, c.reason)
		})
	}
}

func TestEveryRunnerThatIsReadHasFilesThatItRuns(t *testing.T) {
	t.Parallel()
	for _, r := range testReaders() {
		if _, known := runnerFiles[r.name]; !known {
			t.Errorf("the files of %s are not known, so no permission lets its tests go", r.name)
		}
	}
}
