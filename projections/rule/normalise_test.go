package rule

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestNormaliseRemovesWhatDiffersBetweenTwoRuns(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"go duration":           {"--- FAIL: TestA (0.00s)", "--- FAIL: TestA (1.25s)"},
		"cached":                {"ok  \tp\t(cached)", "ok  \tp\t0.103s"},
		"compound duration":     {"took 1m2.5s", "took 350ms"},
		"micro seconds":         {"took 12.5µs", "took 9ns"},
		"duration in words":     {"Ran 3 tests in 0.5 seconds", "Ran 3 tests in 12 ms"},
		"RFC 3339":              {"at 2026-11-27T21:44:00.123Z x", "at 2025-01-02T03:04:05+01:00 x"},
		"log time":              {"2026/11/27 21:44:00 boom", "2026/11/28 01:02:03.000123 boom"},
		"log time with comma":   {"2026-11-27 21:44:00,123 boom", "2026-11-28 01:02:03,999 boom"},
		"go time with monotone": {"2026-11-27 21:44:00.1 +0000 UTC m=+0.01", "2026-11-27 21:45:00.1 +0000 UTC m=+0.77"},
		"date":                  {"on 2026-11-27", "on 2026-11-28"},
		"unix date":             {"Fri Nov 27 21:49:46 UTC 2026", "Sat Nov 28 01:02:03 UTC 2026"},
		"syslog date":           {"Nov 27 21:49:46 host x", "Nov  7 01:02:03 host x"},
		"clock":                 {"21:44:00 x", "01:02:03.5 x"},
		"epoch":                 {"ts=1764279840", "ts=1764279999123"},
		"address":               {"at 0x1aca216de6c8", "at 0xc000012345"},
		"address cut by pytest": {"<object object at 0x7fe...", "<object object at 0x7f2..."},
		"offset":                {"b_test.go:8 +0x31", "b_test.go:8 +0x5f"},
		"uuid":                  {"id 123e4567-e89b-12d3-a456-426614174000", "id 00000000-E89B-12d3-a456-426614174fff"},
		"ulid":                  {"run 01J5ZQ3V5N8Y7K6T4R2P0M9X8W", "run 01J5ZQ3V5N8Y7K6T4R2P0M9X8A"},
		"pid":                   {"pid=123 exited", "pid=99999 exited"},
		"process":               {"process 12 exited", "process 4711 exited"},
		"port":                  {"listen on port 8080", "listen on port 41233"},
		"port of an address":    {"dial tcp 127.0.0.1:41233: refused", "dial tcp 127.0.0.1:9: refused"},
		"port of a name":        {"http://localhost:3000/x", "http://localhost:61234/x"},
		"port of IPv6":          {"dial [::1]:41233", "dial [::1]:9"},
		"temporary file":        {"open /tmp/tmp.aBcD: no", "open /tmp/tmp.xyzQ: no"},
		"TempDir":               {"in /tmp/TestSub208643915/001/out.txt", "in /tmp/TestSub1804196474/002/out.txt"},
		"TempDir elsewhere":     {"in /scratch/TestSub208643915/001/out", "in /scratch/TestSub99886715/001/out"},
		"macOS":                 {"/var/folders/x1/ab_c/T/go-build12/b001/p.test", "/private/var/folders/zz/qq/T/go-build99/b001/p.test"},
		"pytest folder":         {"/tmp/pytest-of-root/pytest-0/test_eq0/f.py", "/tmp/pytest-of-root/pytest-13/test_eq0/f.py"},
		"escapes":               {"\x1b[31mFAIL\x1b[0m x", "FAIL x"},
		"hyperlink":             {"\x1b]8;;http://a\x1b\\x\x1b]8;;\x1b\\", "x"},
		"a thread's number":     {"thread 'main' (2682) panicked at src/lib.rs:3:5:", "thread 'main' (41) panicked at src/lib.rs:3:5:"},
		"a hash":                {"request 9f86d081884c7d659a2feaa0c55ad015 failed", "request 0cc175b9c0f1b6a831c399e269772661 failed"},
		"a hash of many digits": {"trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace 00112233445566778899001122334a55"},
		"a worker":              {"worker 2682 exited", "worker 31 exited"},
		"a worker's number":     {"[worker 2682] x", "[worker 31337] x"},
		"a child":               {"child 412 was killed", "child 9 was killed"},
		"a container":           {"container 3f4e5d6c7b8a gone", "container 0011aabbccdd gone"},
		"a size":                {"peak memory 12.4 MB", "peak memory 9MiB"},
		"a rate":                {"downloaded at 3.1 MB/s", "downloaded at 12 kB/s"},
		"goroutine":             {"goroutine 9 [running]:", "goroutine 112 [running]:"},
		"created by":            {"created by p.T in goroutine 8", "created by p.T in goroutine 19"},
		"shuffle":               {"-test.shuffle 1764279840123", "-test.shuffle 12"},
		"seed":                  {"Randomized with seed 41234", "Randomized with seed 7"},
		"order of lines":        {"a\nb", "b\na"},
		"line ends":             {"a\r\nb\r\n", "a\nb"},
		"progress bar":          {"10%\r50%\rdone", "done"},
		"ruler":                 {"=========== 1 failed in 0.12s ===========", "========== 1 failed in 10.12s =========="},
		"white space":           {"a   b\n\n\n", "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "normalised", string(Normalise([]byte(pair[1]))), string(Normalise([]byte(pair[0]))))
		})
	}
}

func TestNormaliseKeepsWhatAFailureIsAbout(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"values":          {"got 3, want 4", "got 2, want 4"},
		"small hex":       {"got 0x1, want 0x2", "got 0x3, want 0x2"},
		"lines":           {"a_test.go:12: boom", "a_test.go:13: boom"},
		"a repeated line": {"a\na\n", "a\n"},
		"a duration":      {"took 3s", "took"},
		"temporary names": {"open /tmp/x1/a.txt: no", "open /tmp/x1/b.txt: no"},
		"percentages":     {"coverage: 81.2% of statements", "coverage: 79.0% of statements"},
		"versions":        {"need v1.2.3", "need v1.2.4"},
		"tests":           {"--- FAIL: TestA", "--- FAIL: TestB"},
		"hashes compared": {"got 9f86d081884c7d659a2feaa0c55ad015, want x", "got 0cc175b9c0f1b6a831c399e269772661, want x"},
		"words as hex":    {"deadbeefdeadbeefdead", "beefdeadbeefdeadbeef"},
		"long numbers":    {"sum is 12345678901234567890", "sum is 12345678901234567891"},
		"a few workers":   {"worker 1 failed its test", "worker 2 failed its test"},
		"a size limit":    {"bundle of 12.4 MB is over 10 MB", "bundle of 11.9 MB is over 10 MB"},
		"plain bytes":     {"read 17 bytes", "read 18 bytes"},
		"status codes":    {"want 200, got 500", "want 200, got 404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a, b := Normalise([]byte(pair[0])), Normalise([]byte(pair[1])); bytes.Equal(a, b) {
				t.Errorf("both are %q", a)
			}
		})
	}
}

func TestTheShapeOfAFailureDoesNotKnowWhereItIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		was, is string
		same    bool
	}{
		"go":                 {"p/a.go:12:5: undefined: x", "p/a.go:13:5: undefined: x", true},
		"python":             {"  File \"shop.py\", line 9, in f", "  File \"shop.py\", line 10, in f", true},
		"sh":                 {"check.sh: line 3: foo: not found", "check.sh: line 40: foo: not found", true},
		"typescript":         {"a.ts(12,5): error TS2304", "a.ts(14,5): error TS2304", true},
		"java":               {"at T.main(T.java:12)", "at T.main(T.java:11)", true},
		"a quoted line":      {"> 12 |   x()\n  13 | y", "> 13 |   x()\n  14 | y", true},
		"lines change order": {"a.go:9: x\na.go:9: y\na.go:10: b", "a.go:10: x\na.go:10: y\na.go:11: b", true},
		"a message":          {"a.go:12: undefined: x", "a.go:12: undefined: y", false},
		"one failure less":   {"a.go:12: x\na.go:14: x", "a.go:12: x", false},
		"a line of data":     {"differs at line 12", "differs at line 40", false},
		"a value":            {"a.go:12: got 3", "a.go:12: got 4", false},
	} {
		_, was := Sums([]byte(c.was))
		_, is := Sums([]byte(c.is))
		equal(t, name, was == is, c.same)
	}
	normalised, _ := Sums([]byte("a.go:1: x"))
	equal(t, "the other sum", normalised, OutputSum([]byte("a.go:1: x")))
}

func TestTwoCapturedRunsOfOneSuiteAreEqual(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"go_plain.txt", "go_again.txt"}, {"pytest_plain.txt", "pytest_again.txt"}} {
		a, b := sample(t, pair[0]), sample(t, pair[1])
		equal(t, pair[0], string(Normalise(a)), string(Normalise(b)))
		equal(t, "sum", OutputSum(a), OutputSum(b))
	}
}

func TestNormaliseOfNormalisedSamplesChangesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go_plain.txt", "go_v.txt", "pytest_plain.txt", "pytest_color.txt"} {
		once := Normalise(sample(t, name))
		equal(t, name, string(Normalise(once)), string(once))
	}
}

func BenchmarkNormalise(b *testing.B) {
	var text strings.Builder
	for i := range 4096 {
		fmt.Fprintf(&text, "    calc_test.go:%d: got 3, want 4 after 0.12s in /tmp/TestSub1/001/x\n", i)
	}
	in := []byte(text.String())
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		Normalise(in)
	}
}
