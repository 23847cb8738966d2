package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// pausing has an agent that works in iteration 1 and then does nothing for a while, so
// that there is time between two attempts.
const pausing = `name: pausing
version: 1
phases: [{name: work, prompt: converge.md, gates: [goals, protected]}]
limits: {iterations: 6, noop: {within: 10s, backoff: [2s], halt: 9}}
`

// works changes a file in its first attempt alone, and in the third makes it done.
const works = `case $AUTOPILOT_ITERATION$(cat ../count 2>/dev/null) in 1) echo 1 > own.txt;; 2) echo x > ../count;; *) cat > .autopilot/notes/prompt 2>/dev/null || { mkdir -p .autopilot/notes; cat > .autopilot/notes/prompt; }; echo done > done.txt;; esac`

// othersSite is a work tree in which nothing is taken for an echo, with a run that
// pauses after its first iteration.
func othersSite(t *testing.T) (*site, run.State) {
	t.Helper()
	s := flowSite(t, pausing)
	s.write(map[string]string{"main.go": "package main\n", "lib/a.txt": "a\n", "lib/b.txt": "b\n", ".gitignore": "*.tmp\nignored/\n"})
	s.git("add", "-A")
	s.git("commit", "-qm", "files")
	at := s.start(s.pausingRun())
	return s, s.pauses(at.ID)
}

func (s *site) pausingRun() wire.StartRequest {
	none := -time.Second // the clock of a file system is a little behind
	s.close()
	s.cfg.Late = &none
	s.open()
	return s.flowSpec("pausing", works, func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "goal", Role: events.RoleGoal, Command: "test -f done.txt"}}
	})
}

// pauses waits until the run waits between two attempts.
func (s *site) pauses(id string) run.State {
	s.t.Helper()
	return s.until(id, func(st run.State) bool {
		return settled(st) || st.Stage == run.Ready && st.Loop.Iteration == 2 && st.Loop.Noops == 1
	})
}

func (s *site) resumes(st run.State) wire.RunView {
	s.t.Helper()
	v, err := s.d.runResume(s.t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// Field reports, B.4 61: edits of others in the same checkout.
// Lesson A25.
func TestWhatAPersonDoesBetweenTwoIterationsHaltsTheRunWithTheFilesNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does  func(*site)
		files []string // of the halt; nil: it goes on, and is done
		head  string   // said of HEAD
	}{
		"nothing":       {does: func(*site) {}},
		"an edit":       {does: func(s *site) { s.write(map[string]string{"main.go": "package other\n"}) }, files: []string{"main.go"}},
		"a file gone":   {does: func(s *site) { s.must(os.RemoveAll(filepath.Join(s.work, "lib"))) }, files: []string{"lib/a.txt", "lib/b.txt"}},
		"its own file":  {does: func(s *site) { s.write(map[string]string{"own.txt": "mine\n"}) }, files: []string{"own.txt"}},
		"a stash":       {does: func(s *site) { s.write(map[string]string{"main.go": "package x\n"}); s.git("stash", "-q", "-u") }, files: []string{"own.txt"}},
		"a stash pop":   {does: func(s *site) { s.git("stash", "pop", "-q") }, files: []string{"main.go"}},
		"a new file":    {does: func(s *site) { s.write(map[string]string{"notes.txt": "mine\n"}) }},
		"ignored files": {does: func(s *site) { s.write(map[string]string{"x.tmp": "x", "ignored/y": "y"}) }},
		"an editor's":   {does: func(s *site) { s.write(map[string]string{".main.go.swp": "x", "main.go~": "y"}) }},
		"notes":         {does: func(s *site) { s.write(map[string]string{".autopilot/notes/n.md": "n"}) }},
		"its settings":  {does: func(s *site) { s.write(map[string]string{".autopilot/config.yaml": "setup: 'false'\n"}) }},
		"touched alone": {does: func(s *site) { now := time.Now(); s.must(os.Chtimes(filepath.Join(s.work, "main.go"), now, now)) }},
		"the index":     {does: func(s *site) { s.git("add", "-A") }},
		"a commit":      {does: func(s *site) { s.git("add", "-A"); s.git("commit", "-qm", "so far") }},
		"a branch":      {does: func(s *site) { s.git("checkout", "-qb", "other") }, files: []string{}, head: "and is other at"},
		"off a branch":  {does: func(s *site) { s.git("checkout", "-q", "--detach") }, files: []string{}, head: "HEAD was "},
		"an amend":      {does: func(s *site) { s.git("commit", "-q", "--amend", "-m", "again") }, files: []string{}, head: "HEAD was "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, st := othersSite(t)
			if name == "a stash pop" {
				st = s.stashedBefore(st)
			}
			tt.does(s)
			st = s.until(st.ID, settled)
			if tt.files == nil {
				s.wants(st, "done")
				return
			}
			s.wants(st, "halted:foreign-change")
			w := s.why(st.ID)
			if !slices.Equal(w.Files, tt.files) || !strings.Contains(w.Because, "somebody else") {
				t.Errorf("files %q, want %q: %s", w.Files, tt.files, w.Because)
			}
			if claims := strings.Join(w.Claims, "\n"); tt.head != "" && !strings.Contains(claims, tt.head) {
				t.Errorf("claims %q, want %q", claims, tt.head)
			}
			if v := s.d.view(st); v.Exit != wire.ExitRail {
				t.Errorf("exit %d", v.Exit)
			}
			s.resumes(st)
			s.wants(s.until(st.ID, settled), "done")
		})
	}
}

// stashedBefore has a stash that was made before the run began its work.
func (s *site) stashedBefore(st run.State) run.State {
	s.t.Helper()
	s.stop(st.ID, events.StopCancel)
	s.givenBack()
	s.must(os.Remove(filepath.Join(s.work, "own.txt")))
	s.write(map[string]string{"main.go": "package stashed\n"})
	s.git("stash", "-q")
	s.must(os.RemoveAll(filepath.Join(s.work, "../count")))
	return s.pauses(s.start(s.pausingRun()).ID)
}

func TestAResumeTakesTheWorkTreeAsItIsAndTellsWhoWorks(t *testing.T) {
	t.Parallel()
	s, st := othersSite(t)
	s.write(map[string]string{"main.go": "package other\n"})
	st = s.until(st.ID, settled)
	s.wants(st, "halted:foreign-change")
	s.write(map[string]string{"lib/new.txt": "new\n"})
	var diff strings.Builder
	from, to, err := s.d.span(t.Context(), st, "2..now")
	s.must(err)
	repo, err := s.d.worker.Repo(t.Context(), st)
	s.must(err)
	s.must(repo.Diff(t.Context(), from, to, nil, &diff))
	if !strings.Contains(diff.String(), "+package other") || strings.Contains(diff.String(), "own.txt") {
		t.Errorf("what the others did: %s", diff.String())
	}
	v := s.resumes(st)
	if want := []string{"lib/new.txt", "main.go"}; !slices.Equal(v.Changed, want) {
		t.Errorf("told of %q, want %q", v.Changed, want)
	}
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	if p := s.read(".autopilot/notes/prompt"); !strings.Contains(p, "Somebody else has changed") || !strings.Contains(p, "lib/new.txt\nmain.go") {
		t.Errorf("the prompt does not say it: %s", p)
	}
	if s.read("main.go") != "package other\n" || len(s.d.view(st).Changed) > 0 {
		t.Errorf("main.go is %q, still told: %q", s.read("main.go"), s.d.view(st).Changed)
	}
}

func TestARestoreGoesBackToTheOwnWorkOfARunThatOthersChanged(t *testing.T) {
	t.Parallel()
	s, st := othersSite(t)
	s.write(map[string]string{"own.txt": "theirs\n"})
	st = s.until(st.ID, settled)
	s.wants(st, "halted:foreign-change")
	next := s.why(st.ID).Next
	if !slices.ContainsFunc(next, func(n wire.NextCommand) bool { return n.Command == "apctl restore "+st.Facts.Handle+" 2" }) {
		t.Errorf("next: %+v", next)
	}
	r, err := s.d.runRestore(t.Context(), s.request(), wire.RestoreRequest{RunRef: wire.RunRef{Run: st.ID}, To: "2"})
	if err != nil || s.read("own.txt") != "1\n" || r.Undo == "" {
		t.Fatalf("own.txt %q, %+v, %v", s.read("own.txt"), r, err)
	}
	if v := s.resumes(st); len(v.Changed) > 0 {
		t.Errorf("told of %q", v.Changed)
	}
	s.wants(s.until(st.ID, settled), "done")
}

// What a run itself left, and what it still writes for a moment, is its own.
func TestALateWriteOfARunIsNotOfAnother(t *testing.T) {
	t.Parallel()
	s := flowSite(t, pausing)
	s.write(map[string]string{"main.go": "package main\n"})
	q := s.pausingRun()
	s.close()
	s.cfg.Late = nil // as it is for users
	s.open()
	st := s.pauses(s.start(q).ID)
	s.write(map[string]string{"main.go": "package  main\n"}) // a watcher that formats
	s.wants(s.until(st.ID, settled), "done")
}

func TestWhatChangesWhileNoDaemonIsThereHaltsTheRun(t *testing.T) {
	t.Parallel()
	s, st := othersSite(t)
	s.close()
	s.write(map[string]string{"main.go": "package other\n"})
	s.open()
	st = s.until(st.ID, settled)
	s.wants(st, "halted:foreign-change")
}

// An answer takes the work tree as it is, as a resume does: who answers has worked
// there, and the gates judge what is there then.
func TestWhatAPersonEditsBeforeAnAnswerIsTakenWithIt(t *testing.T) {
	t.Parallel()
	s := flowSite(t, `name: asks
version: 1
phases:
  - name: work
    prompt: converge.md
    gates: [goals, {name: agreed, kind: approval, of: [plan.md], assurance: tty}]
limits: {iterations: 3}
`)
	s.write(map[string]string{"main.go": "package main\n"})
	st := s.start(s.flowSpec("asks", "echo plan > plan.md; echo $AUTOPILOT_ITERATION > n.txt", func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "goal", Role: events.RoleGoal, Command: "test -f plan.md && ! grep -q broken main.go"}}
	}))
	at := s.asked(st.ID, 1)
	s.write(map[string]string{"main.go": "broken\n"})
	s.must(s.answer(say(at, "ok")))
	after := s.until(st.ID, func(r run.State) bool { return settled(r) || r.Loop.Iteration == 2 })
	if after.Loop.Iteration != 2 {
		s.wants(after, "a second iteration, as the gates have judged what the person left")
	}
	s.stop(st.ID, events.StopCancel)
}

// A run that agents drive, at work for as long as a file is not there.
func (s *site) atWork(task string) (wire.RunView, run.State) {
	s.t.Helper()
	v := s.start(s.spec("test -f ok", "touch began; while ! test -f go; do sleep 0.05; done; echo x >> own.txt", func(r *wire.RunSpec) { r.Task = task }))
	return v, s.until(v.ID, func(st run.State) bool { return settled(st) || st.Stage == run.Agent })
}

// Field reports, B.4 61; users-expect 14: a second one hears who works here, since
// when, and works beside it.
func TestWhoComesSecondHearsWhoWorksHereAndIsOfferedAWorkTree(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v, _ := s.atWork("make it so\nin detail")
	c := s.chat()
	_, run2 := s.d.runStart(t.Context(), s.request(), s.spec("test -f ok", "true"))
	_, joins := s.d.sessionJoin(t.Context(), c.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}})
	_, starts := s.d.sessionJoin(t.Context(), c.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}, Start: s.ordered()})
	for name, tt := range map[string]struct {
		err  error
		verb string
	}{"run": {run2, "apctl run --worktree"}, "join": {joins, "apctl session join --worktree"}, "a task": {starts, "apctl session join --worktree"}} {
		refusedAs(t, name, tt.err, wire.Conflict, "run "+v.Handle+" works in this work tree, since ")
		s.saysAll(name, fmt.Sprint(tt.err), ": make it so", "last sign of life")
		var e *wire.Error
		if !errors.As(tt.err, &e) {
			t.Fatalf("%s: %v", name, tt.err)
		}
		s.saysAll(name, e.Hint, tt.verb, "apctl wait "+v.Handle, "apctl stop "+v.Handle)
		if w := e.Writer; w == nil || w.Run != v.Handle || w.Task != "make it so" || w.Alive == nil || w.Since.IsZero() || w.Iteration != 1 {
			t.Errorf("%s: as data: %+v", name, w)
		}
	}
	s.saysAll("a chat that begins", c.hook(wire.HookBegins), "run "+v.Handle+" works in this work tree", "apctl session join --worktree")
	s.stop(v.ID, events.StopCancel)

	one, two := s.chat(), s.chat()
	s.givenBack()
	d := one.joins(s.ordered())
	one.work()
	_, err := s.d.sessionJoin(t.Context(), two.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}})
	refusedAs(t, "another drives", err, wire.Conflict, "run "+d.Run.Handle+" works in this work tree")
	s.saysAll("another drives", fmt.Sprint(err), "a chat of claude, process")
	s.stop(d.Run.ID, events.StopCancel)
}

func TestAChatIsKeptFromTheWorkTreeOfARunAndWhatItWroteAllTheSameHaltsThat(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"main.go": "package main\n", ".gitignore": "out/\n"})
	v, st := s.atWork("make it so")
	c := s.chat()
	for name, does := range map[string]func(*wire.HookRequest){
		"an edit": writes("main.go"), "a new file": writes("sub/new.go"), "a command": runs("cd sub; rm ../main.go"),
		"a switch": runs("git switch -c x"), "a stash": runs("git stash"), "a pull": runs("true && git pull"),
	} {
		s.saysAll(name, c.hook(wire.HookCalls, does), "not written", "run "+v.Handle+" works in this work tree", "apctl session join --worktree")
	}
	elsewhere := filepath.Join(t.TempDir(), "f")
	for name, does := range map[string]func(*wire.HookRequest){
		"elsewhere": writes(elsewhere), "a look": runs("cat main.go; git stash list; git status"), "an editor's": writes(".idea/workspace.xml"),
	} {
		s.silent(name, c.hook(wire.HookCalls, does))
	}
	s.write(map[string]string{"main.go": "package theirs\n", "out/x": "x"})
	c.hook(wire.HookCalled, writes("main.go"))
	c.hook(wire.HookCalled, writes("out/x"))
	st = s.until(st.ID, func(st run.State) bool { return settled(st) || st.Foreign != nil })
	for _, more := range []string{"own.txt", "out/x"} { // which it has not, and which is ignored
		if err := s.d.foreignSeen(t.Context(), st.ID, chat{}, []string{more}); err != nil {
			t.Fatal(err)
		}
	}
	if st = s.state(st.ID); s.d.text(st.Foreign.Files) != "main.go\n" {
		t.Errorf("foreign: %q", s.d.text(st.Foreign.Files))
	}
	if st.Status != run.Live || st.Stage != run.Agent {
		t.Fatalf("the agent ends its turn first: %s %s", st.Status, st.Stage)
	}
	s.write(map[string]string{"go": ""})
	st = s.until(st.ID, settled)
	s.wants(st, "halted:foreign-change")
	w := s.why(st.ID)
	if !slices.Equal(w.Files, []string{"main.go"}) || !strings.Contains(strings.Join(w.Claims, "\n"), "a chat of claude, process") {
		t.Errorf("why: %q %q", w.Files, w.Claims)
	}
	s.silent("a halted run", c.hook(wire.HookCalls, writes("main.go")))
}

func TestEveryFileThatChatsWroteAtOnceIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, st := s.atWork("make it so")
	files := []string{"a.go", "b.go", "c.go", "d.go", "e.go", "f.go"}
	for _, name := range files {
		s.write(map[string]string{name: "package theirs\n"})
		s.chat().hook(wire.HookCalled, writes(name))
	}
	st = s.until(st.ID, func(st run.State) bool {
		return settled(st) || st.Foreign != nil && st.Foreign.Count == len(files)
	})
	s.write(map[string]string{"go": ""})
	st = s.until(st.ID, settled)
	s.wants(st, "halted:foreign-change")
	if w := s.why(st.ID); !slices.Equal(w.Files, files) {
		t.Errorf("why: %q", w.Files)
	}
}

// The chat that drives a run, and what a person does at a question, is no stranger.
func TestTheChatThatDrivesARunIsNoStrangerInItsWorkTree(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"main.go": "package main\n"})
	one := s.chat()
	v := one.joins(s.ordered())
	one.work()
	s.write(map[string]string{"main.go": "package mine\n"})
	s.silent("itself", one.hook(wire.HookCalls, writes("main.go")))
	one.hook(wire.HookCalled, writes("main.go"))
	other := s.chat()
	s.saysAll("another", other.hook(wire.HookCalls, writes("main.go")), "not written", "a chat of claude, process")
	one.hook(wire.HookEnds)
	s.silent("nobody drives it", other.hook(wire.HookCalls, writes("main.go")))
	if st := s.state(v.Run.ID); st.Foreign != nil {
		t.Errorf("it is a stranger: %+v", st.Foreign)
	}
	s.stop(v.Run.ID, events.StopCancel)
}

// Field reports, B.4 61: a wait for the machine may be long, and its end is no sign
// that the work tree was looked at.
func TestWhatAPersonDoesWhileTheRunWaitsInLineHaltsItToo(t *testing.T) {
	t.Parallel()
	s := heavySite(t, "{ram_per_agent: 64MiB}")
	s.write(map[string]string{"lib/a.txt": "a\n"})
	s.git("add", "-A")
	s.git("commit", "-qm", "files")
	none := -time.Second // the clock of a file system is a little behind
	s.close()
	s.cfg.Late = &none
	s.open()
	s.configure("resources: {agents: 1}\n")
	onMachine(s, 64)
	works := func(name string) string {
		return "echo x >>own.txt; while ! test -e " + s.cfg.Home + "/" + name + "; do sleep 0.05; done; case $AUTOPILOT_ITERATION in 1) ;; *) touch done;; esac"
	}
	first := s.start(s.besides("one", works("go1")))
	s.until(first.ID, func(st run.State) bool { return st.AtWork() })
	second := s.start(s.besides("two", works("go2")))
	s.until(second.ID, func(st run.State) bool { return st.WaitsForLimit() })
	let := func(name string) {
		if err := os.WriteFile(filepath.Join(s.cfg.Home, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	let("go1")
	st := s.until(first.ID, func(st run.State) bool { return settled(st) || st.Loop.Iteration > 0 && st.WaitsForLimit() })
	if err := os.WriteFile(filepath.Join(s.d.text(st.Facts.Workspace), "lib", "a.txt"), []byte("of a person\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	let("go2")
	if st = s.until(first.ID, settled); st.Halt == nil || st.Halt.Reason != events.HaltForeign {
		t.Errorf("it is %s, %+v", st.Status, st.Halt)
	}
	s.until(second.ID, settled)
}

// writerIn is who works in a work tree, as an error says it.
func writerIn(err error) wire.WriterView {
	var e *wire.Error
	if !errors.As(err, &e) || e.Writer == nil {
		return wire.WriterView{}
	}
	return *e.Writer
}

func TestWhoComesIntoAWorkTreeThatASessionHasClaimedHearsWhichAndIsOfferedAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	holds, comes := s.chat(), s.chat()
	if _, err := s.d.peerTake(t.Context(), holds.request(), wire.ClaimRequest{Key: "workspace", Workspace: s.work}); err != nil {
		t.Fatal(err)
	}
	_, runs := s.d.runStart(t.Context(), s.request(), s.spec("test -f ok", "true"))
	_, joins := s.d.sessionJoin(t.Context(), comes.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}, Start: s.ordered()})
	for verb, err := range map[string]error{"apctl run --worktree": runs, "apctl session join --worktree": joins} {
		refusedAs(t, verb, err, wire.Conflict, "is held by")
		var e *wire.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Hint, verb+" ...   works beside it") {
			t.Errorf("%s: %+v", verb, e)
		}
		if w := writerIn(err); w.Run != "" || w.PID == 0 || w.Since.IsZero() || w.Alive == nil {
			t.Errorf("%s: who has it, as data: %+v", verb, w)
		}
	}
}
