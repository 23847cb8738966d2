package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"

	"github.com/google/go-cmp/cmp"
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
	v, err := s.d.api.RunResume(s.t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}})
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
			if !slices.Equal(w.Files, tt.files) || !strings.Contains(w.Because, "another session") {
				t.Errorf("files %q, want %q: %s", w.Files, tt.files, w.Because)
			}
			if claims := strings.Join(w.Claims, "\n"); tt.head != "" && !strings.Contains(claims, tt.head) {
				t.Errorf("claims %q, want %q", claims, tt.head)
			}
			if v := s.d.api.View(st); v.Exit != wire.ExitRail {
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
	s.must(s.d.api.RunDiff(t.Context(), s.request(), wire.DiffRequest{RunRef: wire.RunRef{Run: st.ID}, Range: "2..now"}, func(piece wire.Raw) error {
		_, err := diff.Write(piece)
		return err
	}))
	if !strings.Contains(diff.String(), "+package other") || strings.Contains(diff.String(), "own.txt") {
		t.Errorf("what the others did: %s", diff.String())
	}
	v := s.resumes(st)
	if want := []string{"lib/new.txt", "main.go"}; !slices.Equal(v.Changed, want) {
		t.Errorf("told of %q, want %q", v.Changed, want)
	}
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	if p := s.read(".autopilot/notes/prompt"); !strings.Contains(p, "Another session changed") || !strings.Contains(p, "lib/new.txt\nmain.go") {
		t.Errorf("the prompt does not say it: %s", p)
	}
	if s.read("main.go") != "package other\n" || len(s.d.api.View(st).Changed) > 0 {
		t.Errorf("main.go is %q, still told: %q", s.read("main.go"), s.d.api.View(st).Changed)
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
	r, err := s.d.api.RunRestore(t.Context(), s.request(), wire.RestoreRequest{RunRef: wire.RunRef{Run: st.ID}, To: "2"})
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
	if err := os.WriteFile(filepath.Join(s.d.api.Text(st.Facts.Workspace), "lib", "a.txt"), []byte("of a person\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	let("go2")
	if st = s.until(first.ID, settled); st.Halt == nil || st.Halt.Reason != events.HaltForeign {
		t.Errorf("it is %s, %+v", st.Status, st.Halt)
	}
	s.until(second.ID, settled)
}

// HEAD that a person has moved is where the run goes on from: who resumes it hears
// from where to where, and so does who works.
func TestAResumeSaysFromWhereToWhereHeadWasMoved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does     func(*site)
		from, to string // of HEAD, with C for the commit that it was at and N for that it is at; empty: nothing is said
	}{
		"nothing":         {does: func(*site) {}},
		"a commit on top": {does: func(s *site) { s.git("add", "-A"); s.git("commit", "-qm", "so far") }},
		"another branch":  {does: func(s *site) { s.git("checkout", "-qb", "other") }, from: "master at C", to: "other at C"},
		"off a branch":    {does: func(s *site) { s.git("checkout", "-q", "--detach") }, from: "master at C", to: "C"},
		"an amend":        {does: func(s *site) { s.git("commit", "-q", "--amend", "-m", "again") }, from: "master at C", to: "master at N"},
		"a branch with other files": {does: func(s *site) {
			s.git("checkout", "-qb", "other")
			s.write(map[string]string{"theirs.txt": "theirs\n"})
			s.git("add", "theirs.txt")
			s.git("commit", "-qm", "theirs")
		}, from: "master at C", to: "other at N"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, st := othersSite(t)
			was := s.git("rev-parse", "HEAD")
			s.stop(st.ID, events.StopNow)
			st = s.until(st.ID, settled)
			tt.does(s)
			place := strings.NewReplacer("C", was[:7], "N", s.git("rev-parse", "HEAD")[:7])
			got, want := s.resumes(st).HeadMoved, (*wire.HeadMoved)(nil)
			if tt.to != "" {
				want = &wire.HeadMoved{From: place.Replace(tt.from), To: place.Replace(tt.to)}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("HEAD (-want +got):\n%s", d)
			}
			st = s.until(st.ID, settled)
			s.wants(st, "done")
			if s.d.api.View(st).HeadMoved != nil {
				t.Error("who works was told, and it is said again")
			}
			prompt, _ := os.ReadFile(filepath.Join(s.work, ".autopilot/notes/prompt"))
			if said := strings.Contains(string(prompt), "Another session moved HEAD"); said != (want != nil) {
				t.Errorf("who works is told: %v\n%s", said, prompt)
			}
		})
	}
}

func TestAnAnswerSaysFromWhereToWhereHeadWasMoved(t *testing.T) {
	t.Parallel()
	s := flowSite(t, `name: asks
version: 1
phases:
  - name: work
    prompt: converge.md
    gates: [goals, {name: agreed, kind: approval, of: [plan.md], assurance: tty}]
`)
	st := s.start(s.flowSpec("asks", "echo plan > plan.md", func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "goal", Role: events.RoleGoal, Command: "test -f plan.md"}}
	}))
	at := s.asked(st.ID, 1)
	s.git("checkout", "-qb", "other")
	s.must(s.answer(say(at, "ok")))
	after := s.until(st.ID, settled)
	s.wants(after, "done")
	if m := s.d.api.View(after).HeadMoved; m == nil || !strings.HasPrefix(m.From, "master at ") || !strings.HasPrefix(m.To, "other at ") {
		t.Errorf("HEAD: %+v", m)
	}
}
