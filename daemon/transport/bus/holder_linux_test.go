package bus

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"autopilot/daemon/test/proctest"
)

// hideAndWait is the child: it connects, closes itself to others of its user, as
// sshd does, and stays until its stdin ends.
func hideAndWait(address string) {
	_, err := net.Dial("tcp", address)
	if err := errors.Join(err, unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("connected")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// hiddenDir makes the test below the child that may not look at everything.
const hiddenDir = "BUS_TEST_HIDDEN"

// Root looks into every process, so a child of another user looks.
func TestAProcessThatCannotBeLookedAtIsNamed(t *testing.T) {
	if os.Getenv(hiddenDir) == "" {
		t.Parallel()
		dir, err := os.MkdirTemp("/tmp", "bus-test-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		proctest.AsNobody(t, dir, hiddenDir+"="+dir)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), envHide+"="+l.Addr().String())
	in := connecting(t, cmd)
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	far, _ := addrOf(c.RemoteAddr())
	near, _ := addrOf(c.LocalAddr())
	if pids, err := holders(far, near, os.Getuid()); err != nil || !slices.Contains(pids, cmd.Process.Pid) {
		t.Errorf("%v %v, want %d among them", pids, err, cmd.Process.Pid)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

func TestTheProcessAtTheOtherEndIsFound(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue // a host may have no IPv6
		}
		defer l.Close()
		near, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		far, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		from, _ := addrOf(far.RemoteAddr())
		to, _ := addrOf(far.LocalAddr())
		if pids, err := holders(from, to, os.Getuid()); err != nil || !slices.Equal(pids, []int{os.Getpid()}) {
			t.Errorf("%s: %v %v, want %d", address, pids, err, os.Getpid())
		}
		if pids, err := holders(from, to, os.Getuid()+1); err != nil || len(pids) > 0 {
			t.Errorf("%s of another user: %v %v", address, pids, err)
		}
	}
}

func TestAConnectionThatNobodyHereHas(t *testing.T) {
	t.Parallel()
	near := netip.MustParseAddrPort("127.0.0.1:1")
	if pids, err := holders(netip.MustParseAddrPort("192.0.2.1:2"), near, os.Getuid()); err != nil || len(pids) > 0 {
		t.Errorf("another host: %v %v", pids, err)
	}
	if pids, err := holders(netip.MustParseAddrPort("127.0.0.1:2"), near, os.Getuid()); err == nil {
		t.Errorf("gone from this host: %v", pids)
	}
}

func TestAnAddressOfTheKernelsTable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0100007F:1F90": "127.0.0.1:8080", "00000000000000000000000001000000:0050": "[::1]:80", "0000000000000000FFFF00000100007F:0001": "127.0.0.1:1",
		"": "invalid AddrPort", "xx:1": "invalid AddrPort", "0100007F": "invalid AddrPort",
	} {
		if got := tableAddr(text).String(); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
