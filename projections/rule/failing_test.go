package rule

import (
	"bytes"
	"testing"
)

func TestFailingFindsTheTestsOfCapturedOutputs(t *testing.T) {
	t.Parallel()
	goIDs := []string{
		"example.com/m/boom [panic]",
		"example.com/m/broken [build failed]",
		"example.com/m/calc.TestAdd",
		"example.com/m/calc.TestGlued",
		"example.com/m/calc.TestSub/one",
		"example.com/m/calc.TestSub/two_words",
		"example.com/m/hang.TestHang",
		"example.com/m/quiet [failed]",
	}
	pytestIDs := []string{
		"tests/test_a.py::TestC::test_in_class",
		"tests/test_a.py::test_eq",
		"tests/test_a.py::test_param[a - b]",
		"tests/test_a.py::test_param[x]y]",
		"tests/test_a.py::test_setup",
		"tests/test_b.py",
	}
	// -v without a summary has no line for a file that cannot be imported.
	verboseIDs := pytestIDs[:5]
	junitIDs := []string{
		"tests.test_a.TestC.test_in_class",
		"tests.test_a.test_eq",
		"tests.test_a.test_param[a - b]",
		"tests.test_a.test_param[x]y]",
		"tests.test_a.test_setup",
		"tests.test_b",
	}
	for _, c := range []struct {
		file, parser string
		want         []string
	}{
		{"go_plain.txt", "go", goIDs},
		{"go_v.txt", "go", goIDs},
		{"go_json.txt", "go-json", goIDs},
		{"pytest_plain.txt", "pytest", pytestIDs},
		{"pytest_color.txt", "pytest", pytestIDs},
		{"pytest_v.txt", "pytest", verboseIDs},
		{"pytest_junit.xml", "junit", junitIDs},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			ids, parser := Failing(sample(t, c.file))
			equal(t, "ids", ids, c.want)
			equal(t, "parser", parser, c.parser)
		})
	}
}

func TestFailingReadsSmallOutputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, parser string
		want       []string
	}{
		"nothing":                     {"", "", nil},
		"text that no parser knows":   {"error: 3 things FAILED\nFAIL\n", "", nil},
		"a passing package":           {"ok  \ta/b\t0.1s\n", "", nil},
		"a binary started by hand":    {"--- FAIL: TestA (0.00s)\nFAIL\n", "go", []string{"TestA"}},
		"carriage returns":            {"--- FAIL: TestA (0.00s)\r\nFAIL\ta/b\t0.1s\r\n", "go", []string{"a/b.TestA"}},
		"a parent with its own error": {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\n--- FAIL: TestAB (0.00s)\nFAIL\tp\t0s\n", "go", []string{"p.TestA/x", "p.TestAB"}},
		"setup failed":                {"FAIL\tp [setup failed]\n", "go", []string{"p [setup failed]"}},
		"tests of one package do not reach the next": {
			"--- FAIL: TestA (0.00s)\nFAIL\tp\t0s\npanic: x\nFAIL\tq\t0s\n", "go", []string{"p.TestA", "q [panic]"},
		},
		"a log line is no pytest result":  {"ERROR    root:test_a.py:5 boom\nFAILED to connect\n", "", nil},
		"pytest beside go":                {"--- FAIL: TestA (0.00s)\n=== short test summary info ===\nFAILED a.py::b - x\n", "go+pytest", []string{"TestA", "a.py::b"}},
		"xdist":                           {"[gw1] [ 50%] FAILED tests/a.py::b \n", "pytest", []string{"tests/a.py::b"}},
		"junit within text":               {"see:\n<testsuites><testsuite><testcase name=\"a\" classname=\"K\"><failure/></testcase><testcase name=\"b\"/></testsuite></testsuites> done\n<testsuite><testcase name=\"c\"><error>x</error></testcase></testsuite>", "junit", []string{"K.a", "c"}},
		"junit that is cut":               {"<testsuite><testcase name=\"a\"><failure>x", "junit", []string{"a"}},
		"a failure without a test case":   {"<testsuite><failure/></testsuite>", "", nil},
		"ids are one line each":           {"<testsuite><testcase name=\"a&#10;b\"><failure/></testcase></testsuite>", "junit", []string{"a b"}},
		"json that is cut":                {"{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"TestA\"}\n{\"Action\":\"fail\",\"Package\":\"p\"}\n{\"Action\":\"fa", "go-json", []string{"p.TestA"}},
		"invalid UTF-8 in an id":          {"--- FAIL: Test\xff (0.00s)\nFAIL\tp\t0s\n", "go", []string{"p.Test\uFFFD"}},
		"the same test twice (-count=2)":  {"--- FAIL: TestA (0.00s)\n--- FAIL: TestA (0.00s)\nFAIL\tp\t0s\n", "go", []string{"p.TestA"}},
		"escapes around a pytest heading": {"\x1b[1m=== short test summary info ===\x1b[0m\n\x1b[31mFAILED\x1b[0m a.py::\x1b[1mb\x1b[0m - x\n", "pytest", []string{"a.py::b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ids, parser := Failing([]byte(c.in))
			equal(t, "ids", ids, c.want)
			equal(t, "parser", parser, c.parser)
		})
	}
}

func FuzzFailing(f *testing.F) {
	f.Add([]byte("--- FAIL: TestA (0.00s)\nFAIL\tp\t0s\n"))
	f.Add([]byte("{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"TestA\"}\n"))
	f.Add([]byte("<testsuite><testcase name=\"a\"><failure>x</testsuite>"))
	f.Add([]byte("=== short test summary info ===\nFAILED a.py::b[c] - x\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		ids, _ := Failing(in)
		for _, id := range ids {
			if id == "" || bytes.ContainsAny([]byte(id), "\n\r\x00") {
				t.Errorf("id %q is no line", id)
			}
		}
		again, _ := Failing(in)
		equal(t, "the same again", again, ids)
		OutputSum(in)
	})
}
