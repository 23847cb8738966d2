// Package proctest holds what tests of real processes share: the supervisor,
// built once for a test binary, and a child as a user whom file modes bind.
package proctest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"autopilot/projections/marker"
)

// ShimVariable names an apshim that is built, for a child that cannot build.
const ShimVariable = "PROCTEST_SHIM"

// Main builds apshim, writes its path to shim, runs the tests, and fails if they
// leave a goroutine. It does not return.
func Main(m *testing.M, shim *string) {
	Scrub()
	if *shim = os.Getenv(ShimVariable); *shim != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "apshim")
	if err != nil {
		panic(err)
	}
	*shim = filepath.Join(dir, "apshim")
	if out, err := exec.Command("go", "build", "-o", *shim, "autopilot/cmd/apshim").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build apshim: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// Scrub takes away what points git at a repository: tests that are run by a hook of
// git have it, and would work on the repository of that hook.
//
// Source: session-orchestrator, seeds 6.1, S54.
func Scrub() {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); marker.Repository(name) {
			os.Unsetenv(name)
		}
	}
}

// nobody is a user without rights: root passes every mode.
const nobody = 65534

// AsNobody runs the test that calls it once more, in a child of this binary and
// in base, which that user has to be able to enter: as another user, if this one
// is root. The child's environment is env.
func AsNobody(t *testing.T, base string, env ...string) {
	t.Helper()
	bin, err := os.MkdirTemp("/tmp", "nobody-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(bin)
	self := filepath.Join(bin, "self")
	// Copied by another process: a child that is forked meanwhile would inherit a
	// file that is open for writing, and such a one cannot be run.
	if err := errors.Join(exec.Command("cp", os.Args[0], self).Run(), os.Chmod(bin, 0o755)); err != nil {
		t.Fatal(errors.Join(errors.New("copy the test binary"), err))
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=60s")
	cmd.Env, cmd.Dir = env, base
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("child: %v\n%s", err, out)
	}
}
