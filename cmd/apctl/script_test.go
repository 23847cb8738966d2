package main_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"autopilot/daemon/test/proctest"
)

// bin holds the programs under test, as they are installed.
var bin string

func TestMain(m *testing.M) {
	if code, is := seat(); is {
		os.Exit(code)
	}
	if code, is := asks(); is {
		os.Exit(code)
	}
	os.Exit(build(m))
}

func build(m *testing.M) int {
	proctest.Scrub()
	dir, err := os.MkdirTemp("", "apctl-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-X main.version=1.2.3", "-o", dir+"/",
		"autopilot/cmd/apctl", "autopilot/cmd/autopilotd", "autopilot/cmd/apshim")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	bin = dir
	return m.Run()
}

// scriptsWithin bounds all scripts, so that one that hangs shows itself.
const scriptsWithin = 30 * time.Minute

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, params("testdata/script"))
}

func params(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		Deadline:            time.Now().Add(scriptsWithin),
		Setup:               setup,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"cmpnorm": cmpnorm,
			"kill9":   kill9,
			"capture": capture,
			"await":   await,
			"release": release,
			"repo":    repo,
			"until":   until,
		},
	}
}

// setup gives a script its own home, state and a daemon that ends with it.
func setup(e *testscript.Env) error {
	// Sockets need a short path, which a test's directory is not.
	run, err := os.MkdirTemp("/tmp", "ap-")
	if err != nil {
		return err
	}
	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	for _, v := range [][2]string{
		{"HOME", home},
		{"XDG_RUNTIME_DIR", run},
		{"AUTOPILOT_STATE", filepath.Join(e.WorkDir, "state")},
		{"XDG_STATE_HOME", ""},
		{"XDG_CONFIG_HOME", filepath.Join(home, "config")},
		{"XDG_CACHE_HOME", filepath.Join(home, "cache")},
		{"PATH", bin + string(os.PathListSeparator) + os.Getenv("PATH")},
		{"LANG", "C.UTF-8"},
		{"TERM", "xterm"},
		{"TZ", "UTC"},
		{"GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig")}, // not /dev/null: git config --global would put a file in its place
		{"GIT_CONFIG_SYSTEM", filepath.Join(home, "gitconfig-system")},
		{"BIN", bin},
		{"ASKS", os.Args[0]},
		{"AGENT", filepath.Join(e.WorkDir, "agent.yaml")},
	} {
		e.Setenv(v[0], v[1])
	}
	e.Defer(func() {
		endDaemon(e)
		_ = os.RemoveAll(run)
	})
	return nil
}

// endDaemon ends what a script may have left: live runs, then the daemon.
func endDaemon(e *testscript.Env) {
	apctl := func(args ...string) (string, error) {
		cmd := exec.Command(filepath.Join(bin, "apctl"), args...)
		cmd.Env = e.Vars
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if _, err := apctl("daemon", "status"); err != nil {
		return
	}
	stopped, err := apctl("stop", "--all", "--now", "--json")
	for _, m := range handleMember.FindAllStringSubmatch(stopped, -1) {
		_, _ = apctl("wait", m[1], "--timeout", "20s") // exits with how the run ended
	}
	if err == nil {
		stopped, err = apctl("daemon", "stop")
	}
	if err != nil {
		e.T().Log(fmt.Sprintf("end the daemon: %v\n%s", err, stopped))
		if log, err := os.ReadFile(filepath.Join(e.WorkDir, "state", "daemon.log")); err == nil {
			e.T().Log(string(log))
		}
	}
}

var handleMember = regexp.MustCompile(`"handle":"(\w+)"`)

// exits runs a command and checks its exit code: exits 10 apctl run ...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// capture keeps the first word of the last output in a variable: capture NAME.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: capture NAME")
	}
	words := strings.Fields(ts.ReadFile("stdout"))
	if len(words) == 0 {
		ts.Fatalf("there is no output")
	}
	ts.Setenv(args[0], words[0])
}

// kill9 kills the process whose id is in a JSON answer: kill9 FILE.
func kill9(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: kill9 FILE")
	}
	m := regexp.MustCompile(`"pid":(\d+)`).FindStringSubmatch(ts.ReadFile(args[0]))
	if m == nil {
		ts.Fatalf("%s names no pid", args[0])
	}
	pid, err := strconv.Atoi(m[1])
	ts.Check(err)
	p, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(p.Kill())
}

// repo makes a directory a git repository with its files committed.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	git := []string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}
	for _, step := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "start"}} {
		ts.Check(ts.Exec("git", append(git, step...)...))
	}
	ts.Check(proctest.NoMaintenance(dir))
	// What person and play show is a file of the script, not of the work.
	exclude := filepath.Join(dir, ".git", "info", "exclude")
	ts.Check(os.MkdirAll(filepath.Dir(exclude), 0o755))
	ts.Check(os.WriteFile(exclude, []byte("/screen\n"), 0o644))
}

// patience bounds each wait for another process.
const patience = time.Minute

// await waits until an agent of the script opens a named pipe for writing: it
// is there then.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await PIPE")
	}
	pass(ts, args[0], os.O_RDONLY)
}

// until runs a command until what it prints matches: until PATTERN COMMAND...
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND...")
	}
	is := regexp.MustCompile(args[0])
	tick := time.NewTicker(100 * time.Millisecond) // each look is a process
	defer tick.Stop()
	for late := time.After(patience); ; {
		_ = ts.Exec(args[1], args[2:]...)
		if is.MatchString(ts.ReadFile("stdout")) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			ts.Fatalf("it never prints %q", args[0])
		}
	}
}

// release lets an agent go on that reads a named pipe.
func release(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: release PIPE")
	}
	pass(ts, args[0], os.O_WRONLY)
}

// pass opens a named pipe, which waits for the other side, and closes it.
func pass(ts *testscript.TestScript, name string, mode int) {
	path := ts.MkAbs(name)
	met := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(path, mode, 0)
		if err == nil {
			if mode == os.O_RDONLY {
				_, err = io.Copy(io.Discard, f) // or the writer gets SIGPIPE
			}
			err = errors.Join(err, f.Close())
		}
		met <- err
	}()
	select {
	case err := <-met:
		ts.Check(err)
	case <-time.After(patience):
		// Be the other side, so that the open ends, and then what is read.
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		ts.Check(err)
		ts.Check(f.Close())
		ts.Check(<-met)
		ts.Fatalf("nobody came to %s", name)
	}
}

// normal replaces what differs from run to run.
var normal = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`), "ID"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?`), "TIME"},
	{regexp.MustCompile(`\b\d\d:\d\d(:\d\d(\.\d+)?)?\b`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{10,64}\b`), "HASH"},
	{regexp.MustCompile(`\b(\d+[dhms])*\d+(\.\d+)?(ms|s)\b`), "SPAN"},
	{regexp.MustCompile(` {2,}`), "  "}, // columns are as wide as what was replaced
}

// handles are those of the runs of a script.
func handles(ts *testscript.TestScript) []string {
	cmd := exec.Command(filepath.Join(bin, "apctl"), "ls", "--all", "--json")
	for _, name := range []string{"HOME", "PATH", "AUTOPILOT_STATE", "XDG_RUNTIME_DIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.Output()
	ts.Check(err)
	var all []string
	for _, m := range handleMember.FindAllStringSubmatch(string(out), -1) {
		all = append(all, m[1])
	}
	return all
}

// cmpnorm compares two texts after normalising the first.
func cmpnorm(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmpnorm GOT WANT")
	}
	got := ts.ReadFile(args[0])
	work := ts.Getenv("WORK")
	got = strings.ReplaceAll(got, work, "$WORK")
	for _, h := range handles(ts) {
		got = regexp.MustCompile(`\b`+h+`\b`).ReplaceAllString(got, "RUN")
	}
	for _, n := range normal {
		got = n.re.ReplaceAllString(got, n.with)
	}
	if d := cmp.Diff(ts.ReadFile(args[1]), got); d != "" {
		ts.Fatalf("%s and %s differ (-want +got):\n%s\nall of it:\n%s", args[1], args[0], d, got)
	}
}
