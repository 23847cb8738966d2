package ctl

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

func TestRunRefusesBadInputBeforeItAsksAnyone(t *testing.T) {
	t.Parallel()
	good := []string{"run", "--gate", "t=make", "--agent-cmd", "a"}
	with := func(more ...string) []string { return append(append([]string(nil), good...), more...) }
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no task":               {with(), "the task is empty"},
		"empty task":            {with(" \n"), "the task is empty"},
		"NUL":                   {with("a\x00b"), "NUL byte at position 1"},
		"UTF-8":                 {with("ab\xff"), "not valid UTF-8 at byte 2"},
		"two words":             {with("make", "it"), `does not know what to do with "it"` + "\n  put the task in quotes: apctl run 'make it'\n"},
		"task and file":         {with("-f", "x", "task"), "there are two tasks"},
		"no such file":          {with("-f", "nowhere"), "cannot read the task file"},
		"flag as task":          {with("--fix it"), "unknown flag"},
		"two agents":            {with("x", "--script", "s"), "two agents are given"},
		"two agents by name":    {with("x", "--agent", "claude"), "two agents are given"},
		"model of a command":    {with("x", "--model", "m"), "--model cannot be combined with --agent-cmd"},
		"full of a command":     {with("x", "--permissions", "full"), "--permissions cannot be combined with --agent-cmd"},
		"other permissions":     {[]string{"run", "x", "--gate", "t=make", "--agent", "a", "--permissions", "most"}, `--permissions "most" is not known`},
		"marker of a session":   {with("x", "--env", "CLAUDECODE=1"), "marks the session of an agent program"},
		"no such script":        {[]string{"run", "x", "--gate", "t=make", "--script", "nowhere"}, "cannot read the script"},
		"for":                   {with("x", "--for", "soon"), "--for"},
		"until":                 {with("x", "--until", "soon"), "--until"},
		"past":                  {with("x", "--until", "2026-01-02T11:00"), "in the past"},
		"iterations":            {with("x", "--max-iterations", "0"), "--max-iterations 0 is too small"},
		"no money":              {with("x", "--max-usd", "5 EUR"), `--max-usd "5 EUR" means nothing`},
		"nothing to spend":      {with("x", "--max-usd", "0"), `--max-usd "0" means nothing`},
		"an unset variable":     {with("x", "--max-usd", ""), `--max-usd "" means nothing`},
		"negative tokens":       {with("x", "--max-tokens=-5"), `--max-tokens "-5" means nothing`},
		"no turns":              {with("x", "--max-turns", "0"), "--max-turns 0 is too small"},
		"idle without a unit":   {with("x", "--idle", "20"), `--idle "20" is not a limit in time`},
		"an empty limit":        {with("x", "--gate-timeout", ""), `--gate-timeout "" is not a limit in time`},
		"a chat has no idle":    {with("x", "--driver", "session", "--idle", "5m"), "--idle cannot be kept with --driver session"},
		"nor a time of its own": {with("x", "--driver", "session", "--iteration-timeout", "5m"), "--iteration-timeout cannot be kept"},
		"both starts":           {with("x", "--start-green", "--until-green"), "exclude"},
		"workspace":             {with("x", "-C", "nowhere"), "cannot use the workspace"},
		"workspace is a file":   {with("x", "-C", "/dev/null"), "cannot use the workspace"},
		"env":                   {with("x", "--env", "NOT_SET"), "is not set here"},
		"glob":                  {with("x", "--protect", "\xff"), "the glob of --protect"},
		"iterations not number": {with("x", "--max-iterations", "ten"), `invalid argument "ten" for "--max-iterations" flag: not a whole number` + "\n"},
		"iterations too large":  {with("x", "--max-iterations", "99999999999999999999"), `flag: too large` + "\n"},
		"neither yes nor no":    {with("x", "--keep=maybe"), "neither true nor false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil, c.args...)
			code(t, w, wire.ExitUsage)
			contains(t, "stderr", w.err.String(), c.want)
			if lines := strings.Count(w.err.String(), "\n"); lines < 2 {
				t.Errorf("no word on what to do next:\n%s", w.err.String())
			}
			if len(w.starts) > 0 {
				t.Error("the daemon was asked")
			}
		})
	}
}

func TestRunSendsWhatWasTyped(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{"run.start": liveView()}}
	w := newWorld(t, d, "run", "-d", "--gate", "test=go test", "--invariant", "vet=go vet", "--agent-cmd", "./a.sh",
		"--protect", "api/**", "--allow-test-changes", "--for", "4h", "--until", "07:00", "--max-iterations", "7",
		"--start-green", "--", "--fix it")
	code(t, w, 0)
	want := `{"env":["HOME=/home/u","LANG=en_US.UTF-8","PATH=/bin","TERM=xterm"],"spec":{"workspace":"` + w.Dir + `","task":"--fix it",` +
		`"workflow":"converge","gates":[{"name":"test","role":"goal","command":"go test"},` +
		`{"name":"vet","role":"invariant","command":"go vet"}],"protect":["api/**"],"allow_tests":["**"],` +
		`"agent":{"command":"./a.sh"},"max_iterations":7,"for_ms":14400000,"until_ms":1767423600000,"start":"start-green"}}`
	if diff := cmp.Diff(sorted(t, want), sorted(t, d.body(t, wire.RunStart.Spec))); diff != "" {
		t.Error(diff)
	}
	if w.out.String() != "k3xq\n" {
		t.Errorf("stdout %q, want the handle", w.out.String())
	}
	contains(t, "stderr", w.err.String(), "ends after 10 iterations", "apctl watch k3xq", "apctl stop k3xq")
}

func TestLimitsOnWhatIsUsedAreSent(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{"run.start": liveView()}}
	w := newWorld(t, d, "run", "-d", "x", "--gate", "t=make", "--agent", "claude", "--max-usd", "$0.50", "--max-tokens", "1.5M", "--max-turns", "9", "--no-wait")
	code(t, w, 0)
	contains(t, "request", d.body(t, wire.RunStart.Spec), `"max_micro_usd":500000,"max_tokens":1500000,"max_turns":9,"no_wait":true`)
}

func TestLimitsOfProcessesAreSent(t *testing.T) {
	t.Parallel()
	v := liveView()
	v.Timeouts = wire.Timeouts{IdleMS: 1_200_000, AttemptMS: -1, GateMS: 1_800_000}
	d := &fakeDaemon{replies: map[string]any{"run.start": v}}
	w := newWorld(t, d, "run", "-d", "x", "--gate", "t=make", "--agent", "claude", "--idle", "20m", "--iteration-timeout", "0", "--gate-timeout", "90s")
	code(t, w, 0)
	contains(t, "request", d.body(t, wire.RunStart.Spec), `"timeouts":{"idle_ms":1200000,"attempt_ms":-1,"gate_ms":90000}`)
	contains(t, "stderr", w.err.String(), "\n  limits: silence of an agent up to 20m, one agent without a limit\n")
}

func TestRunNamesTheFilesThatItWritesTo(t *testing.T) {
	t.Parallel()
	v := liveView()
	d := &fakeDaemon{replies: map[string]any{"run.start": &v}}
	w := newWorld(t, d, "run", "-d", "x", "--gate", "t=make", "--agent-cmd", "a")
	real, err := filepath.EvalSymlinks(w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	v.Workspace = filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.Dir, v.Workspace); err != nil {
		t.Fatal(err)
	}
	w.Out.File, w.Err.File = filepath.Join(real, "sub", "nohup.out"), "/elsewhere/err"
	code(t, w, 0)
	contains(t, "request", d.body(t, wire.RunStart.Spec), `"outputs":["`+w.Out.File+`","/elsewhere/err"]`)
	contains(t, "stderr", w.err.String(), "note: sub/nohup.out is left out of the recorded trees, as this command writes to it\n")
	if strings.Contains(w.err.String(), "elsewhere") {
		t.Errorf("a file outside of the workspace is named:\n%s", w.err.String())
	}
	w.Err.File = w.Out.File
	if diff := cmp.Diff([]string{w.Out.File}, w.outputs()); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyARegularFileHasAPath(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // it has none there
	}
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if real, err := filepath.EvalSymlinks(path); err != nil || RegularFile(f) != real {
		t.Errorf("%q, want %q, %v", RegularFile(f), real, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := RegularFile(f); got != "" {
		t.Errorf("a removed file: %q", got)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if got := RegularFile(null); got != "" {
		t.Errorf("a device: %q", got)
	}
}

func TestACommandIsAskedAgainUnderItsIDWhenTheDaemonEnds(t *testing.T) {
	t.Parallel()
	dies := &fakeDaemon{replies: map[string]any{"run.start": fault(wire.Unreachable), "run.cancel": fault(wire.Unreachable)}}
	for _, args := range [][]string{
		{"run", "-d", "x", "--gate", "t=make", "--agent-cmd", "a"},
		{"cancel"},
	} {
		next := &fakeDaemon{replies: map[string]any{"run.start": liveView(), "run.cancel": wire.StopReply{}}}
		w := newWorld(t, nil, args...)
		tries := 0
		w.Connect = connectInTurn(&tries, dies, next)
		code(t, w, 0)
		first, second := dies.calls[len(dies.calls)-1], next.calls[0]
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(asked{})); diff != "" || first.id == "" {
			t.Errorf("%v: %+v, then %+v", args, first, second)
		}
		w = newWorld(t, nil, args...)
		tries = 0
		w.Connect = connectInTurn(&tries, dies, dies, next)
		code(t, w, wire.ExitUnreachable)
		contains(t, "stderr", w.err.String(), "the daemon ended before it answered: whether the run ", " is not known", "apctl ls ")
	}
	refuses := &fakeDaemon{replies: map[string]any{"run.start": fault(wire.Conflict)}}
	code(t, newWorld(t, refuses, "run", "x", "--gate", "t=make", "--agent-cmd", "a"), wire.ExitConflict)
	if n := len(refuses.calls); n != 2 { // the settings, then the start
		t.Errorf("a refusal was asked for %d times", n)
	}
}

func TestALongStartSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const unknown, said = "recording the workspace ...\n", "recording the workspace: 3 of 7 files\n"
		for _, c := range []struct {
			takes time.Duration
			far   wire.ProgressView
			said  string
			want  int
		}{
			{longAfter / 2, wire.ProgressView{}, "recording", 0},
			{2 * longAfter, wire.ProgressView{}, unknown, 1},
			{time.Minute, wire.ProgressView{Done: 3, All: 7}, said, 6},
		} {
			d := &fakeDaemon{
				replies: map[string]any{"run.start": liveView(), "run.preview": wire.Preview{}, "run.progress": c.far}, takes: c.takes,
			}
			for _, how := range []string{"--detach", "--dry-run"} {
				w := newWorld(t, d, "run", how, "x", "--gate", "t=make", "--agent-cmd", "a")
				code(t, w, 0)
				if n := strings.Count(w.err.String(), c.said); n != c.want {
					t.Errorf("%s, after %v: said %d times, want %d:\n%s", how, c.takes, n, c.want, w.err.String())
				}
			}
		}
	})
}

func TestTextsOfARunComeFromFilesAndStandardInput(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{"run.start": liveView()}}
	w := newWorld(t, d, "run", "-d", "-f", "-", "--gate", "t=make", "--script", "s.yaml")
	w.In = strings.NewReader(strings.Repeat("long ", 4000))
	if err := os.WriteFile(filepath.Join(w.Dir, "s.yaml"), []byte("iterations: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code(t, w, 0)
	contains(t, "request", d.body(t, wire.RunStart.Spec), `"task_ref":"ref-of-text"`, `"script":"iterations: []\n"`)
	if len(d.puts) != 1 || len(d.puts[0]) != 20000 {
		t.Errorf("the long task was not stored: %d puts", len(d.puts))
	}
}

// The configuration may have the gates and the agent.
func TestRunSendsVariablesAndLeavesTheRestToTheDaemon(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{
		"config.show": wire.ConfigView{},
		"run.preview": wire.Preview{
			Prompt: "do \x1b[2Jit", Settings: []wire.ConfigValue{{Key: "agent", Value: "mine", Origin: "project", Where: "/p/.autopilot/config.yaml:2"}},
		},
	}}
	w := newWorld(t, d, "run", "x", "--dry-run")
	w.Environ = append(w.Environ, "AUTOPILOT_FOR=8h", "AUTOPILOT_AGENT=", "AUTOPILOT_MAX_ITERATIONS=3", "AUTOPILOT_STATE=/s")
	code(t, w, 0)
	contains(t, "request", d.body(t, wire.RunPreview.Spec), `"settings":{"limits.for":"8h","limits.iterations":"3"}`)
	contains(t, "stdout", w.out.String(), "dry run: nothing was started", "  | do it\n", "not given as flags\n  agent  mine  project  /p/.autopilot/config.yaml:2\n")
}

// sorted is JSON with sorted members, for comparison.
func sorted(t *testing.T, text string) string {
	t.Helper()
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(v)
}
