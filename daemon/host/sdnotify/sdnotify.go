// Package sdnotify tells a service manager how the daemon is: the protocol of
// sd_notify(3), one datagram for each message.
//
// Without a service manager all of it does nothing. Find takes the variables out
// of the environment, so that no child of the daemon speaks for it.
package sdnotify

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// The messages.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	Watchdog = "WATCHDOG=1"
)

// Manager is a service manager. A nil one is none.
type Manager struct {
	address string
	// Within is how long it waits for a sign of life, 0 for ever.
	Within time.Duration
}

// Find finds the service manager of this process.
func Find() *Manager {
	m := find(os.Getenv, os.Getpid())
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		_ = os.Unsetenv(name) // fails for names that cannot be
	}
	return m
}

func find(getenv func(string) string, pid int) *Manager {
	address := getenv("NOTIFY_SOCKET")
	if !strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "@") || len(address) < 2 {
		return nil
	}
	m := &Manager{address: address}
	usec, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64)
	if mine := getenv("WATCHDOG_PID"); err == nil && usec > 0 && (mine == "" || mine == strconv.Itoa(pid)) {
		m.Within = time.Duration(usec) * time.Microsecond
	}
	return m
}

// Say sends messages, in one datagram. An address that begins with @ is in the
// abstract namespace.
func (m *Manager) Say(messages ...string) error {
	if m == nil {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.address, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	defer c.Close()
	if err := c.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	if _, err := c.Write([]byte(strings.Join(messages, "\n"))); err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	return nil
}

// Every is how often to give a sign of life: well within what is waited for; 0
// is never.
func (m *Manager) Every() time.Duration {
	if m == nil {
		return 0
	}
	return m.Within / 4
}
