//go:build linux

package crashtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/test/proctest"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// patience bounds each wait for another process. Nothing is expected to take
// that long: it makes a hang a failure.
const patience = 4 * time.Minute

// Exit codes of apctl that tests act on.
const (
	exitDenied = 8
	exitPerson = 13
)

// world is one state directory with a home, and all that is started for it.
type world struct {
	t    testing.TB
	root string
	env  []string
}

// newWorld makes a world that ends with the test, whatever is left of it.
func newWorld(t testing.TB) *world {
	t.Helper()
	// Sockets need a short path, which a test's directory is not.
	root, err := os.MkdirTemp("", "apx-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root}
	w.env = []string{
		"AUTOPILOT_STATE=" + w.path("state"), "XDG_RUNTIME_DIR=" + w.path("r"), "XDG_CONFIG_HOME=" + w.path("config"),
		"HOME=" + w.path("home"), "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"LANG=C.UTF-8", "TZ=UTC", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
	}
	for _, dir := range []string{"r", "home"} {
		if err := os.Mkdir(w.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(w.end)
	return w
}

// as is the world for another test, which does not end it.
func (w *world) as(t testing.TB) *world {
	return &world{t: t, root: w.root, env: w.env}
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

// end removes the world. What still runs is a failure that was reported before,
// or the test was cut short.
func (w *world) end() {
	if w.t.Failed() {
		if b, err := os.ReadFile(w.path("state/daemon.log")); err == nil {
			w.t.Logf("the daemon's log:\n%s", b)
		}
	}
	for range 100 {
		left := w.processes()
		if len(left) == 0 {
			break
		}
		for _, l := range left {
			if err := proc.Signal(l.Process, unix.SIGKILL); err == nil {
				w.awaitEnd(l.Process)
			}
		}
	}
	if err := os.RemoveAll(w.root); err != nil {
		w.t.Error(err)
	}
}

// process is a living process of the world.
type process struct {
	proc.Process
	cmdline string
}

// processes lists what lives and names the world in its command line or its
// environment: daemon, supervisors, effects and all that these started.
func (w *world) processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		w.t.Fatal(err)
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")) // it may end at any time
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		root := []byte(w.root + "/")
		if !bytes.Contains(cmdline, root) && !bytes.Contains(environ, root) {
			continue
		}
		if p, err := proc.Read(pid); err == nil && !p.Zombie {
			found = append(found, process{p, strings.ReplaceAll(string(cmdline), "\x00", " ")})
		}
	}
	return found
}

// supervisor is a living apshim of the world.
type supervisor struct {
	proc.Process
	effect string
	agent  bool // else a gate
}

func (w *world) supervisors() []supervisor {
	var found []supervisor
	for _, p := range w.processes() {
		words := strings.Fields(p.cmdline)
		if len(words) != 2 || words[0] != filepath.Join(bin, "apshim") {
			continue
		}
		spec, err := shim.ReadSpec(words[1])
		agent := err == nil && (slices.Contains(spec.Argv, "script-agent") || filepath.Base(spec.Argv[0]) == "claude")
		found = append(found, supervisor{p.Process, spec.ID, agent})
	}
	return found
}

// awaitEnd waits until a process has ended, whoever its parent is.
func (w *world) awaitEnd(p proc.Process) {
	w.t.Helper()
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ESRCH) || err == nil && !proc.Lives(p) {
		_ = unix.Close(fd)
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer unix.Close(fd)
	deadline := time.Now().Add(patience)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(time.Until(deadline).Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			w.t.Fatal(err)
		case n == 0:
			w.t.Fatalf("process %d does not end", p.PID)
		default:
			return
		}
	}
}

// daemon is the process that holds the state directory, if one does.
func (w *world) daemon() (proc.Process, bool) {
	info, err := place.ReadLock(w.path("state/lock"))
	if err != nil {
		return proc.Process{}, false
	}
	p, err := proc.Read(info.PID)
	return p, err == nil && p.Start == info.StartTime && !p.Zombie
}

// killDaemon kills the daemon, if there is one, and waits for its end.
func (w *world) killDaemon() bool {
	p, ok := w.daemon()
	if !ok || proc.Signal(p, unix.SIGKILL) != nil {
		return false
	}
	w.awaitEnd(p)
	return true
}

// armed is a daemon that was started by hand, with a point at which it ends.
type armed struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has
}

// killed says whether the daemon has ended by SIGKILL.
func (a *armed) killed() bool {
	<-a.ended
	ws, ok := a.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == unix.SIGKILL
}

// arm starts a daemon that will kill itself at a point, and returns when it
// serves or has ended.
func (w *world) arm(point string) *armed {
	w.t.Helper()
	return w.serve(nil, failpoint.Variable+"="+point)
}

// serve starts a daemon by hand, and returns when it serves or has ended. stderr
// may be nil.
func (w *world) serve(stderr *os.File, env string) *armed {
	w.t.Helper()
	ready, theirs, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	defer ready.Close()
	a := &armed{cmd: exec.Command(filepath.Join(bin, "autopilotd")), ended: make(chan struct{})}
	a.cmd.Dir = "/"
	a.cmd.Env = append(append([]string{}, w.env...), place.EnvReady+"=3", env)
	if stderr != nil {
		a.cmd.Stderr = stderr
	}
	a.cmd.ExtraFiles = []*os.File{theirs}
	err = a.cmd.Start()
	_ = theirs.Close()
	if err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(a.ended)
		_ = a.cmd.Wait() // how it ended is in its state
	}()
	said, err := io.ReadAll(ready)
	if err != nil || len(said) > 0 && !bytes.Contains(said, []byte(`"`+wire.OK+`"`)) {
		w.t.Fatalf("start a daemon with %s: %v\n%s", env, err, said)
	}
	return a
}

// answer is how a command ended.
type answer struct {
	args   []string
	code   int
	stdout []byte
	stderr string
}

func (a answer) String() string {
	return fmt.Sprintf("%s: exit %d\n%s%s", strings.Join(a.args, " "), a.code, a.stdout, a.stderr)
}

// close proves the record, ends the daemon, and finds nothing left.
func (w *world) close() {
	w.t.Helper()
	w.must("verify", "--all")
	w.must("daemon", "stop")
	for _, p := range w.processes() {
		w.t.Errorf("process %d is left: %s", p.PID, p.cmdline)
	}
	if a := w.command("", nil, filepath.Join(bin, "autopilotd"), "verify", "--offline"); a.code != 0 {
		w.t.Errorf("%v", a)
	}
}

// command runs a program in the world. dir may be empty, env adds to the
// world's.
func (w *world) command(dir string, env []string, name string, args ...string) answer {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(append([]string{}, w.env...), env...)
	cmd.WaitDelay = 10 * time.Second // for what still holds its output open; all of it may be read late, on a host that has much to do
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		w.t.Fatalf("%s %v: %v", name, args, err)
	}
	if ctx.Err() != nil {
		w.t.Errorf("%s %v does not end\n%s%s", name, args, stdout.Bytes(), stderr.String())
	}
	return answer{append([]string{filepath.Base(name)}, args...), cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.String()}
}

func (w *world) apctl(args ...string) answer {
	w.t.Helper()
	return w.command("", nil, filepath.Join(bin, "apctl"), args...)
}

// must is apctl for a command that has to succeed.
func (w *world) must(args ...string) answer {
	w.t.Helper()
	a := w.apctl(args...)
	if a.code != 0 {
		w.t.Errorf("%v", a)
	}
	return a
}

// data reads a --json answer.
func data[T any](t testing.TB, a answer) T {
	t.Helper()
	var e struct {
		Data T `json:"data"`
	}
	if err := json.Unmarshal(a.stdout, &e); err != nil {
		t.Fatalf("read the answer of %v: %v", a, err)
	}
	return e.Data
}

// repo makes a git repository with these files committed. Those that begin
// with #! can be executed.
func (w *world) repo(dir string, files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path, mode := filepath.Join(dir, name), os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), mode)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "start"}} {
		git := append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)
		if a := w.command(dir, nil, "git", git...); a.code != 0 {
			w.t.Fatalf("%v", a)
		}
	}
	if err := proctest.NoMaintenance(dir); err != nil {
		w.t.Fatal(err)
	}
}
