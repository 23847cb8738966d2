package gate

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/projections/rule"
)

var testGate = Command{Name: "test", Role: events.RoleGoal, Run: rule.Command{Text: "go test ./..."}}

func TestJudgeOfAPassHasNoFindings(t *testing.T) {
	t.Parallel()
	r, texts := Judge(testGate, Process{Outcome: events.Exited, Active: 1500 * time.Millisecond}, []byte("--- PASS: TestX (0.00s)\nPASS\nok  \tp\t0.1s\n"))
	equal(t, "result", r, events.GateResult{
		Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Pass, Reason: events.ReasonExit, DurationMS: 1500,
		Tests: events.Executed{Passed: 1, Named: true},
	})
	if texts.FailingIDs+texts.Excerpt+texts.Files != "" {
		t.Errorf("texts %+v", texts)
	}
}

func TestJudgeOfAFailHoldsItsEvidence(t *testing.T) {
	t.Parallel()
	out := []byte("--- FAIL: TestB (0.00s)\n--- FAIL: TestA (0.02s)\nFAIL\tp\t0.1s\n")
	r, texts := Judge(testGate, Process{Outcome: events.Exited, Exit: 1}, out)
	ids := []string{"p.TestA", "p.TestB"}
	_, shape := rule.Sums(out)
	equal(t, "result", r, events.GateResult{
		Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1,
		Failing: 2, FailingSum: rule.FailingSum(ids), OutputSum: rule.OutputSum(out), Shape: shape, Tests: events.Executed{Failed: 2},
	})
	equal(t, "texts", texts, Texts{FailingIDs: "p.TestA\np.TestB\n", Excerpt: string(out), Tests: rule.ReadTests(out)})
}

// A gate that hangs is told apart from one that fails, and says what happened.
// Lesson A23; seeds 3.4 stage 2: green is exit code 0 alone, and no answer is none.
func TestFR66EveryEndHasItsReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		process Process
		reason  events.Reason
		exit    int
		says    string
	}{
		{Process{Outcome: events.Exited, Exit: 2}, events.ReasonExit, 2, "It printed nothing"},
		{Process{Outcome: events.Exited, Exit: 126}, events.ReasonExit, 126, "cannot be executed"},
		{Process{Outcome: events.Exited, Exit: 127}, events.ReasonExit, 127, "was not found"},
		{Process{Outcome: events.Signaled, Signal: 9, Active: time.Second}, events.ReasonSignal, -1, "signal 9 (killed) after 1s"},
		{Process{Outcome: events.WallTimeout, Active: time.Minute}, events.ReasonTimeout, -1, "time limit, after 1m0s"},
		{Process{Outcome: events.IdleTimeout, Active: time.Minute}, events.ReasonSilent, -1, "without a sign of life"},
		{Process{Outcome: events.SpawnFailed}, events.ReasonNotFound, -1, "could not be started"},
		{Process{Outcome: events.Stopped}, events.ReasonSignal, -1, "Stopped"},
		{Process{Outcome: events.Lost}, events.ReasonSignal, -1, "did not see"},
		{Process{Outcome: "new"}, events.ReasonSignal, -1, "new"},
	} {
		r, texts := Judge(testGate, c.process, nil)
		equal(t, string(c.process.Outcome), [3]any{r.Verdict, r.Reason, r.Exit}, [3]any{events.Fail, c.reason, c.exit})
		if !strings.Contains(texts.Excerpt, c.says) {
			t.Errorf("%s says %q", c.process.Outcome, texts.Excerpt)
		}
	}
}

// An exit code of 127 is not always a broken gate: the agent has yet to build
// what it runs.
func TestMissingFilesOfTheWorkspaceAreAFailWithAFinding(t *testing.T) {
	t.Parallel()
	for text, exit := range map[string]int{"./bin/app --selftest": 127, "./script.sh": 127, "./data.txt": 126} {
		s := newStage(t)
		s.program(s.work, "script.sh", "nosuchtool")
		write(t, s.work, "data.txt", "text", 0o644)
		p := s.pin(text)
		c := Command{Name: "g", Run: rule.Command{Text: text}}
		if _, _, unverifiable := p.Unverifiable(c); unverifiable {
			t.Errorf("%s is unverifiable", text)
		}
		l := p.Launch(c)
		cmd := exec.Command(l.Argv[0], l.Argv[1:]...)
		cmd.Dir, cmd.Env = l.Dir, l.Env
		out, err := cmd.CombinedOutput()
		var exited *exec.ExitError
		if !errors.As(err, &exited) {
			t.Fatalf("%s: %v", text, err)
		}
		r, texts := Judge(c, Process{Outcome: events.Exited, Exit: exited.ExitCode()}, out)
		equal(t, text, [2]any{r.Verdict, r.Exit}, [2]any{events.Fail, exit})
		if !strings.HasPrefix(texts.Excerpt, "Exit code 12") || !strings.Contains(texts.Excerpt, ": ") {
			t.Errorf("%s says %q", text, texts.Excerpt)
		}
	}
}

func TestExcerptOfASmallOutputIsThatOutput(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                 "",
		"a\nb\n":                           "a\nb\n",
		"a":                                "a\n",
		"tab\there":                        "tab\there\n",
		"\x1b[31mred\x1b[0m\r\nb":          "red\nb\n",
		"10%\r50%\r":                       "10%\n50%\n",
		"bell\a null\x00 del\x7f c1\u009b": "bell null del c1\n",
		"bad \xff utf":                     "bad \uFFFD utf\n",
	} {
		equal(t, in, Excerpt([]byte(in), ExcerptBytes, 0, "/spool"), want)
	}
}

func TestExcerptOfALargeOutputIsItsHeadAndTail(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for in.Len() < 200<<10 {
		in.WriteString("a line that says ünïcode\n")
	}
	text := "FIRST\n" + in.String() + "LAST\n"
	got := Excerpt([]byte(text), ExcerptBytes, 0, "/spool/gate")
	lines := strings.Split(got, "\n")
	equal(t, "first", lines[0], "FIRST")
	equal(t, "last", lines[len(lines)-2], "LAST")
	if !strings.Contains(got, " bytes left out, whole output: /spool/gate\n") || len(got) < ExcerptBytes*9/10 {
		t.Errorf("%d bytes:\n%s", len(got), got[:200])
	}
	for _, l := range lines[1 : len(lines)-2] {
		if l != "a line that says ünïcode" && !strings.HasPrefix(l, "... ") {
			t.Errorf("a line is cut: %q", l)
		}
	}
}

func TestExcerptSaysWhatTheSpoolLeftOut(t *testing.T) {
	t.Parallel()
	got := Excerpt([]byte("a\nb\nc\n"), ExcerptBytes, 1006, "/spool")
	equal(t, "excerpt", strings.Contains(got, "... 1000 bytes left out"), true)
	equal(t, "each once", strings.Count(got, "a\n")+strings.Count(got, "b\n")+strings.Count(got, "c\n"), 3)
}

func checkExcerpt(t interface{ Errorf(string, ...any) }, in []byte, limit int, total int64) {
	got := Excerpt(in, limit, total, "/spool")
	if len(got) > max(limit, 0) {
		t.Errorf("%d bytes for a limit of %d", len(got), limit)
	}
	if !utf8.ValidString(got) {
		t.Errorf("invalid UTF-8 in %q", got)
	}
	if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		t.Errorf("control characters in %q", got)
	}
}

func TestExcerptIsBoundedAndPrintable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(t, "output")
		checkExcerpt(t, in, rapid.IntRange(-5, 200).Draw(t, "limit"), rapid.Int64Range(0, 1000).Draw(t, "total"))
	})
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\n\xff"), 50)
	f.Add([]byte(strings.Repeat("ü", 300)), 99)
	f.Fuzz(func(t *testing.T, in []byte, limit int) { checkExcerpt(t, in, limit%10_000, 0) })
}

func TestProtected(t *testing.T) {
	t.Parallel()
	pins := rule.Pins{Globs: rule.DefaultPins(), Paths: []string{"check.sh"}}
	diff := func(paths []string) string { return "diff of " + strings.Join(paths, " ") + "\n" }

	r, texts := Protected([]rule.Change{{Path: "a.go", Kind: rule.Changed}, {Path: "b_test.go", Kind: rule.Added}}, pins, diff)
	equal(t, "pass", r, events.GateResult{
		Gate: "protected", Kind: events.GateProtected, Role: events.RoleInvariant, Verdict: events.Pass, Reason: events.ReasonUnchanged, Exit: -1,
	})
	equal(t, "texts", texts, Texts{})

	changes := []rule.Change{{Path: "check.sh", Kind: rule.Changed}, {Path: "a_test.go", Kind: rule.Removed}}
	r, texts = Protected(changes, pins, diff)
	equal(t, "fail", [2]any{r.Verdict, r.Reason}, [2]any{events.Fail, events.ReasonPinChanged})
	equal(t, "files", texts.Files, "a_test.go\ncheck.sh\n")
	for _, want := range []string{"  a_test.go\n", "  check.sh\n", "diff of a_test.go check.sh"} {
		if !strings.Contains(texts.Excerpt, want) {
			t.Errorf("%q is not in:\n%s", want, texts.Excerpt)
		}
	}
	other, _ := Protected(changes[:1], pins, nil)
	if other.OutputSum == r.OutputSum {
		t.Error("other files have the same sum")
	}
}

func TestProtectedFindingIsBounded(t *testing.T) {
	t.Parallel()
	var changes []rule.Change
	for range 500 {
		changes = append(changes, rule.Change{Path: strings.Repeat("x", len(changes)+1) + "_test.go", Kind: rule.Removed})
	}
	changes = append(changes, rule.Change{Path: "a\nb_test.go", Kind: rule.Removed})
	_, texts := Protected(changes, rule.Pins{Globs: rule.DefaultPins()}, func([]string) string { return strings.Repeat("-x\n", 10_000) })
	if len(texts.Excerpt) > ExcerptBytes || !strings.Contains(texts.Excerpt, "and 461 more") {
		t.Errorf("%d bytes: %s", len(texts.Excerpt), texts.Excerpt[:300])
	}
	equal(t, "one a line", strings.Count(texts.Files, "\n"), 501)
}

// Text that returns to an agent never says how a guard is lifted.
func TestFR65FindingsNameNoWayAroundAGuard(t *testing.T) {
	t.Parallel()
	_, a := Protected([]rule.Change{{Path: "a_test.go", Kind: rule.Removed}}, rule.Pins{Globs: rule.DefaultPins()}, nil)
	_, b := ToolsChanged(testGate, []ToolChange{{Word: "go", Was: "/a/go", Is: "/b/go"}})
	for _, text := range []string{a.Excerpt, b.Excerpt} {
		if strings.Contains(text, "--") || strings.Contains(text, "allow") {
			t.Errorf("says too much: %s", text)
		}
	}
}
