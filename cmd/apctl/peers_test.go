package main_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// place is a repository with a home and a state directory.
type place struct {
	t    *testing.T
	work string
	env  []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	run, err := os.MkdirTemp("/tmp", "ap-") // sockets need a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	dir := t.TempDir()
	p := &place{t: t, work: filepath.Join(dir, "work"), env: []string{
		"HOME=" + dir, "XDG_RUNTIME_DIR=" + run, "AUTOPILOT_STATE=" + filepath.Join(dir, "state"), "TZ=UTC", "LANG=C.UTF-8", "TERM=dumb",
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
	}}
	if out, err := exec.Command("git", "init", "-q", p.work).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	t.Cleanup(func() {
		cmd := exec.Command(filepath.Join(bin, "apctl"), "daemon", "stop")
		cmd.Env = p.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("stop the daemon: %v %s", err, out)
		}
	})
	return p
}

// session is a shell that stays: a session of its own.
type session struct {
	p   *place
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func (p *place) session() *session {
	p.t.Helper()
	s := &session{p: p, cmd: exec.Command("sh")}
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = p.work, p.env, os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewScanner(out)
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = s.in.Close()
		_ = s.cmd.Wait()
	})
	return s
}

// asks has the session run a command, whose answer is for says.
func (s *session) asks(command string) {
	s.p.t.Helper()
	if _, err := fmt.Fprintf(s.in, "{ %s; } 2>&1 < /dev/null; code=$?; printf '\\nexit %%s\\n' $code\n", command); err != nil {
		s.p.t.Fatal(err)
	}
}

// says is what the command has printed, and its exit code.
func (s *session) says() (text string, code int) {
	s.p.t.Helper()
	var b strings.Builder
	for s.out.Scan() {
		if n, ok := strings.CutPrefix(s.out.Text(), "exit "); ok {
			code, err := strconv.Atoi(n)
			if err != nil {
				s.p.t.Fatal(err)
			}
			return b.String(), code
		}
		b.WriteString(s.out.Text() + "\n")
	}
	s.p.t.Fatalf("a session ended: %v; it said %q", s.out.Err(), b.String())
	return "", 0
}

// wants runs a command that ends with a code and prints what is wanted.
func (s *session) wants(code int, want, command string) string {
	s.p.t.Helper()
	s.asks(command)
	text, got := s.says()
	if got != code || !regexp.MustCompile(want).MatchString(text) {
		s.p.t.Errorf("%s: exit %d, want %d and %q:\n%s", command, got, code, want, text)
	}
	return text
}

// S19: two takers in one millisecond, each a session and programs of its own.
func TestOfTwoProgramsThatTakeAtOnceOneWins(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	one, two := p.session(), p.session()
	one.wants(0, "nothing is claimed", "apctl peer claims")
	won := map[bool]int{}
	for round := range 100 {
		command := fmt.Sprintf("apctl peer take branch:round-%d", round)
		one.asks(command)
		two.asks(command)
		first, a := one.says()
		second, b := two.says()
		if min(a, b) != 0 || max(a, b) != 5 || !strings.Contains(first+second, "is held by a session") {
			t.Fatalf("round %d: exit %d and %d\n%s%s", round, a, b, first, second)
		}
		won[a == 0]++
	}
	t.Logf("the first won %d of 100", won[true])
	if text := one.wants(0, "fence 1|1 ", "apctl peer claims"); strings.Count(text, "branch:round-") != 100 {
		t.Errorf("not all are held:\n%s", text)
	}
	one.wants(0, "", "apctl verify --all")
}

// S18, S28, S50: a session that stands still loses neither its place, its claims nor
// its mail, and goes on with them.
func TestASessionThatStopsAndComesBackGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	one, two := p.session(), p.session()
	one.wants(0, "others call it", "apctl peer join --mode deep")
	one.wants(0, "fence 1", "apctl peer take issue:24 --ttl 10s")
	pid := one.cmd.Process.Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	list := two.wants(0, `deep .*fresh`, "apctl peer ls")
	name := regexp.MustCompile(`p[0-9a-f]{4,}`).FindString(list)
	two.wants(13, "PROMOTION_OFFER", "apctl peer check --mode feature")
	two.wants(5, "held by a session, process "+strconv.Itoa(pid), "apctl peer take issue:24")
	two.wants(0, "message 1 is stored", "apctl peer send "+name+" 'still there?'")
	for late := time.NewTicker(200 * time.Millisecond); ; { // until its time is over by the daemon's clock
		two.asks("apctl peer claims")
		if text, _ := two.says(); strings.Contains(text, "overdue") {
			late.Stop()
			break
		}
		select {
		case <-late.C:
		case <-t.Context().Done():
			t.Fatal("it is never overdue")
		}
	}
	two.wants(5, "its time was over at .*but its process goes on", "apctl peer take issue:24")
	two.wants(5, "", "apctl peer drop issue:24")
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	one.wants(0, `  \| still there\?`, "apctl peer read")
	one.wants(0, "fence 1", "apctl peer take issue:24")
	one.wants(0, "is free", "apctl peer drop issue:24")
	two.wants(0, "fence 4", "apctl peer take issue:24")
	two.wants(0, "", "apctl verify --all")
}

// S46: an answer is whole, however slowly it is read, and says all that could not be
// read.
func TestALongAnswerIsWholeInAPipe(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := filepath.Join(filepath.Dir(p.work), ".config", "session-orchestrator", "sessions", "active")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("a registry file with a name that is not short %03d.json", i)), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := p.session()
	s.wants(0, "no session is known", "apctl peer ls")
	size := s.wants(0, `^[0-9]{6,}`, "apctl peer ls --json > all; wc -c < all; tail -c 3 all")
	piped := s.wants(0, `^[0-9]{6,}`, "apctl peer ls --json | dd bs=512 2> dd > all; wc -c < all; tail -c 3 all")
	if size != piped {
		t.Errorf("in a file %q, in a pipe %q", size, piped)
	}
	s.wants(0, "and 492 more; apctl peer ls --json names them", "apctl peer ls")
}
