package main_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func TestTerminalScripts(t *testing.T) {
	t.Parallel()
	p := params("testdata/linux")
	p.Setup = withSeat
	p.Cmds["tty"] = tty
	p.Cmds["person"] = person
	testscript.Run(t, p)
}

// seated starts a command that sits at a terminal: one of ours, or by its path.
func seated(ts *testscript.TestScript, slave *os.File, program string, args ...string) *exec.Cmd {
	if !strings.Contains(program, "/") {
		program = filepath.Join(bin, program)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	for _, name := range []string{"HOME", "PATH", "AUTOPILOT_STATE", "XDG_RUNTIME_DIR", "TERM", "NO_COLOR", "LANG", "TZ"} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	return cmd
}

// tty runs a command on a terminal of its own and keeps what it showed in the
// file "screen": tty CODE COLUMNS COMMAND...
func tty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: tty CODE COLUMNS COMMAND...")
	}
	var code int
	var columns uint16
	_, err := fmt.Sscan(args[0]+" "+args[1], &code, &columns)
	ts.Check(err)
	master, slave, err := openTerminal(columns)
	ts.Check(err)
	defer master.Close()
	cmd := seated(ts, slave, args[2], args[3:]...)
	_ = slave.Close()
	shown, err := io.ReadAll(master) // ends with EIO when the last process has left
	if err != nil && !errors.Is(err, syscall.EIO) {
		ts.Check(err)
	}
	_ = cmd.Wait() // the exit code is checked below
	ts.Check(os.WriteFile(ts.MkAbs("screen"), shown, 0o600))
	ts.Logf("[screen]\n%q", shown)
	if got := cmd.ProcessState.ExitCode(); got != code {
		ts.Fatalf("exit %d, want %d", got, code)
	}
}

// openTerminal makes a pseudo-terminal of so many columns.
func openTerminal(columns uint16) (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	return master, slave, nil
}
