package daemon

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/daemon/coord/hook"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

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
	_, run2 := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "true"))
	_, joins := s.d.Sessions.Join(t.Context(), c.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}})
	_, starts := s.d.Sessions.Join(t.Context(), c.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}, Start: s.ordered()})
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
	_, err := s.d.Sessions.Join(t.Context(), two.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}})
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
		if err := s.d.Hooks.Note(t.Context(), hook.Written{Run: st.ID, Files: []string{more}}); err != nil {
			t.Fatal(err)
		}
	}
	if st = s.state(st.ID); s.d.api.Text(st.Foreign.Files) != "main.go\n" {
		t.Errorf("foreign: %q", s.d.api.Text(st.Foreign.Files))
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
	if _, err := s.d.Claims.Take(t.Context(), holds.request(), wire.ClaimRequest{Key: "workspace", Workspace: s.work}); err != nil {
		t.Fatal(err)
	}
	_, runs := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "true"))
	_, joins := s.d.Sessions.Join(t.Context(), comes.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}, Start: s.ordered()})
	for verb, err := range map[string]error{"apctl run --worktree": runs, "apctl session join --worktree": joins} {
		refusedAs(t, verb, err, wire.Conflict, "is held by")
		var e *wire.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Hint, verb+" ...   works in parallel, in its own work tree\n") || strings.Contains(e.Hint, ";\n") {
			t.Errorf("%s: %+v", verb, e)
		}
		if w := writerIn(err); w.Run != "" || w.PID == 0 || w.Since.IsZero() || w.Alive == nil {
			t.Errorf("%s: who has it, as data: %+v", verb, w)
		}
	}
}
