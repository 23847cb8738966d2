package ctl

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

func TestEveryReadingCommandSpeaksJSON(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{
		replies: map[string]any{
			"run.get": liveView(), "run.why": wire.WhyView{Run: liveView()}, "run.list": wire.ListReply{},
			"report": wire.ReportView{}, "inbox": wire.InboxView{}, "status.line": wire.LineView{},
			"verify": wire.VerifyReply{}, "daemon.status": wire.DaemonView{Version: "1.0.0"},
			"run.stop": wire.StopReply{}, "run.cancel": wire.StopReply{},
		},
		streams: map[string][]any{
			"run.events": {wire.EventFrame{Event: []byte(`{"seq":1}`)}}, "run.logs": {wire.LogFrame{Source: "agent", Data: []byte("x")}},
			"run.diff": {[]byte("diff\n")}, "run.watch": {frame(3, 0, "done", "done")},
		},
	}
	for command, schema := range map[string]string{
		"": wire.SchemaReport, "report": wire.SchemaReport, "inbox": wire.SchemaInbox, "status --line": wire.SchemaLine, "ls": wire.SchemaRuns, "ps": wire.SchemaRuns, "status": wire.SchemaRun, "why": wire.SchemaWhy,
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
		wire.Usage, wire.Failed, wire.NotFound, wire.Conflict, wire.Unreachable, wire.TimedOut, wire.Denied, wire.NeedsPerson, wire.Full, wire.Newer,
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
		"": {false}, "status --line": {false}, "report": {true}, "inbox": {true}, "ls": {true}, "status": {true}, "why": {true}, "logs": {true}, "events": {true}, "diff": {true},
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
	over := noon.Add(-time.Hour)
	done.Handle, done.State, done.Exit, done.Ended = "dddd", "done", 0, &over
	d := &fakeDaemon{replies: map[string]any{"report": wire.ReportView{Parts: []wire.ReportPart{
		{Name: wire.PartNeedsYou, Runs: []wire.ReportRun{{Run: asks}}},
		{Name: wire.PartDone, Runs: []wire.ReportRun{{Run: done, Next: wire.NextCommand{Command: "apctl diff dddd"}}}},
		{Name: wire.PartRunning, Runs: []wire.ReportRun{{Run: live}}},
	}}}}
	w := newWorld(t, d)
	code(t, w, 0)
	want := "needs you\n  aaaa  halted: needs-person  p  make it pass  apctl why aaaa\n\nruns\n  k3xq  agent, 2/10  p  make it pass  apctl watch k3xq\n\nended lately\n  dddd  done 11:00  p  make it pass  apctl diff dddd\n"
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
		{[]string{"claims"}, "did you mean: apctl peer claims"},
		{[]string{"kill"}, "apctl cancel"},
		{[]string{"halt"}, "apctl stop"},
		{[]string{"undo"}, "did you mean: apctl restore"},
		{[]string{"list"}, "did you mean: apctl ls"},
		{[]string{"take", "issue:24"}, "did you mean: apctl peer take"},
		{[]string{"lint"}, "did you mean: apctl workflow lint"},
		{[]string{"prune"}, "apctl archive prune"},
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
	read := &fakeDaemon{streams: map[string][]any{"run.logs": {
		wire.LogFrame{Iteration: 1, Source: "agent", Format: "claude", Data: []byte(`{"type":"assis`)},
		wire.LogFrame{Iteration: 1, Source: "agent", Format: "claude", Data: []byte(`tant"}`), Text: "* Edit \x1b[2Ja.go\n"},
	}}}
	w = newWorld(t, read, "logs", "--agent")
	code(t, w, 0)
	if got := w.out.String(); got != "* Edit a.go\n" {
		t.Errorf("a stream that is understood: %q", got)
	}
	w = newWorld(t, read, "logs", "--raw")
	code(t, w, 0)
	if got := w.out.String(); got != `{"type":"assistant"}` {
		t.Errorf("raw: %q", got)
	}
	w = newWorld(t, d, "logs", "--raw").terminal()
	code(t, w, wire.ExitUsage)
	for _, bad := range [][]string{
		{"logs", "--iteration", "0"},
		{"logs", "--iteration", "x"},
		{"logs", "--agent", "--gate", "t"},
		{"logs", "--raw", "--json"},
		{"events", "--after", "c"},
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
	for _, typed := range []string{"version", "--version"} {
		w := newWorld(t, nil, typed)
		code(t, w, 0)
		contains(t, "stdout", w.out.String(), "apctl 1.0.0 (")
	}
}

// Text that is the same everywhere is printed without a daemon, and starts none.
func TestCommandsThatNeedNoDaemonStartNone(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"workflow schema", "workflow schema --json", "version", "status --line", "help agents", "hook show claude", "completion bash"} {
		w := newWorld(t, nil, strings.Fields(command)...)
		w.Program = func() (string, error) { return "/bin/apctl", nil }
		code(t, w, 0)
		if slices.Contains(w.starts, true) || w.out.Len() == 0 && command != "status --line" {
			t.Errorf("apctl %s: starts %v, says %q", command, w.starts, w.out.String())
		}
	}
}

// The same delivery again goes under the same id, so that the daemon answers it once.
func TestARepeatedDeliveryHasTheSameID(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{"session.submit": wire.SessionView{}, "session.ask": wire.SessionView{}, "session.next": wire.SessionView{}}}
	at := []string{"--effect", "E", "--phase", "work", "--iteration", "1"}
	ids := map[string]string{}
	for _, call := range [][]string{
		{"one", "submit", "--done", "-m", "a"},
		{"one", "submit", "--done", "-m", "a"},
		{"two", "submit", "--done", "-m", "b"},
		{"three", "submit", "--progress", "-m", "a"},
		{"four", "ask", "which?"},
		{"four", "ask", "which?"},
		{"five", "ask", "who?"},
	} {
		code(t, newWorld(t, d, slices.Concat([]string{"session"}, call[1:], at)...), 0)
		id := d.calls[len(d.calls)-1].id
		if known, ok := ids[call[0]]; id == "" || ok && known != id {
			t.Errorf("%v: id %q, before %q", call, id, known)
		}
		ids[call[0]] = id
	}
	if all := slices.Sorted(maps.Values(ids)); len(slices.Compact(all)) != 5 {
		t.Errorf("ids: %v", ids)
	}
}
