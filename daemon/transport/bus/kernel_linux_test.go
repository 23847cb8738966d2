package bus

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// connecting starts a child that connects, and returns when it has. It ends when
// what is given back is closed.
func connecting(t *testing.T, cmd *exec.Cmd) io.Closer {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "connected\n" {
		t.Fatalf("child says %q, %v", line, err)
	}
	return in
}

func TestAPeerThatEndedIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	places := testPlaces(t)
	if err := places.MakeRuntime(); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: places.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), envConnect+"="+l.Addr().String())
	in := connecting(t, cmd)
	c, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := c.File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := peerOf(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if p.pid != cmd.Process.Pid || p.uid != os.Getuid() || !p.alive() {
		t.Errorf("peer is %+v, alive %v, want process %d", p, p.alive(), cmd.Process.Pid)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if p.pidfd < 0 {
		return // an old kernel: nothing tells
	}
	if p.alive() {
		t.Error("a process that ended is taken for alive")
	}
	// Asked only now, the kernel has no process to name, or one that ended.
	late, err := peerOf(int(f.Fd()))
	if err == nil && late.alive() {
		t.Error("a process that had ended before is taken for alive")
	}
	if err == nil {
		late.close()
	}
	if _, err := unix.FcntlInt(uintptr(p.pidfd), unix.F_GETFD, 0); err != nil {
		t.Errorf("the pidfd was closed with another: %v", err)
	}
}
