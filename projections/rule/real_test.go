package rule

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"autopilot/events"
)

const realTests = `package p

import (
	"os"
	"testing"
	"time"
)

func TestValue(t *testing.T)   { t.Errorf("got %d at %p in %s, %s", 3, t, t.TempDir(), time.Now()) }
func TestOther(t *testing.T) {
	if os.Getenv("OTHER") == "" {
		t.Errorf("pid %d", os.Getpid())
	}
}
func TestFine(t *testing.T) {}
`

// realRun runs go test on a small failing module, with its output as a gate
// sees it.
func realRun(t *testing.T, dir string, env ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", "test", "-count=1", "-shuffle=on", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{"GOFLAGS=", "GOWORK=off"}, env...)...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); !exited { //nolint:errorlint // CombinedOutput wraps nothing
		t.Fatalf("go test: %v\n%s", err, out)
	}
	return out
}

func realFingerprint(t *testing.T, out []byte) (tests, text string) {
	t.Helper()
	ids, _ := Failing(out)
	r := events.GateResult{Gate: "test", Verdict: events.Fail, Exit: 1, OutputSum: OutputSum(out)}
	text = Fingerprint([]events.GateResult{r}, Parts{Tests: true})
	r.FailingSum = FailingSum(ids)
	return Fingerprint([]events.GateResult{r}, Parts{Tests: true}), text
}

func TestTwoRealRunsOfOneFailingSuiteAreEqualAndOneFailureFewerDiffers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.21\n", "p_test.go": realTests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second, fewer := realRun(t, dir), realRun(t, dir), realRun(t, dir, "OTHER=1")
	equal(t, "normalised", string(Normalise(second)), string(Normalise(first)))

	tests, text := realFingerprint(t, first)
	againTests, againText := realFingerprint(t, second)
	fewerTests, fewerText := realFingerprint(t, fewer)
	equal(t, "by failing tests", againTests, tests)
	equal(t, "by output", againText, text)
	if fewerTests == tests || fewerText == text {
		t.Errorf("one failing test fewer has the same fingerprint:\n%s", fewer)
	}
	ids, _ := Failing(first)
	equal(t, "ids", ids, []string{"p.TestOther", "p.TestValue"})
}
