package sdnotify

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestASocketOfAnyKindIsTold(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "sd") // short: a socket path has 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, address := range []string{filepath.Join(dir, "notify"), fmt.Sprintf("@autopilot-test-%d", os.Getpid())} {
		l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		m := find(env(map[string]string{"NOTIFY_SOCKET": address}), 1)
		if err := m.Say(Ready, Watchdog); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 100)
		n, err := l.Read(b)
		if err != nil || string(b[:n]) != "READY=1\nWATCHDOG=1" {
			t.Errorf("%s: got %q %v", address, b[:n], err)
		}
	}
}

func TestTheManagerIsFoundInTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		vars  map[string]string
		found bool
		every time.Duration
	}{
		{"none", nil, false, 0},
		{"a relative path", map[string]string{"NOTIFY_SOCKET": "notify"}, false, 0},
		{"of another kind", map[string]string{"NOTIFY_SOCKET": "vsock:2:1"}, false, 0},
		{"nothing behind the sign", map[string]string{"NOTIFY_SOCKET": "@"}, false, 0},
		{"without watchdog", map[string]string{"NOTIFY_SOCKET": "/run/n"}, true, 0},
		{"with watchdog", map[string]string{"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "60000000"}, true, 15 * time.Second},
		{"a watchdog of this process", map[string]string{"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"}, true, 15 * time.Second},
		{"a watchdog of another process", map[string]string{"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"}, true, 0},
		{"a watchdog that is no number", map[string]string{"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "soon"}, true, 0},
	} {
		m := find(env(tc.vars), 7)
		if (m != nil) != tc.found || m.Every() != tc.every {
			t.Errorf("%s: got %+v, every %v", tc.name, m, m.Every())
		}
	}
}

func TestWithoutAManagerNothingIsSaid(t *testing.T) {
	t.Parallel()
	var m *Manager
	if err := m.Say(Ready); err != nil {
		t.Error(err)
	}
}

func TestNoChildSpeaksForTheDaemon(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "/run/n")
	t.Setenv("WATCHDOG_USEC", "1000")
	if m := Find(); m == nil || m.Within != time.Millisecond {
		t.Errorf("got %+v", m)
	}
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		if _, there := os.LookupEnv(name); there {
			t.Errorf("%s is left to children", name)
		}
	}
}

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}
