package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// seatVariable makes the test binary a seat at a terminal: "sit" runs its
// arguments on a terminal of their own, types what seatAnswer says when it is
// asked, and prints the screen; "leave" lets another one sit that is the child
// of nobody here, as a person's would be. It exits with the command's exit code.
const (
	seatVariable = "APCTL_TEST_SEAT"
	seatAnswer   = "APCTL_TEST_ANSWER" // right, or the text itself
	seatParent   = "APCTL_TEST_PARENT" // pid of who leaves
)

// seat is the test binary as a seat, if it shall be one.
func seat() (code int, is bool) {
	var err error
	switch os.Getenv(seatVariable) {
	case "sit":
		code, err = sit(os.Args[1:])
	case "leave":
		err = leave(os.Args[1:])
	default:
		return 0, false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "seat:", err)
		return 125, true
	}
	return code, true
}

func leave(args []string) error {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), seatVariable+"=sit", fmt.Sprint(seatParent, "=", os.Getpid()))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

// challenge is what is asked at the end of a screen: it names what is to be
// typed. prompt is any other question.
var (
	challenge = regexp.MustCompile(`(?:Type|には) (?:\x1b\[1m)?(\w+)(?:\x1b\[0m)? (?:to \w+ it, or press|と入力してください。)[^\n]*: $`)
	prompt    = regexp.MustCompile(`(?:^|\n)[^\n:]{3,}: $`)
)

func sit(args []string) (int, error) {
	for os.Getenv(seatParent) == strconv.Itoa(os.Getppid()) {
		runtime.Gosched() // it is about to leave
	}
	master, slave, err := openTerminal(80)
	if err != nil {
		return 0, err
	}
	defer master.Close()
	cmd := exec.Command(args[0], args[1:]...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "APCTL_TEST_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_ = slave.Close()
	screen, err := converse(master)
	if err != nil {
		return 0, err
	}
	_ = cmd.Wait() // the exit code says it
	_, err = fmt.Printf("%s\nexit %d\n", screen, cmd.ProcessState.ExitCode())
	return cmd.ProcessState.ExitCode(), err
}

// questionBytes is how much of the end of a screen can be a question: all of a long one
// would be looked at again with each piece that comes.
const questionBytes = 8 << 10

// converse reads a screen to its end and answers each question with the next of
// the answers.
func converse(master *os.File) ([]byte, error) {
	var screen bytes.Buffer
	answers, asked := strings.Split(os.Getenv(seatAnswer), "|"), 0
	for buf := make([]byte, 4096); ; {
		n, err := master.Read(buf)
		screen.Write(buf[:n])
		if err != nil {
			return screen.Bytes(), nil // EIO: the last process has left
		}
		last := screen.Bytes()[max(asked, screen.Len()-questionBytes):]
		m := challenge.FindSubmatch(last)
		// A long text can be cut where it looks like a question; more of it follows then.
		if len(answers) > 0 && (m != nil || prompt.Match(last) && isQuiet(master)) {
			answer := answers[0]
			answers, asked = answers[1:], screen.Len()
			if answer == "right" && m != nil {
				answer = string(m[1])
			}
			if _, err := io.WriteString(master, answer+"\n"); err != nil {
				return nil, err
			}
		}
	}
}

// isQuiet says that a terminal has nothing more to say for now.
func isQuiet(master *os.File) bool {
	quiet := true
	c, err := master.SyscallConn()
	if err == nil {
		err = c.Control(func(fd uintptr) {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 100)
			for errors.Is(err, unix.EINTR) { // the runtime interrupts long calls
				n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 100)
			}
			quiet = n == 0
		})
	}
	return quiet && err == nil
}

// person lets a person run a command at a terminal and type answers, each right
// or any text, with | between them; the screen goes to the file of that name: person CODE ANSWER
// COMMAND...
func person(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: person CODE ANSWER COMMAND...")
	}
	self, err := os.Executable()
	ts.Check(err)
	cmd := exec.Command(self, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "AUTOPILOT_STATE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "TERM", "LANG", "TZ", "PAGER", "EDITOR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Env = append(cmd.Env, seatVariable+"=leave", seatAnswer+"="+args[1])
	r, w, err := os.Pipe()
	ts.Check(err)
	defer r.Close()
	cmd.Stdout, cmd.Stderr = w, w
	ts.Check(cmd.Start())
	_ = w.Close()
	screen, err := io.ReadAll(r) // to the end of who sits
	ts.Check(err)
	ts.Check(cmd.Wait())
	ts.Check(os.WriteFile(ts.MkAbs("screen"), screen, 0o600))
	ts.Logf("[screen]\n%s", screen)
	if !strings.HasSuffix(string(screen), "\nexit "+args[0]+"\n") {
		ts.Fatalf("want exit %s", args[0])
	}
}

// withSeat is setup with the test binary as SEAT, so that agents can try it.
func withSeat(e *testscript.Env) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	e.Setenv("SEAT", self)
	return setup(e)
}
