package ctl

import (
	"errors"
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

func TestEveryReadingCommandSpeaksJSON(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{
		replies: map[string]any{
			"run.get": liveView(), "run.why": wire.WhyView{Run: liveView()}, "run.list": wire.ListReply{},
			"verify": wire.VerifyReply{}, "daemon.status": wire.DaemonView{Version: "1.0.0"},
			"run.stop": wire.StopReply{}, "run.cancel": wire.StopReply{},
		},
		streams: map[string][]any{
			"run.events": {wire.EventFrame{Event: []byte(`{"seq":1}`)}}, "run.logs": {wire.LogFrame{Source: "agent", Data: []byte("x")}},
			"run.diff": {[]byte("diff\n")}, "run.watch": {frame(3, 0, "done", "done")},
		},
	}
	for command, schema := range map[string]string{
		"": wire.SchemaRuns, "ls": wire.SchemaRuns, "ps": wire.SchemaRuns, "status": wire.SchemaRun, "why": wire.SchemaWhy,
		"events": wire.SchemaEvent, "logs": wire.SchemaLog, "diff": wire.SchemaDiff, "watch": wire.SchemaWatch,
		"wait": wire.SchemaRun, "verify": wire.SchemaVerify, "daemon status": wire.SchemaDaemon, "version": wire.SchemaVersion,
		"stop": wire.SchemaRuns, "cancel": wire.SchemaRuns, "daemon start": wire.SchemaDaemon,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, d, append(strings.Fields(command), "--json")...)
			code(t, w, 0)
			if want := `{"schema":"` + schema + `","version":1,"data":`; !strings.HasPrefix(w.out.String(), want) {
				t.Errorf("stdout %q, want %s...", w.out.String(), want)
			}
			if n := strings.Count(w.out.String(), "\n"); n != 1 {
				t.Errorf("%d lines, want 1", n)
			}
			if w.err.Len() > 0 {
				t.Errorf("stderr: %s", w.err.String())
			}
		})
	}
}

func TestErrorsOfTheDaemonBecomeExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []wire.Code{
		wire.Usage, wire.Failed, wire.NotFound, wire.Conflict, wire.Unreachable, wire.TimedOut, wire.Denied, wire.Full, wire.Newer,
	} {
		d := &fakeDaemon{replies: map[string]any{"run.get": fault(c)}}
		w := newWorld(t, d, "status", "k3xq")
		code(t, w, exitOf(c))
		if want := "apctl: fault " + string(c) + "\n  do " + string(c) + "\n"; w.err.String() != want {
			t.Errorf("stderr %q, want %q", w.err.String(), want)
		}
		w = newWorld(t, d, "status", "--json")
		code(t, w, exitOf(c))
		contains(t, "stderr", w.err.String(), `{"schema":"autopilot.error","version":1,"data":{"code":"`+string(c)+`"`, `"hint":"do `)
	}
}

func TestAnErrorWithoutACodeIsAFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &fakeDaemon{replies: map[string]any{"run.get": errors.New("odd")}}, "status")
	code(t, w, 1)
	contains(t, "stderr", w.err.String(), "apctl: odd")
}

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
		"two words":             {with("make", "it"), `does not know what to do with "it"`},
		"task and file":         {with("-f", "x", "task"), "there are two tasks"},
		"no such file":          {with("-f", "nowhere"), "cannot read the task file"},
		"flag as task":          {with("--fix it"), "unknown flag"},
		"no gate":               {[]string{"run", "x", "--agent-cmd", "a"}, "no gate is given"},
		"no agent":              {[]string{"run", "x", "--gate", "t=make"}, "no agent is given"},
		"two agents":            {with("x", "--script", "s"), "two agents are given"},
		"no such script":        {[]string{"run", "x", "--gate", "t=make", "--script", "nowhere"}, "cannot read the script"},
		"for":                   {with("x", "--for", "soon"), "--for"},
		"until":                 {with("x", "--until", "soon"), "--until"},
		"past":                  {with("x", "--until", "2026-01-02T11:00"), "in the past"},
		"iterations":            {with("x", "--max-iterations", "0"), "--max-iterations 0 is too small"},
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

func TestAnEmptyRunIsNotTheOneOfThisDirectory(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"status", "watch", "logs", "why", "diff", "stop", "cancel", "resume", "wait", "events", "verify",
	} {
		for _, empty := range []string{"", " "} {
			w := newWorld(t, nil, command, empty)
			code(t, w, wire.ExitUsage)
			contains(t, "stderr", w.err.String(), "apctl "+command+" was given an empty RUN", "apctl ls")
			if len(w.starts) > 0 {
				t.Errorf("%s: the daemon was asked", command)
			}
		}
	}
	code(t, newWorld(t, nil, "diff", "", "1"), wire.ExitUsage)
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
	if diff := cmp.Diff(sorted(t, want), sorted(t, d.body(t, wire.RunStart))); diff != "" {
		t.Error(diff)
	}
	if w.out.String() != "k3xq\n" {
		t.Errorf("stdout %q, want the handle", w.out.String())
	}
	contains(t, "stderr", w.err.String(), "ends after 10 iterations", "apctl watch k3xq", "apctl stop k3xq")
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
	contains(t, "request", d.body(t, wire.RunStart), `"outputs":["`+w.Out.File+`","/elsewhere/err"]`)
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
	if n := len(refuses.calls); n != 1 {
		t.Errorf("a refusal was asked for %d times", n)
	}
}

func TestALongStartSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const said = "recording the workspace ...\n"
		for takes, want := range map[time.Duration]int{longAfter / 2: 0, time.Minute: 1} {
			d := &fakeDaemon{
				replies: map[string]any{"run.start": liveView(), "run.preview": wire.Preview{}}, takes: takes,
			}
			for _, how := range []string{"--detach", "--dry-run"} {
				w := newWorld(t, d, "run", how, "x", "--gate", "t=make", "--agent-cmd", "a")
				code(t, w, 0)
				if n := strings.Count(w.err.String(), said); n != want {
					t.Errorf("%s, after %v: said %d times, want %d:\n%s", how, takes, n, want, w.err.String())
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
	contains(t, "request", d.body(t, wire.RunStart), `"task_ref":"ref-of-text"`, `"script":"iterations: []\n"`)
	if len(d.puts) != 1 || len(d.puts[0]) != 20000 {
		t.Errorf("the long task was not stored: %d puts", len(d.puts))
	}
}

func TestRunSaysThatItDoesNotReadTheProjectFile(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{"run.preview": wire.Preview{Prompt: "do \x1b[2Jit"}}}
	w := newWorld(t, d, "run", "x", "--gate", "t=make", "--agent-cmd", "a", "--dry-run")
	if err := os.MkdirAll(filepath.Join(w.Dir, ".autopilot"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, ".autopilot", "config.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code(t, w, 0)
	contains(t, "stderr", w.err.String(), "config.yaml is not read by this version")
	contains(t, "stdout", w.out.String(), "dry run: nothing was started", "  | do it\n")
}

func TestNothingIsStartedInsideAnEffect(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"run", "x", "--gate", "t=make", "--agent-cmd", "a"}, {"resume"}, {"daemon", "start"},
	} {
		w := newWorld(t, nil, args...)
		w.Environ = append(w.Environ, "AUTOPILOT_EFFECT=1")
		code(t, w, wire.ExitDenied)
		if len(w.starts) > 0 {
			t.Errorf("%v: the daemon was asked", args)
		}
	}
	w := newWorld(t, nil, "status")
	w.Environ = append(w.Environ, "AUTOPILOT_EFFECT=1")
	code(t, w, wire.ExitUnreachable)
	if diff := cmp.Diff([]bool{false}, w.starts); diff != "" {
		t.Error(diff)
	}
}

func TestWhichCommandsStartADaemon(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]bool{
		"": {false}, "ls": {true}, "status": {true}, "why": {true}, "logs": {true}, "events": {true}, "diff": {true},
		"stop": {true}, "cancel": {true}, "wait": {true}, "watch": {true}, "verify": {true}, "version": {false},
		"daemon status": {false}, "daemon stop": {false}, "daemon start": {true}, "help": nil, "help exit-codes": nil,
		"completion bash": nil, "__complete status ": {false}, "daemon": nil,
	} {
		w := newWorld(t, nil, strings.Split(args, " ")...)
		if args == "" {
			w.Args = nil
		}
		w.run(t)
		if diff := cmp.Diff(want, w.starts); diff != "" {
			t.Errorf("%q: %s", args, diff)
		}
	}
}

func TestHomeShowsWhatNeedsYouFirst(t *testing.T) {
	t.Parallel()
	asks, live, done := liveView(), liveView(), liveView()
	asks.Handle, asks.State, asks.Reason, asks.Exit = "aaaa", "halted", "needs-person", 13
	done.Handle, done.State, done.Exit = "dddd", "done", 0
	d := &fakeDaemon{replies: map[string]any{"run.list": wire.ListReply{Runs: []wire.RunView{live, done, asks}}}}
	w := newWorld(t, d)
	code(t, w, 0)
	want := "needs you\n  aaaa  halted: needs-person  apctl why aaaa\n\nruns\n  k3xq  agent, 2/10  apctl watch k3xq\n"
	if diff := cmp.Diff(want, w.out.String()); diff != "" {
		t.Error(diff)
	}
	w = newWorld(t, nil)
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "nothing runs", "apctl run ")
}

func TestUnknownWordsSuggestTheNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"statu"}, "did you mean: apctl status"},
		{[]string{"daemon", "strat"}, "did you mean: apctl daemon start"},
		{[]string{"fix the bug", "--gate", "t=make"}, "a task goes to run"},
		{[]string{"zzzzzz"}, "the list: apctl help"},
		{[]string{"help", "exit-code"}, "did you mean: apctl help exit-codes"},
		{[]string{"ls", "--al"}, "apctl ls --help"},
		{[]string{"why", "a", "b"}, "see apctl why --help"},
	} {
		w := newWorld(t, nil, c.args...)
		code(t, w, wire.ExitUsage)
		contains(t, "stderr", w.err.String(), c.want)
	}
}

func TestCompletionOffersHandles(t *testing.T) {
	t.Parallel()
	done := liveView()
	done.Handle, done.State, done.Exit = "dddd", "done", 0
	d := &fakeDaemon{replies: map[string]any{"run.list": wire.ListReply{Runs: []wire.RunView{liveView(), done}}}}
	w := newWorld(t, d, "__complete", "why", "")
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "k3xq\tagent: make it pass\n", "dddd\tdone: make it pass\n")
	w = newWorld(t, d, "__complete", "stop", "")
	code(t, w, 0)
	if strings.Contains(w.out.String(), "dddd") {
		t.Errorf("stop offers a run that is over:\n%s", w.out.String())
	}
}

func TestLogsAreCleanedAndHeaded(t *testing.T) {
	t.Parallel()
	logs := []any{
		wire.LogFrame{Iteration: 1, Source: "agent", Data: []byte("a\x1b[")},
		wire.LogFrame{Iteration: 1, Source: "agent", Data: []byte("2Jb")},
		wire.LogFrame{Iteration: 1, Source: "test", Data: []byte("c\n")},
		wire.LogFrame{Iteration: 1, Source: "test", Gap: 2048, Data: []byte("d\n")},
	}
	d := &fakeDaemon{streams: map[string][]any{"run.logs": logs}}
	w := newWorld(t, d, "logs")
	code(t, w, 0)
	want := "==> iteration 1, agent <==\nab\n==> iteration 1, gate test <==\nc\n[ 2.0 KiB were not kept ]\nd\n"
	if diff := cmp.Diff(want, w.out.String()); diff != "" {
		t.Error(diff)
	}
	w = newWorld(t, d, "logs", "--raw")
	code(t, w, 0)
	if got := w.out.String(); got != "a\x1b[2Jbc\nd\n" {
		t.Errorf("raw: %q", got)
	}
	w = newWorld(t, d, "logs", "--raw").terminal()
	code(t, w, wire.ExitUsage)
	for _, bad := range [][]string{
		{"logs", "--iteration", "0"},
		{"logs", "--iteration", "x"},
		{"logs", "--agent", "--gate", "t"},
		{"logs", "--raw", "--json"},
		{"events", "--cursor", "c"},
		{"events", "--all", "k3xq"},
		{"verify", "--all", "k3xq"},
		{"stop", "--all", "k3xq"},
		{"ls", "-n", "-1"},
	} {
		code(t, newWorld(t, d, bad...), wire.ExitUsage)
	}
}

func TestDiffIsExactInAPipeAndCleanOnATerminal(t *testing.T) {
	t.Parallel()
	patch := "@@ -1 +1 @@\n-a\x1b[31m\r\n+b\n"
	d := &fakeDaemon{streams: map[string][]any{"run.diff": {[]byte(patch[:15]), []byte(patch[15:])}}}
	w := newWorld(t, d, "diff", "1..2")
	code(t, w, 0)
	if w.out.String() != patch {
		t.Errorf("pipe: %q", w.out.String())
	}
	w = newWorld(t, d, "diff").terminal()
	code(t, w, 0)
	want := "\x1b[2m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n"
	if diff := cmp.Diff(want, w.out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestVerifyExitsWithOneWhenThereIsAProblem(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{"verify": wire.VerifyReply{
		Aggregates: 1, Events: 9, Problems: []wire.Problem{{Aggregate: "run.x", Seq: 4, What: "previous hash differs"}},
	}}}
	w := newWorld(t, d, "verify")
	code(t, w, 1)
	contains(t, "stdout", w.out.String(), "✗ run.x at event 4: previous hash differs")
}

func TestTheDaemonIsStoppedAndWaitedFor(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{"daemon.status": wire.DaemonView{PID: 42}, "daemon.stop": fault(wire.Unreachable)}}
	w := newWorld(t, d, "daemon", "stop")
	alive := 3
	w.Alive = func(pid int) bool { alive--; return pid == 42 && alive > 0 }
	code(t, w, 0)
	if w.out.String() != "the daemon, pid 42, has ended\n" || alive != 0 {
		t.Errorf("%q, %d", w.out.String(), alive)
	}
	w = newWorld(t, nil, "daemon", "stop")
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "no daemon runs")
}

func TestDaemonStatusNamesThePlacesWhenNoneRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, "daemon", "status")
	code(t, w, wire.ExitUnreachable)
	contains(t, "stderr", w.err.String(), "no daemon runs", "/state", "/run/d.sock", "/state/daemon.log", "apctl daemon start")
}

func TestDaemonLogsFollowIntoANewFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := &app{World: w.World}
	path := filepath.Join(t.TempDir(), "daemon.log")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one\ntwo\n")
	tl := &tail{a: a, path: path}
	defer tl.close()
	if err := tl.begin(1); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write("three\n")
	for range 2 {
		if err := tl.more(); err != nil {
			t.Fatal(err)
		}
	}
	if w.out.String() != "two\nthree\n" {
		t.Errorf("%q", w.out.String())
	}
}

func TestVersionMayKnowNoDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, "version")
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "apctl 1.0.0 (")
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
