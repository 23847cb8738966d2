package bus_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"autopilot/daemon/transport/bus"
	"autopilot/events/place"
)

func TestAStateDirectoryThatNobodyHolds(t *testing.T) {
	t.Parallel()
	p := place.Places{State: t.TempDir()}
	if _, held, err := bus.Holder(p); held || err != nil {
		t.Errorf("no lock: %v %v", held, err)
	}
	l, err := bus.Lock(p, "v")
	if err != nil {
		t.Fatal(err)
	}
	if info, held, err := bus.Holder(p); !held || err != nil || info.PID != os.Getpid() {
		t.Errorf("%+v %v %v", info, held, err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := bus.EndHolder(t.Context(), p); err != nil {
		t.Errorf("nobody to end: %v", err)
	}
}

// A lock that names another process than its holder ends neither.
func TestOnlyTheProcessThatALockNamesIsEnded(t *testing.T) {
	t.Parallel()
	p := place.Places{State: t.TempDir()}
	l, err := bus.Lock(p, "v")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Unlock() }()
	bystander := exec.Command("sleep", "60")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = bystander.Process.Kill()
		_ = bystander.Wait()
	}()
	info, err := place.ReadLock(p.LockFile())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty":            "",
		"a later process":  fmt.Sprintf(`{"pid":%d,"start_time":%d,"boot_id":%q,"host":%q}`, bystander.Process.Pid, info.StartTime, info.BootID, info.Host),
		"an earlier boot":  fmt.Sprintf(`{"pid":%d,"start_time":%d,"boot_id":"x","host":%q}`, os.Getpid(), info.StartTime, info.Host),
		"another computer": fmt.Sprintf(`{"pid":%d,"start_time":%d,"boot_id":%q,"host":"elsewhere"}`, os.Getpid(), info.StartTime, info.BootID),
		"the first one":    fmt.Sprintf(`{"pid":1,"start_time":%d,"boot_id":%q,"host":%q}`, info.StartTime, info.BootID, info.Host),
	} {
		if err := os.WriteFile(p.LockFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := bus.EndHolder(t.Context(), p); !errors.Is(err, bus.ErrUnknownHolder) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := bystander.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("a bystander has ended: %v", err)
	}
}
