package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/auth/person"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// hook lets the host of a chat tell of an event.
func (c *talk) hook(event wire.HookEvent, edit ...func(*wire.HookRequest)) string {
	c.s.t.Helper()
	body := wire.HookRequest{Workspace: c.s.work, Host: "claude", Event: event, Session: "7b0c"}
	for _, f := range edit {
		f(&body)
	}
	v, err := c.s.d.Hooks.Answer(c.s.t.Context(), c.request(), body)
	if err != nil {
		c.s.t.Fatalf("%s: %v", event, err)
	}
	return v.Text
}

func writes(files ...string) func(*wire.HookRequest) {
	return func(q *wire.HookRequest) { q.Files = files }
}

func runs(command string) func(*wire.HookRequest) {
	return func(q *wire.HookRequest) { q.Command = command }
}

func again(q *wire.HookRequest) { q.Again = true }

func (s *site) saysAll(what, text string, parts ...string) {
	s.t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			s.t.Errorf("%s: %q has no %q", what, text, p)
		}
	}
}

func (s *site) silent(what, text string) {
	s.t.Helper()
	if text != "" {
		s.t.Errorf("%s: %q", what, text)
	}
}

func TestTheHooksOfAChatThatDrivesNothingSayNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a_test.go": "package a\n"})
	c := s.chat()
	for _, event := range []wire.HookEvent{wire.HookBegins, wire.HookCalls, wire.HookCalled, wire.HookStops, wire.HookEnds} {
		s.silent("no run: "+string(event), c.hook(event, writes("a_test.go"), runs("rm a_test.go")))
	}
	driver := s.chat()
	v := driver.joins(s.ordered())
	driver.work()
	s.saysAll("beside", c.hook(wire.HookBegins), "run "+v.Run.Handle, "drives", "claude")
	s.saysAll("another's run", c.hook(wire.HookCalls, writes("a_test.go"), runs("rm a_test.go")), "not written: a_test.go", "run "+v.Run.Handle)
	for _, event := range []wire.HookEvent{wire.HookCalled, wire.HookStops, wire.HookEnds} {
		s.silent("another's run: "+string(event), c.hook(event, writes("a_test.go"), runs("rm a_test.go")))
	}
	if st := s.state(v.Run.ID); st.Driver == nil || s.d.Chats.Life(st.ID, st.Last.Start.Effect) != nil {
		t.Errorf("another chat has left, or beaten for, the run: %+v", st.Driver)
	}
	s.silent("no work tree", c.hook(wire.HookBegins, func(q *wire.HookRequest) { q.Workspace = t.TempDir() }))
	s.stop(v.Run.ID, events.StopCancel)
}

func TestTheBeginningOfAChatNamesTheRunThatIsOpen(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	v := one.joins(s.ordered())
	one.work()
	s.saysAll("who drives", one.hook(wire.HookBegins), "this chat drives run "+v.Run.Handle, "iteration 1 of", "apctl session next")
	one.hook(wire.HookEnds)
	if st := s.state(v.Run.ID); st.Driver != nil || st.Status != run.Live {
		t.Fatalf("the end of a chat leaves the run, and it stays: %s %+v", st.Status, st.Driver)
	}
	s.saysAll("a fresh chat", two.hook(wire.HookBegins), "waits for a chat", "apctl session join "+v.Run.Handle)
	two.joins(nil)
	if d := s.d.Sessions.Driver(s.state(v.Run.ID), true); d.Session != "7b0c" || d.PID != two.pid {
		t.Errorf("driver: %+v", d)
	}
	two.table.end(two.pid)
	s.saysAll("after one that is gone", s.chat().hook(wire.HookBegins), "waits for a chat")
	s.stop(v.Run.ID, events.StopNow)
	s.saysAll("halted", s.chat().hook(wire.HookBegins), "is halted: stopped", "apctl why "+v.Run.Handle)
	s.stop(v.Run.ID, events.StopCancel)
	s.silent("over", s.chat().hook(wire.HookBegins))
}

// Lesson A57: two sessions wrote to one branch; seeds 3.10: a compound command
// got around the guard.
func TestAChatIsKeptFromWhatItsRunPins(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"a_test.go": "package a\n", "main.go": "package a\n", "sub/b_test.go": "package b\n", "package.json": "{}\n",
	})
	s.must(os.Symlink("a_test.go", filepath.Join(s.work, "link.go")))
	elsewhere := filepath.Join(t.TempDir(), "way")
	s.must(os.Symlink(s.work, elsewhere))
	c := s.chat()
	v := c.joins(s.ordered())
	c.work()
	state := s.d.cfg.Places.State
	for name, tt := range map[string]struct {
		does func(*wire.HookRequest)
		says string
	}{
		"edit":                      {writes(filepath.Join(s.work, "a_test.go")), "pinned in run " + v.Run.Handle + ": a_test.go"},
		"edit, from the directory":  {writes("a_test.go"), "a_test.go"},
		"edit through a link":       {writes("link.go"), "a_test.go"},
		"edit by another way":       {writes(elsewhere + "/a_test.go"), "a_test.go"},
		"redirect in a list":        {runs("go build ./... && echo x > a_test.go"), "a_test.go"},
		"rm of a folder":            {runs("rm -rf sub"), "sub/b_test.go"},
		"rm of the work tree":       {runs("rm -rf " + s.work), "a_test.go"},
		"git":                       {runs("git checkout HEAD -- sub/b_test.go"), "sub/b_test.go"},
		"in a folder":               {runs("cd sub; mv b_test.go c.go"), "sub/b_test.go"},
		"the record":                {runs("rm -rf '" + state + "'"), "record"},
		"a file of it":              {writes(state + "/mark"), "record"},
		"above it":                  {runs("rm -rf " + filepath.Dir(state)), "record"},
		"all there is":              {runs("chmod -R 700 /"), "record"},
		"a new test":                {writes("new_test.go"), ""},
		"the work":                  {writes("main.go"), ""},
		"reads":                     {runs("cat a_test.go | grep x > out.txt"), ""},
		"elsewhere":                 {runs("rm -rf /tmp/nosuch/a_test.go"), ""},
		"pinned in part":            {writes("package.json"), ""},
		"nothing":                   {writes(), ""},
		"a command that is no text": {runs("if ((( rm"), ""},
	} {
		got := c.hook(wire.HookCalls, tt.does)
		if tt.says == "" {
			s.silent(name, got)
			continue
		}
		s.saysAll(name, got, tt.says)
		if strings.Contains(got, "--allow-test-changes") || strings.Contains(got, "uninstall") {
			t.Errorf("%s: it says the way around: %q", name, got)
		}
	}
	// An agent program below the chat works for it.
	inner := person.Process{PID: c.pid + 500, Parent: c.pid, Start: uint64(c.pid + 500), Program: "/usr/bin/codex"}
	c.table.add(inner)
	below := &talk{s: s, table: c.table, pid: inner.PID}
	s.saysAll("from below", below.hook(wire.HookCalls, writes("a_test.go")), "a_test.go")
	s.silent("stops", below.hook(wire.HookStops))
	below.hook(wire.HookEnds)
	if s.state(v.Run.ID).Driver == nil {
		t.Error("the end of what a chat has started leaves its run")
	}
	s.stop(v.Run.ID, events.StopNow)
	s.silent("halted", c.hook(wire.HookCalls, writes("a_test.go")))
	s.stop(v.Run.ID, events.StopCancel)
}

func TestUsesOfToolsAreSignsOfLife(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	life := func() *wire.LifeView { return s.d.api.View(s.state(v.Run.ID)).Life }
	if l := life(); l != nil {
		t.Errorf("before any: %+v", l)
	}
	c.hook(wire.HookCalled)
	c.hook(wire.HookCalled)
	if l := life(); l == nil || l.Kind != "chat" || l.Calls != 2 || l.At.IsZero() {
		t.Errorf("two: %+v", l)
	}
	s.write(map[string]string{"a.txt": "one\n"})
	c.submits(w, "progress")
	c.work()
	if l := life(); l != nil {
		t.Errorf("of the iteration before: %+v", l)
	}
	s.stop(v.Run.ID, events.StopCancel)
}

// What a chat owes holds it once at each point of its run, never for ever, and
// not where somebody else is awaited.
func TestAChatIsHeldWhileItsWorkIsDue(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	held := c.hook(wire.HookStops)
	s.saysAll("at work", held, "run "+v.Run.Handle+" is not done yet", "phase work, iteration 1", "goal", "apctl session submit --effect "+w.Effect)
	s.silent("once more, as it was held", c.hook(wire.HookStops, again))
	s.saysAll("anew, by itself", c.hook(wire.HookStops), "not done yet")
	s.saysAll("a third time", c.hook(wire.HookStops), "not done yet")
	s.silent("and no more, of a host that does not say that it was held", c.hook(wire.HookStops))
	s.write(map[string]string{"a.txt": "one\n"})
	c.submits(w, "done")
	c.work()
	s.saysAll("held, and the run has moved", c.hook(wire.HookStops, again), "iteration 2")
	s.silent("and has not", c.hook(wire.HookStops, again))
	s.silent("held by another hook", func() string {
		two := s.chat()
		return two.hook(wire.HookStops, again)
	}())
	s.stop(v.Run.ID, events.StopNow)
	s.silent("halted", c.hook(wire.HookStops))
	_, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: v.Run.ID}})
	s.must(err)
	w = c.work()
	s.write(map[string]string{"ok": ""})
	c.submits(w, "done")
	if end := c.next(); end.Run.State != "done" {
		t.Fatalf("end: %+v", end.Run)
	}
	s.silent("done", c.hook(wire.HookStops))
}

func TestAChatIsHeldWhileItsGatesRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	pipe := filepath.Join(t.TempDir(), "pipe")
	s.must(syscall.Mkfifo(pipe, 0o600))
	c := s.chat()
	q := s.spec("test -f ok && cat "+pipe, "", func(spec *wire.RunSpec) { spec.Driver = events.DriverSession })
	v := c.joins(&q)
	w := c.work()
	s.write(map[string]string{"ok": ""})
	c.submits(w, "done")
	s.until(v.Run.ID, func(st run.State) bool { return st.Stage == run.Gates })
	s.saysAll("gates", c.hook(wire.HookStops), "is not done yet: its gates are running", "apctl session next --wait")
	gate, err := os.OpenFile(pipe, os.O_WRONLY, 0) // it reads then
	s.must(err)
	s.must(gate.Close())
	if end := c.next(); end.Run.State != "done" {
		t.Errorf("end: %+v", end.Run)
	}
	s.silent("over", c.hook(wire.HookStops))
}

func TestAChatIsNotHeldWhereAPersonOrATimeIsAwaited(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	c.submits(w, "done") // at once, and without a change: a no-op, which has to wait
	st := s.until(v.Run.ID, func(st run.State) bool { return st.Stage == run.Ready })
	if st.Loop.Noops == 0 {
		t.Fatalf("no wait has begun: %+v", st.Loop)
	}
	s.silent("a back-off", c.hook(wire.HookStops))
	s.stop(v.Run.ID, events.StopCancel)
}

func TestAHostThatIsNoKnownProgramIsTheChatOfAllBelowIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	c.table.add(person.Process{PID: c.pid, Start: uint64(c.pid), UID: os.Getuid(), Program: "/opt/host"})
	tool := person.Process{PID: c.pid + 500, Parent: c.pid, Start: uint64(c.pid + 500), Program: "/usr/bin/python3", Argv: []string{"python3", "tool.py"}}
	c.table.add(tool)
	below := &talk{s: s, table: c.table, pid: tool.PID}
	c.hook(wire.HookBegins)
	if v := below.joins(s.ordered()); v.Run.Driver.PID != c.pid {
		t.Errorf("driven by %d, want %d", v.Run.Driver.PID, c.pid)
	}
	c.work()
	s.saysAll("the host stops", c.hook(wire.HookStops), "not done yet")
	s.stop(c.next().Run.ID, events.StopCancel)
}
