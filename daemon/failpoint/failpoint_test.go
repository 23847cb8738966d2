package failpoint

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestMain plays the armed process: it hits a point three times and says so.
func TestMain(m *testing.M) {
	if os.Getenv(Variable) == "" {
		os.Exit(m.Run())
	}
	for range 3 {
		Hit(BeforeAppend)
		os.Stdout.WriteString("x")
	}
}

func TestAnArmedProcessIsKilledAtItsHit(t *testing.T) {
	t.Parallel()
	for value, printed := range map[string]string{
		"before-append":   "",
		"before-append:3": "xx",
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), Variable+"="+value, "GORACE=atexit_sleep_ms=0")
		out, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatalf("%s: %v, want a killed process", value, err)
		}
		if ws, ok := exit.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
			t.Errorf("%s: ended with %v, want SIGKILL", value, exit)
		}
		if string(out) != printed {
			t.Errorf("%s: printed %q before, want %q", value, out, printed)
		}
	}
}

func TestAProcessLivesThatIsArmedElsewhere(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"before-append:4", "after-append", "before-append:0", "before-append:x"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), Variable+"="+value, "GORACE=atexit_sleep_ms=0")
		if out, err := cmd.Output(); err != nil || string(out) != "xxx" {
			t.Errorf("%s: printed %q, %v; want all three", value, out, err)
		}
	}
}

func TestParseRefusesWhatIsNoCount(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x:", "x:0", "x:-1", "x:y"} {
		if p, err := parse(text); err == nil || p != nil {
			t.Errorf("parse(%q) = %v, %v; want an error", text, p, err)
		}
	}
	if p, err := parse(""); p != nil || err != nil {
		t.Errorf("parse of nothing = %v, %v", p, err)
	}
}
