package land

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/events"
)

// Issue M 2: the target moves by compare-and-swap, never by force; bad input: target
// branch deleted, moved by others in mid-landing.
func TestATargetMovesFromWhatWasJudgedOrNotAtAll(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(b *bench, id string)
		state     events.LandState
		said      string
		moves     bool
	}{
		"as it was":              {func(*bench, string) {}, events.LandDone, "", true},
		"moved by others":        {func(b *bench, _ string) { b.git(b.top, "branch", "-f", "target", "main~1") }, events.LandMoved, "target moved from", false},
		"deleted":                {func(b *bench, _ string) { b.git(b.top, "branch", "-q", "-D", "target") }, events.LandMoved, "was deleted meanwhile", false},
		"checked out":            {func(b *bench, _ string) { b.git(b.top, "checkout", "-q", "target") }, events.LandKept, "is checked out in", false},
		"checked out in another": {func(b *bench, _ string) { b.git(b.top, "worktree", "add", "-q", b.top+"-2", "target") }, events.LandKept, "user-2", false},
		"locked by a dead git":   {func(b *bench, _ string) { b.write(".git/refs/heads/target.lock", "") }, events.LandFailed, "target.lock", false},
		"packed refs":            {func(b *bench, _ string) { b.git(b.top, "pack-refs", "--all") }, events.LandDone, "", true},
		"a branch in its way": {func(b *bench, _ string) {
			b.git(b.top, "branch", "-q", "-D", "target")
			b.git(b.top, "branch", "target/x")
		}, events.LandMoved, "deleted", false},
		"a hook that would refuse":  {func(b *bench, _ string) { b.hook("reference-transaction") }, events.LandDone, "", true},
		"a repository without room": {func(b *bench, _ string) { b.git(b.top, "config", "receive.fsckObjects", "true") }, events.LandDone, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.on("work", "mine", func() { b.write("new.txt", "one\n") })
			b.on("main", "others", func() { b.write("b.txt", "b\n") })
			b.git(b.top, "branch", "target", "main")
			old := b.tip("target")
			s := b.scratch()
			id, err := s.Onto(b.Context(), old, b.part(), Merge)
			b.must(err)
			b.git(b.top, "gc", "-q", "--prune=now") // of what only the Scratch has, nothing is lost
			tt.meanwhile(b, id)
			status, head := b.git(b.top, "status", "--porcelain"), b.tip("HEAD")
			to := Target{"target", old, id, "zq1m"}
			m, err := s.Move(b.Context(), b.ws, to)
			if err != nil || m.State != tt.state || !strings.Contains(m.Said, tt.said) {
				t.Fatalf("moved: %+v %v", m, err)
			}
			if refs := b.git(b.top, "for-each-ref", "--format=%(objectname)", "refs/heads/target"); (refs == id) != tt.moves {
				t.Errorf("the target is at %s", refs)
			}
			if kept := b.git(b.top, "for-each-ref", "--format=%(objectname)", KeepRoot+"zq1m"); (kept == id) != (tt.state == events.LandKept) {
				t.Errorf("kept: %q", kept)
			}
			if b.git(b.top, "status", "--porcelain") != status || b.tip("HEAD") != head {
				t.Error("the work tree looks changed")
			}
			b.git(b.top, "fsck", "--connectivity-only")
			if again, err := s.Move(b.Context(), b.ws, to); err != nil || again.State != m.State {
				t.Errorf("once more: %+v %v", again, err)
			}
		})
	}
}

func (b *bench) hook(name string) {
	b.write(".git/hooks/"+name, "#!/bin/sh\nexit 1\n")
	b.must(os.Chmod(filepath.Join(b.top, ".git/hooks", name), 0o755))
}

func TestAMoveThatADaemonDidNotSeeIsSeenByTheNext(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.on("work", "mine", func() { b.write("new.txt", "one\n") })
	b.git(b.top, "branch", "target", "main")
	old := b.tip("target")
	s := b.scratch()
	id, err := s.Onto(b.Context(), old, b.part(), Merge)
	b.must(err)
	to := Target{"target", old, id, "zq1m"}
	if m, err := s.Move(b.Context(), b.ws, to); err != nil || m.State != events.LandDone {
		t.Fatalf("moved: %+v %v", m, err)
	}
	later := b.on("target", "more", func() { b.write("more.txt", "more\n") })
	again, err := Open(s.Top, b.ws)
	b.must(err)
	if m, err := again.Move(b.Context(), b.ws, to); err != nil || m.State != events.LandDone || b.tip("target") != later {
		t.Errorf("once more, behind another commit: %+v %v", m, err)
	}
}

func TestATargetThatDoesNotExistIsMadeOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.on("work", "mine", func() { b.write("new.txt", "one\n") })
	s := b.scratch()
	id, err := s.Onto(b.Context(), b.tip("main"), b.part(), Merge)
	b.must(err)
	if m, err := s.Move(b.Context(), b.ws, Target{"autopilot/queue-a", "", id, "zq1m"}); err != nil || m.State != events.LandDone || b.tip("autopilot/queue-a") != id {
		t.Fatalf("made: %+v %v", m, err)
	}
	if m, err := s.Move(b.Context(), b.ws, Target{"work", "", id, "zq1m"}); err != nil || m.State != events.LandMoved || !strings.Contains(m.Said, "was made meanwhile") {
		t.Errorf("one that is there: %+v %v", m, err)
	}
}

func TestARetiredBranchKeepsItsCommits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := b.on("work", "mine", func() { b.write("new.txt", "one\n") })
	b.scratch()
	if err := Retire(b.Context(), b.ws, "main", b.tip("main"), DiscardRoot+"a"); err == nil || !strings.Contains(err.Error(), "is checked out in") {
		t.Errorf("one that is checked out: %v", err)
	}
	if err := Retire(b.Context(), b.ws, "work", b.tip("main"), DiscardRoot+"a"); err == nil {
		t.Error("one that has moved is removed")
	}
	if err := Retire(b.Context(), b.ws, "work", at, DiscardRoot+"k3xq"); err != nil || b.tip(DiscardRoot+"k3xq") != at {
		t.Errorf("retired: %v", err)
	}
	if tip, err := BranchTip(b.Context(), b.ws, "work"); err != nil || tip != "" {
		t.Errorf("the branch is at %q %v", tip, err)
	}
}
