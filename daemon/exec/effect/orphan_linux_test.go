package effect_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/events"
)

// A process that adopts orphans does so for all that runs in it, so this plays
// in one of its own: TestMain starts it again with this variable.
const adopterVariable = "AP_TEST_ADOPTER"

func TestWhatADeadSupervisorLeavesIsEndedWhateverItHasShed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAdopter$", "-test.count=1")
	cmd.Env = append(os.Environ(), adopterVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("adopter: %v\n%s", err, out)
	}
}

func TestAdopter(t *testing.T) {
	dir := os.Getenv(adopterVariable)
	if dir == "" {
		return // the other half of the test above
	}
	r, err := effect.New(effect.Config{Root: filepath.Join(dir, "effects"), Shim: apshim, Orphans: true})
	if err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(dir, "pid")
	script := fmt.Sprintf(`setsid -f env -i /bin/sh -c 'echo $$ > %[1]s.tmp; mv %[1]s.tmp %[1]s; sleep 600'
while ! test -f %[1]s; do sleep 0.01; done; kill -9 $PPID; sleep 600`, pidFile)
	out, err := r.Run(context.Background(), shim.Spec{ID: "orphans", Argv: []string{"/bin/sh", "-c", script}, Dir: dir, Env: os.Environ()}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.Outcome != events.Lost || out.Left != 0 {
		t.Errorf("outcome %s, left %d", out.Outcome, out.Left)
	}
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := proc.Read(pid); err == nil && !p.Zombie {
		t.Errorf("process %d lives on", pid)
	}
	r.Reap()
	r.Reap()
	if p, err := proc.Read(pid); err == nil {
		t.Errorf("process %d is still there: %+v", pid, p)
	}
}
