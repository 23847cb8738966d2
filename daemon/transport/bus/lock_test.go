package bus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/exec/proc"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// holdLock is the child: it takes the lock, says so and waits to be killed.
func holdLock(state string) {
	p := place.Places{State: state}
	if _, err := Lock(p, "child"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	select {}
}

func startHolder(t *testing.T, p place.Places) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), envHold+"="+p.State)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("holder says %q, %v", line, err)
	}
	return cmd
}

func mustLock(t *testing.T, p place.Places) {
	t.Helper()
	l, err := Lock(p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestAStateDirectoryIsPrivate(t *testing.T) {
	t.Parallel()
	for before, want := range map[os.FileMode]os.FileMode{
		0o755: 0o700, 0o777: 0o700, 0o701: 0o700, 0o700: 0o700,
		0o777 | os.ModeSticky: 0o777 | os.ModeSticky, // shared: named by mistake
	} {
		p := place.Places{State: t.TempDir()}
		if err := os.Chmod(p.State, before); err != nil {
			t.Fatal(err)
		}
		mustLock(t, p)
		info, err := os.Stat(p.State)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode() &^ os.ModeDir; got != want {
			t.Errorf("mode %v became %v, want %v", before, got, want)
		}
	}
}

// A pipe in the place of a file would be waited for without end.
func TestAPipeInAStateDirectoryIsNamed(t *testing.T) {
	t.Parallel()
	p := place.Places{State: t.TempDir()}
	pipe := filepath.Join(p.State, "snapshot")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(p, "v1"); !errors.Is(err, ErrNotPlain) || !strings.Contains(err.Error(), pipe) {
		t.Errorf("locked: %v", err)
	}
}

// B-44.
func TestWhatALockFileSaysLocksNothing(t *testing.T) {
	t.Parallel()
	sleep := exec.Command("sleep", "60")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sleep.Process.Kill()
		_ = sleep.Wait()
	})
	boot, err := proc.Boot()
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	encode := func(info place.LockInfo) string {
		b, err := json.Marshal(info)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, content := range map[string]string{
		"pid of another program": encode(place.LockInfo{PID: sleep.Process.Pid, StartTime: 1, BootID: boot, Host: host}),
		"another host":           encode(place.LockInfo{PID: sleep.Process.Pid, StartTime: 1, BootID: boot, Host: "elsewhere"}),
		"another boot":           encode(place.LockInfo{PID: 1, StartTime: 1, BootID: "x", Host: host}),
		"empty file":             "",
		"garbage":                "\x00\xff{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testPlaces(t)
			if err := os.MkdirAll(p.State, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p.LockFile(), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if info, err := place.ReadLock(p.LockFile()); err == nil && Alive(info) {
				t.Errorf("%+v is taken for a live holder", info)
			}
			mustLock(t, p)
		})
	}
}

// B-44.
func TestOneOfManyGetsTheLock(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	var mu sync.Mutex
	var won []*StateLock
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for range 16 {
		wg.Go(func() {
			<-begin
			l, err := Lock(p, "v1")
			if err != nil {
				if !errors.Is(err, ErrLocked) {
					t.Errorf("got %v, want ErrLocked", err)
				}
				return
			}
			mu.Lock()
			won = append(won, l)
			mu.Unlock()
		})
	}
	close(begin)
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d hold the lock", len(won))
	}
	if err := won[0].Unlock(); err != nil {
		t.Fatal(err)
	}
	mustLock(t, p)
}

func TestALockedStateNamesItsHolder(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	holder := startHolder(t, p)
	_, err := Lock(p, "v1")
	locked, ok := errors.AsType[*LockedError](err)
	if !ok || !errors.Is(err, ErrLocked) {
		t.Fatalf("got %v, want a LockedError", err)
	}
	if !locked.Known || locked.Holder.PID != holder.Process.Pid || locked.Holder.Version != "child" {
		t.Errorf("holder is %+v", locked)
	}
	if !strings.Contains(err.Error(), p.State) || !strings.Contains(err.Error(), fmt.Sprint(holder.Process.Pid)) {
		t.Errorf("%q names neither directory nor process", err)
	}
	gone := locked.Holder
	gone.StartTime++
	if Alive(gone) {
		t.Error("a process with another start time is taken for the holder")
	}
}

// B-44.
func TestAKilledHolderLeavesNothingInTheWay(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	holder := startHolder(t, p)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	mustLock(t, p)
}

// B-44.
func TestASocketOfAKilledDaemonIsReplaced(t *testing.T) {
	t.Parallel()
	b := openBus(t, func(c *Config) {
		if err := c.Places.MakeRuntime(); err != nil {
			t.Fatal(err)
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: c.Places.Socket, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		_ = l.Close()
	}, nil)
	mustDial(t, b.cfg.Places.Socket)
	if fi, err := os.Stat(b.cfg.Places.Socket); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("socket is %v, %v", fi.Mode(), err)
	}
}

func TestASocketThatIsRemovedComesBack(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, map[string]Handler{wire.RunGet.Name: func(context.Context, auth.Request, []byte, *Reply) error { return nil }})
	path, closeSocket, err := b.ListenEffect("E1")
	if err != nil {
		t.Fatal(err)
	}
	before := mustDial(t, path)
	b.bridge.repair() // nothing to do
	if err := os.RemoveAll(filepath.Dir(b.cfg.Places.Runtime)); err != nil {
		t.Fatal(err)
	}
	b.bridge.repair()
	for _, c := range []*rawClient{before, mustDial(t, path), mustDial(t, b.cfg.Places.Socket)} {
		if _, err := c.ask(t, wire.RunGet.Spec, "1", ""); err != nil {
			t.Error(err)
		}
	}
	closeSocket()
	b.bridge.repair()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a closed socket came back: %v", err)
	}
}

func TestAFileThatIsNoSocketIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := removeStale(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an error that names %s", err, path)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestABusNeedsTheLock(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	if _, err := Open(Config{Places: p}); err == nil || !strings.Contains(err.Error(), "lock") {
		t.Errorf("got %v", err)
	}
}
