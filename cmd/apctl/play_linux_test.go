package main_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"autopilot/ctl/render"
)

func TestFullScreenScripts(t *testing.T) {
	t.Parallel()
	p := params("testdata/screen")
	p.Cmds["play"] = play
	testscript.Run(t, p)
}

// play runs a command on a terminal of its own and plays a person in front of
// it: play CODE COLUMNSxROWS COMMAND... -- STEP... The steps are see=TEXT, which
// waits until the text has been drawn since the last step, key=KEYS,
// size=COLUMNSxROWS, and term. Afterwards the terminal must be as it was.
func play(ts *testscript.TestScript, neg bool, args []string) {
	i := slices.Index(args, "--")
	if neg || i < 3 {
		ts.Fatalf("usage: play CODE COLUMNSxROWS COMMAND... -- STEP...")
	}
	var code int
	_, err := fmt.Sscan(args[0], &code)
	ts.Check(err)
	master, slave, err := openTerminal(80)
	ts.Check(err)
	defer master.Close()
	defer slave.Close() // kept open, so that its modes can be read
	ts.Check(resize(master, args[1]))
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	ts.Check(err)
	cmd := seated(ts, slave, args[2], args[3:i]...)
	p := &playing{ts: ts, cmd: cmd, master: master, grown: make(chan struct{}, 1), over: make(chan struct{})}
	go p.read()
	for _, step := range args[i+1:] {
		p.step(step)
	}
	p.end(code)
	after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	ts.Check(err)
	if *before != *after {
		ts.Fatalf("the terminal is not as it was: %+v, before %+v", *after, *before)
	}
	// What was drawn last may still be on its way. It ends with EIO when nobody
	// has the terminal any more.
	ts.Check(slave.Close())
	select {
	case <-p.over:
	case <-time.After(patience):
		ts.Fatalf("something still has the terminal")
	}
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(p.all()), 0o600))
}

// resize changes a terminal to COLUMNSxROWS; what runs there is told.
func resize(master *os.File, size string) error {
	var w unix.Winsize
	if _, err := fmt.Sscanf(size, "%dx%d", &w.Col, &w.Row); err != nil {
		return fmt.Errorf("read the size %q: %w", size, err)
	}
	return unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &w)
}

// playing is a command on its terminal.
type playing struct {
	ts     *testscript.TestScript
	cmd    *exec.Cmd
	master *os.File
	grown  chan struct{}
	over   chan struct{} // closed when all was read

	mu    sync.Mutex
	shown []byte
	from  int // where the last step began
}

func (p *playing) read() {
	defer close(p.over)
	buf := make([]byte, 4096)
	for {
		n, err := p.master.Read(buf)
		p.mu.Lock()
		p.shown = append(p.shown, buf[:n]...)
		p.mu.Unlock()
		select {
		case p.grown <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *playing) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.shown)
}

func (p *playing) step(step string) {
	name, value, _ := strings.Cut(step, "=")
	var err error
	switch name {
	case "see":
		p.see(value)
		return
	case "key":
		_, err = io.WriteString(p.master, strings.NewReplacer("^C", "\x03", "ESC", "\x1b", "ENTER", "\r").Replace(value))
	case "size":
		err = resize(p.master, value)
	case "term":
		err = p.cmd.Process.Signal(syscall.SIGTERM)
	default:
		p.ts.Fatalf("no step %q", step)
	}
	p.ts.Check(err)
}

// moves are sequences that put the cursor elsewhere: what follows is no longer
// beside what came before.
var moves = regexp.MustCompile(`\x1b\[[0-9;]*[HdGABCDfX]`)

// see waits for a text that is drawn, without the colours in it.
func (p *playing) see(want string) {
	late := time.After(patience)
	for {
		p.mu.Lock()
		text := render.Clean(moves.ReplaceAllString(string(p.shown[p.from:]), " "))
		seen := strings.Contains(text, want)
		if seen {
			p.from = len(p.shown)
		}
		p.mu.Unlock()
		if seen {
			return
		}
		select {
		case <-p.grown:
		case <-late:
			_ = p.cmd.Process.Kill()
			p.ts.Fatalf("%q is not drawn in:\n%q", want, text)
		}
	}
}

func (p *playing) end(code int) {
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			p.ts.Check(err)
		}
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		p.ts.Fatalf("it does not end; it showed %q", p.all())
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.ts.Fatalf("exit %d, want %d; it showed %q", got, code, p.all())
	}
}
