package rule

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// runner is what one program printed in several ways, and what fails in it.
type runner struct {
	parser string
	files  []string
	want   []string
}

func runners() []runner {
	calc := func(sep string, whole func(file string) string, hooks ...string) []string {
		ids := []string{
			whole("src/broken.test.js"), whole("src/empty.test.js"), whole("src/missing.test.js"),
			"src/math.test.js" + sep + "adds at top", "src/math.test.js" + sep + "math" + sep + "async rejects",
		}
		for _, name := range []string{"of 1 and 1", "of 2 and 2", "of two › numbers"} {
			ids = append(ids, strings.Join([]string{"src/math.test.js", "math", "add", name}, sep))
		}
		ids = append(ids, hooks...)
		slices.Sort(ids)
		return ids
	}
	plain := func(mark string) func(string) string { return func(file string) string { return file + mark } }
	hook := "src/hook.test.js > with hook"
	return []runner{
		{
			"jest",
			[]string{"jest.txt", "jest_v.txt", "jest_v_color.txt"},
			calc(" › ", plain(" › Test suite failed to run"), "src/hook.test.js › with hook › one", "src/hook.test.js › with hook › two"),
		},
		{"vitest", []string{"vitest.txt", "vitest_v.txt", "vitest_color.txt"}, calc(" > ", plain(" [failed]"), hook, "[unhandled error]")},
		{"tap", []string{"vitest_tap.txt"}, calc(" > ", plain(""), hook)},
		{"tap", []string{"bats_tap.txt"}, []string{"adds 1 + 1 # hash", "prints"}},
		{"tap", []string{"node_tap.txt"}, nodeIDs()},
		{"node", []string{"node_spec.txt", "node_spec_color.txt"}, nodeIDs()},
		{"cargo", []string{"cargo.txt", "cargo_color.txt", "cargo_q.txt", "cargo_nocapture.txt"}, []string{
			"one one/src/lib.rs - add (line 2)", "one tests::bad", "one tests::deep::bad", "one tests::res", "one tests::should",
			"one::abort [aborted]", "one::it bad", "two tests::bad",
		}},
		{"cargo", []string{"cargo_first.txt"}, []string{"one tests::bad", "one tests::deep::bad", "one tests::res", "one tests::should"}},
		{"cargo", []string{"cargo_build.txt"}, []string{"two [build failed]"}},
		{"unittest", []string{"unittest.txt", "unittest_v.txt"}, []string{
			"tests.test_a.A.test_bad", "tests.test_a.A.test_better", "tests.test_a.A.test_broken", "tests.test_a.A.test_sub [even] (i=1)",
			"tests.test_a.B.setUpClass", "tests.test_b [import failed]",
		}},
		{"surefire", []string{"maven.txt"}, []string{
			"p.CalcTest$Inner.deep", "p.CalcTest.bad", "p.CalcTest.param(int)[2]", "p.CalcTest.throwsIt", "p.SetupTest",
		}},
		{"gradle", []string{"gradle.txt"}, []string{
			"CalcTest > Inner > deep()", "CalcTest > bad()", "CalcTest > param(int) > p.CalcTest.param(int)[2]", "SetupTest > initializationError",
		}},
		{"", []string{"jest_pass.txt", "vitest_pass.txt", "cargo_pass.txt", "unittest_pass.txt"}, nil},
	}
}

func nodeIDs() []string {
	return []string{"/home/dev/nt/b.test.js", "bad", "hooked > one", "outer > deep > bad", "outer > in bad", "with # hash"}
}

func eachSample(t *testing.T, try func(t *testing.T, r runner, output []byte)) {
	t.Helper()
	for _, r := range runners() {
		for _, file := range r.files {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				try(t, r, sample(t, file))
			})
		}
	}
}

func TestFailingReadsWhatEachRunnerPrints(t *testing.T) {
	t.Parallel()
	eachSample(t, func(t *testing.T, r runner, output []byte) {
		ids, parser := Failing(output)
		equal(t, "ids", ids, r.want)
		equal(t, "parser", parser, r.parser)
	})
}

func TestFailingReadsTheSameWithCarriageReturnsAndBesideAnotherRunner(t *testing.T) {
	t.Parallel()
	eachSample(t, func(t *testing.T, r runner, output []byte) {
		ids, _ := Failing(bytes.ReplaceAll(output, []byte("\n"), []byte("\r\n")))
		equal(t, "with carriage returns", ids, r.want)
		ids, _ = Failing(append([]byte("--- FAIL: TestA (0.00s)\nFAIL\tp\t0s\n"), output...))
		want := append([]string{"p.TestA"}, r.want...)
		slices.Sort(want)
		equal(t, "behind go test", ids, want)
	})
}

// An output that is cut says less, and nothing else: except for a file or a
// binary of which only the end shows that it has named its failures.
func TestFailingInventsNothingInAnOutputThatIsCut(t *testing.T) {
	t.Parallel()
	eachSample(t, func(t *testing.T, r runner, output []byte) {
		if r.parser == "" {
			return
		}
		lines := bytes.SplitAfter(output, []byte("\n"))
		for n := 0; n < len(lines); n += 1 + len(lines)/12 {
			ids, _ := Failing(bytes.Join(lines[:n], nil))
			for _, id := range ids {
				if !belongs(id, r.want) {
					t.Fatalf("of %d lines: %q", n, id)
				}
			}
			gap := append(bytes.Join(lines[:n/2], nil), "\n... 512 bytes were not kept ...\n"...)
			ids, _ = Failing(append(gap, bytes.Join(lines[n:], nil)...))
			for _, id := range ids {
				// The samples hold lines that only what stands before them shows to
				// be no results: "fake" is their mark.
				if !belongs(id, r.want) && !strings.Contains(id, "fake") {
					t.Fatalf("without lines %d to %d: %q", n/2, n, id)
				}
			}
		}
	})
}

// belongs says whether an id is one of those wanted, or a part of one whose
// suite, file or target was cut off, or of what stands for a whole.
func belongs(id string, want []string) bool {
	if strings.HasSuffix(id, "]") || strings.HasPrefix(id, ":") {
		return true
	}
	return slices.ContainsFunc(want, func(w string) bool {
		return strings.Contains(w, id) || strings.Contains(id, w) || strings.HasSuffix(id, lastWord(w))
	})
}

func lastWord(s string) string { return s[strings.LastIndexAny(s, " .:>")+1:] }

func TestFailingReadsSmallOutputsOfMoreRunners(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, parser string
		want       []string
	}{
		"a word that jest would print":           {"FAIL src/a.test.js\n", "", nil},
		"jest without a title":                   {"FAIL src/a.test.js (5.2 s)\nTest Suites: 1 failed, 1 total\n", "jest", []string{"src/a.test.js [failed]"}},
		"jest that only passes":                  {"PASS src/a.test.js\n  ● Console\n\nTest Suites: 1 passed, 1 total\n", "", nil},
		"jest with a bullet in a log":            {"PASS a.test.js\n  ● odd › one\nTest Suites: 1 passed, 1 total\n", "", nil},
		"a cross that vitest would print":        {"   × adds 3ms\n", "", nil},
		"vitest whose list is cut off":           {" RUN  v3.0.0 /w\n\n ❯ a.test.ts (2 tests | 1 failed) 3ms\n   × s > adds 1ms\n ✓ b.test.ts (1 test) 2ms\n", "vitest", []string{"a.test.ts > s > adds"}},
		"vitest with marks of each test":         {" RUN  v3.0.0 /w\n × a.test.ts > adds (retry x2) 1ms\n", "vitest", []string{"a.test.ts > adds"}},
		"lines of tap without a plan":            {"not ok 1 - a\n", "", nil},
		"tap 12":                                 {"1..2\nok 1 - a\nnot ok 2 - b\n", "tap", []string{"b"}},
		"a plan at the end":                      {"ok 1 - a\nnot ok 2 b\n1..2\n", "tap", []string{"b"}},
		"tap, equal names count each":            {"1..4\nnot ok 1 - a\nok 2 - a\nnot ok 3 - a\nnot ok 4 - a\n# fail 3\n", "tap", []string{"a", "a (3)", "a (4)"}},
		"tap, equal names under suites":          {"TAP version 14\n    not ok 1 - a\n    not ok 2 - a\nnot ok 1 - s\n    not ok 1 - a\nnot ok 2 - s\n1..2\n", "tap", []string{"s (2) > a", "s > a", "s > a (2)"}},
		"tap without names":                      {"1..2\nnot ok\nnot ok 2\n", "tap", []string{"unnamed test", "unnamed test 2"}},
		"to do and skipped are not failing":      {"TAP version 13\nnot ok 1 - a # TODO later\nnot ok 2 - b # skip no db\nnot ok 3 # SKIPPED\n1..3\n", "", nil},
		"an escaped mark is a name":              {"1..1\nnot ok 1 - a \\# TODO\n", "tap", []string{"a # TODO"}},
		"tap that gives up":                      {"TAP version 14\nok 1 - a\nBail out! no database at 12:00\n", "tap", []string{"[bail out]"}},
		"subtests count, not what holds them":    {"TAP version 14\n1..1\n    1..2\n    ok 1 - x\n    not ok 2 - y\nnot ok 1 - s\n", "tap", []string{"s > y"}},
		"subtests of what is to do":              {"TAP version 14\n1..1\n    not ok 1 - y\nnot ok 1 - s # TODO\n", "", nil},
		"details are no results":                 {"TAP version 13\n1..1\nnot ok 1 - a\n  ---\n  got: |\n    not ok 2 - b\n  ...\n", "tap", []string{"a"}},
		"details that are cut":                   {"TAP version 13\n1..2\nnot ok 1 - a\n  ---\n  got: 1\nnot ok 2 - b\n", "tap", []string{"a", "b"}},
		"times of bats":                          {"1..1\nnot ok 1 adds in 12ms\n", "tap", []string{"adds"}},
		"a mark that node would print":           {"✖ lint failed (3ms)\n", "", nil},
		"a suite of older node":                  {"▶ s\n  ✖ a (1ms)\n▶ s (3ms)\n▶ t\n  ✔ b (1ms)\n▶ t (2ms)\nℹ fail 1\n", "node", []string{"s > a"}},
		"a line of a log within node":            {"✖ nothing here\n✖ a (1ms)\nℹ fail 1\n", "node", []string{"a"}},
		"unittest before Python 3.11":            {unittestRule + "\nFAIL: test_x (tests.T)\n" + unittestRule + "\nERROR: m (unittest.loader._FailedTest)\nRan 2 tests in 1s\n\nFAILED (failures=1, errors=1)\n", "unittest", []string{"m [import failed]", "tests.T.test_x"}},
		"unittest that is cut":                   {unittestRule + "\nFAIL: test_x (t.T.test_x)\n", "unittest", []string{"t.T.test_x"}},
		"unittest that passes":                   {unittestRule + "\nFAIL: test_x (t.T.test_x)\n\nOK\n", "", nil},
		"a line that unittest would print":       {"FAIL: test_x (t.T.test_x)\nFAILED (failures=1)\n", "", nil},
		"unittest that likes too much":           {unittestRule + "\nUNEXPECTED SUCCESS: a (t.T.a)\nUNEXPECTED SUCCESS: b (t.T.b)\nFAILED (unexpected successes=2)\n", "unittest", []string{"t.T.a", "t.T.b"}},
		"a line that cargo would print":          {"test a ... FAILED\n", "", nil},
		"cargo that is cut":                      {"running 2 tests\ntest a ... FAILED\ntest b ... ok\n", "cargo", []string{"a"}},
		"cargo of one package":                   {"running 1 test\ntest a ... FAILED\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed\n\nerror: test failed, to rerun pass `--lib`\n", "cargo", []string{"a"}},
		"a test binary without a harness":        {"error: test failed, to rerun pass '-p one --bench b'\n", "cargo", []string{"one::bench/b [failed]"}},
		"cargo that passes after a failure":      {"running 1 test\ntest a ... FAILED\ntest result: FAILED. x\nerror: test failed, to rerun pass `--lib`\nrunning 1 test\ntest b ... ok\ntest result: ok. 1 passed\n", "cargo", []string{"a"}},
		"older surefire":                         {"Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 sec <<< FAILURE! - in p.T\nbad(p.T)  Time elapsed: 0.01 sec  <<< FAILURE!\n", "surefire", []string{"p.T.bad"}},
		"a class of surefire without tests":      {"[ERROR] Tests run: 1, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.05 s <<< ERROR! -- in p.T\n", "surefire", []string{"p.T [failed]"}},
		"the list of surefire alone":             {"[ERROR] Failures: \n[ERROR]   T.bad:7->help:9 no\n[ERROR] Tests run: 1, Failures: 1\n[ERROR]   not in it\n", "surefire", []string{"T.bad"}},
		"java that does not compile":             {"[ERROR] COMPILATION ERROR : \n[ERROR] /w/T.java:[3,5] cannot find symbol\n", "surefire", []string{"[compilation error]"}},
		"a task of gradle without tests":         {"> Task :compileTestJava FAILED\n\nBUILD FAILED in 1s\n", "gradle", []string{":compileTestJava [failed]"}},
		"a line that gradle would print":         {"a > b FAILED\n", "", nil},
		"a temporary directory in a name":        {"1..1\nnot ok 1 - /tmp/x1/a.test.js\n", "tap", []string{"<tmp>/a.test.js"}},
		"ids are no longer than they need to be": {"1..1\nnot ok 1 - " + strings.Repeat("x", 500) + "\n", "tap", []string{strings.Repeat("x", maxIDBytes) + "… " + sum([]byte(strings.Repeat("x", 500)))[:16]}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ids, parser := Failing([]byte(c.in))
			equal(t, "ids", ids, c.want)
			equal(t, "parser", parser, c.parser)
		})
	}
}

func TestMoreIDsThanTheBoundAreStillToldApart(t *testing.T) {
	t.Parallel()
	many := func(last string) []byte {
		var b bytes.Buffer
		b.WriteString("TAP version 13\n")
		for i := range 2 * maxIDs {
			b.WriteString("not ok 1 - test " + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + sum([]byte{byte(i), byte(i >> 8)}) + "\n")
		}
		b.WriteString("not ok 2 - " + last + "\n")
		return b.Bytes()
	}
	one, _ := Failing(many("z one"))
	two, _ := Failing(many("z two"))
	if len(one) != maxIDs || FailingSum(one) == FailingSum(two) {
		t.Errorf("%d ids, the same for another failure: %v", len(one), FailingSum(one) == FailingSum(two))
	}
}

// fuzzOne feeds one parser alone.
func fuzzOne(f *testing.F, name string) {
	for _, r := range runners() {
		for _, file := range r.files {
			if r.parser == name {
				f.Add(sampleOf(f, file))
			}
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, p := range parsers() {
			if p.name != name {
				continue
			}
			first, again := p.make(), p.make()
			for line := range strings.Lines(string(in)) {
				line = strings.TrimRight(line, "\r\n")
				first.line(line)
				again.line(line)
			}
			ids := first.failing()
			equal(t, "the same again", again.failing(), ids)
			if size := len(strings.Join(ids, "")); size > 64*len(in)+4096 {
				t.Errorf("%d bytes of ids from %d bytes", size, len(in))
			}
		}
	})
}

func FuzzJest(f *testing.F)     { fuzzOne(f, "jest") }
func FuzzVitest(f *testing.F)   { fuzzOne(f, "vitest") }
func FuzzCargo(f *testing.F)    { fuzzOne(f, "cargo") }
func FuzzUnittest(f *testing.F) { fuzzOne(f, "unittest") }
func FuzzTAP(f *testing.F)      { fuzzOne(f, "tap") }
func FuzzNodeSpec(f *testing.F) { fuzzOne(f, "node") }
func FuzzSurefire(f *testing.F) { fuzzOne(f, "surefire") }
func FuzzGradle(f *testing.F)   { fuzzOne(f, "gradle") }

// BenchmarkFailing reads 10 MB of each runner.
func BenchmarkFailing(b *testing.B) {
	for _, file := range []string{"go_v.txt", "jest_v_color.txt", "vitest.txt", "cargo.txt", "node_tap.txt", "node_spec.txt", "maven.txt", "gradle.txt"} {
		b.Run(strings.TrimSuffix(file, ".txt"), func(b *testing.B) {
			one := sampleOf(b, file)
			output := bytes.Repeat(one, 10<<20/len(one)+1)
			b.SetBytes(int64(len(output)))
			for b.Loop() {
				Failing(output)
			}
		})
	}
}
