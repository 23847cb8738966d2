package daemon

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// named lists the texts that a run names and that are there.
func (s *site) named(id string) map[events.Ref]bool {
	s.t.Helper()
	out := map[events.Ref]bool{}
	for stored, err := range s.d.log.Read(s.t.Context(), events.Run(id), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, ref := range events.Refs(stored.Event.Data) {
			if s.d.blobs.Has(ref) {
				out[ref] = true
			}
		}
	}
	return out
}

// outputs lists the effects of a run that are on disk.
func (s *site) outputs(id string) []string {
	s.t.Helper()
	list, err := s.d.sources(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, src := range list {
		if _, err := os.Stat(s.d.effects.Open(src.effect).Path()); err == nil {
			out = append(out, src.effect)
		}
	}
	return out
}

// refs lists the trees that are kept of a run.
func (s *site) refs(st run.State) []os.DirEntry {
	s.t.Helper()
	list, err := os.ReadDir(filepath.Join(s.cfg.Places.State, "trees", st.Facts.Project+".git", "refs/autopilot", st.ID))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return list
}

func (s *site) erase(ref, typed string) (wire.EraseView, error) {
	return s.d.archiveErase(s.t.Context(), s.seated(), wire.EraseRequest{RunRef: wire.RunRef{Run: ref}, Typed: typed})
}

// facts are the events of the host's log.
func (s *site) facts() []events.Data {
	s.t.Helper()
	var out []events.Data
	for stored, err := range s.d.log.Read(s.t.Context(), events.Host(s.d.host), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, stored.Event.Data)
	}
	return out
}

// twoRuns is a site with two runs that are over, and one of them named first.
func twoRuns(t *testing.T) (s *site, first, second run.State) {
	t.Helper()
	s = newSite(t, map[string]string{"keep": "keep\n"})
	s.d.people = seat{}
	first = s.play(s.spec("echo failed first; test -f one", `touch one; echo said by the first`))
	s.wants(first, "done")
	second = s.play(s.spec("echo failed second; test -f two", `touch two; echo said by the second`))
	s.wants(second, "done")
	s.settle()
	return s, first, second
}

// settle waits until the actors have cleaned up after runs that are over.
func (s *site) settle() {
	s.close()
	s.open()
	s.d.people = seat{}
}

func TestWhatOnlyAnErasedRunWroteIsGone(t *testing.T) {
	t.Parallel()
	s, first, second := twoRuns(t)
	before, others := s.named(first.ID), s.named(second.ID)
	dry, err := s.erase(first.Facts.Handle, "")
	if err != nil || dry.Erased || dry.Texts.Files == 0 || dry.Texts.Bytes == 0 || dry.Shared == 0 || dry.Outputs.Files < 3 || dry.Trees < 2 || dry.Task != "make it so" {
		t.Fatalf("what would go: %+v %v", dry, err)
	}
	if len(s.named(first.ID)) != len(before) || len(s.outputs(first.ID)) == 0 {
		t.Fatal("to ask has removed something")
	}
	v, err := s.erase(first.ID, first.Facts.Handle)
	if err != nil || !v.Erased || v.Texts != dry.Texts || v.Shared != dry.Shared {
		t.Fatalf("erased: %+v %v", v, err)
	}
	for ref := range before {
		if s.d.blobs.Has(ref) != others[ref] {
			t.Errorf("text %s is there: %v, named by the other: %v", ref, s.d.blobs.Has(ref), others[ref])
		}
	}
	if len(s.named(second.ID)) != len(others) || len(s.outputs(second.ID)) != 3 || len(s.refs(second)) < 2 {
		t.Error("the other run has lost something")
	}
	if s.outputs(first.ID) != nil || len(s.refs(first)) != 0 || s.hasTree(first, first.Facts.Tree) || !s.hasTree(second, second.Last.Tree) {
		t.Errorf("left: outputs %v, trees %v", s.outputs(first.ID), s.refs(first))
	}
	want := events.RunErased{Run: first.ID, Texts: dry.Texts.Files, Assurance: events.AssuredTTY}
	if facts := s.facts(); len(facts) != 1 || facts[0] != want {
		t.Errorf("facts %+v, want %+v", facts, want)
	}
	if again, err := s.erase(first.ID, first.Facts.Handle); err != nil || !again.Nothing() || len(s.facts()) != 1 {
		t.Errorf("erased again: %+v %v, facts %v", again, err, s.facts())
	}
	if g := s.d.view(first).Gone; g == nil || !g.Erased || !strings.HasPrefix(g.By, "person:") || g.At.IsZero() {
		t.Errorf("said: %+v", g)
	}
	if g := s.d.view(second).Gone; g != nil {
		t.Errorf("said of the other: %+v", g)
	}
	s.wantsGone(first)
	for _, every := range []bool{false, true} {
		r, err := s.d.verify(t.Context(), s.request(), wire.VerifyRequest{RunRef: wire.RunRef{Run: first.ID}, Every: every})
		if err != nil || len(r.Problems) > 0 || r.Gone != dry.Texts.Files {
			t.Errorf("every %v: %+v %v", every, r, err)
		}
	}
	s.close()
	r, err := VerifyOffline(t.Context(), s.cfg.Places)
	if err != nil || len(r.Problems) > 0 || r.Gone != dry.Texts.Files {
		t.Errorf("offline: %+v %v", r, err)
	}
	s.open()
	if err := s.d.blobs.Delete(t.Context(), second.Facts.Task); err != nil {
		t.Fatal(err)
	}
	r, err = s.d.verify(t.Context(), s.request(), wire.VerifyRequest{Every: true})
	if err != nil || len(r.Problems) != 1 || r.Problems[0].Aggregate != "run."+second.ID || !strings.Contains(r.Problems[0].What, "missing: 1") {
		t.Errorf("a text that another run names, too: %+v %v", r.Problems, err)
	}
}

// wantsGone looks at an erased run in every way.
func (s *site) wantsGone(st run.State) {
	s.t.Helper()
	ref := wire.RunRef{Run: st.ID}
	if w := s.why(st.ID); w.Run.State != "done" || w.Run.Gone == nil || len(w.Rows) == 0 {
		s.t.Errorf("why: %+v", w)
	}
	send := func(any) error { return nil }
	_, restored := s.d.runRestore(s.t.Context(), s.request(), wire.RestoreRequest{RunRef: ref, To: "0"})
	for name, err := range map[string]error{
		"logs":    s.d.runLogs(s.t.Context(), wire.LogsRequest{RunRef: ref}, send),
		"restore": restored,
	} {
		if codeOf(err) != wire.NotFound || !strings.Contains(err.Error(), "was erased on 20") || !strings.Contains(err.Error(), "by person") {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.d.runReplay(s.t.Context(), s.request(), wire.ReplayRequest{RunRef: ref}, send); err != nil {
		s.t.Errorf("replay: %v", err)
	}
	if _, err := s.d.retro(s.t.Context(), wire.RetroRequest{RunRef: ref}, time.UTC); err != nil {
		s.t.Errorf("retro: %v", err)
	}
	if _, err := s.d.reportMake(s.t.Context(), s.request(), wire.ReportRequest{Since: time.Now().Add(-time.Hour)}); err != nil {
		s.t.Errorf("report: %v", err)
	}
}

// hasTree says that a recorded tree can be read.
func (s *site) hasTree(st run.State, of events.Tree) bool {
	repo, err := tree.Open(context.Background(), tree.Config{Root: filepath.Join(s.cfg.Places.State, "trees")}, tree.Workspace{ID: st.Facts.Project, Path: s.work})
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = repo.Files(context.Background(), of)
	return err == nil
}

func TestATextThatTwoErasedRunsNamedGoesWithTheLast(t *testing.T) {
	t.Parallel()
	s, first, second := twoRuns(t)
	shared := first.Facts.Task
	if shared != second.Facts.Task {
		t.Fatal("the runs have no task in common")
	}
	for _, st := range []run.State{first, second} {
		if !s.d.blobs.Has(shared) {
			t.Error("a text is gone that a run names")
		}
		if _, err := s.erase(st.ID, st.Facts.Handle); err != nil {
			t.Fatal(err)
		}
	}
	if s.d.blobs.Has(shared) || len(s.named(second.ID)) > 0 {
		t.Errorf("left: %v", s.named(second.ID))
	}
	// The workspace can be worked in as before.
	s.wants(s.play(s.spec("test -f three", "touch three")), "done")
}

func TestOnlyAPersonErasesAndOnlyWhatIsOver(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.d.people = seat{}
	halted := s.play(s.spec("test -f never", "date +%N > n", func(r *wire.RunSpec) { r.MaxIterations = 1 }))
	s.wants(halted, "halted")
	h := halted.Facts.Handle
	if _, err := s.erase(h, h); codeOf(err) != wire.Conflict {
		t.Errorf("halted: %v", err)
	}
	live := s.start(s.spec("test -f ok", "sleep 600"))
	if _, err := s.erase(live.Handle, ""); codeOf(err) != wire.Conflict {
		t.Errorf("live: %v", err)
	}
	s.stop(live.ID, events.StopNow)
	s.stop(live.ID, events.StopCancel)
	s.until(live.ID, func(st run.State) bool { return st.Status == run.Over })
	for name, c := range map[string]struct {
		away       bool
		run, typed string
		code       wire.Code
	}{
		"no run":               {false, "", "x", wire.Usage},
		"no such run":          {false, "zzzz", "zzzz", wire.NotFound},
		"another word":         {false, live.ID, "yes", wire.NeedsPerson},
		"nobody at a terminal": {true, live.ID, live.Handle, wire.NeedsPerson},
	} {
		s.d.people = seat{away: c.away}
		if _, err := s.erase(c.run, c.typed); codeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.facts()) != 0 || len(s.named(live.ID)) == 0 {
		t.Error("something was erased")
	}
}

func TestWhatIsBeingPutWhileARunIsErasedStays(t *testing.T) {
	t.Parallel()
	s, first, _ := twoRuns(t)
	ref := first.Facts.Spec
	text, err := s.d.blobs.Get(ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.d.blobs.Put(t.Context(), text); err != nil { // as another run does, whose event comes later
		t.Fatal(err)
	}
	if _, err := s.erase(first.ID, first.Facts.Handle); err != nil {
		t.Fatal(err)
	}
	if !s.d.blobs.Has(ref) {
		t.Error("a text was removed that is about to be named")
	}
}

func TestARemovalThatWasCutShortIsFinishedByTheNextDaemon(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*site, *sweep){
		"before it began": func(*site, *sweep) {},
		"half way": func(s *site, p *sweep) {
			p.texts = p.texts[:1]
			if err := s.d.remove(s.t.Context(), p); err != nil {
				s.t.Fatal(err)
			}
		},
		"before it was said": func(s *site, p *sweep) {
			if err := s.d.remove(s.t.Context(), p); err != nil {
				s.t.Fatal(err)
			}
		},
		"after it was said": func(s *site, p *sweep) {
			if err := s.d.remove(s.t.Context(), p); err != nil {
				s.t.Fatal(err)
			}
			r := s.d.removals.pending.Load()
			if _, err := s.d.hosts.Append(s.t.Context(), r.fact(), r.By, r.Cause); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, first, second := twoRuns(t)
			p, err := s.d.planErase(t.Context(), first.ID, false)
			if err != nil {
				t.Fatal(err)
			}
			texts := len(p.texts)
			err = s.d.announce(removal{Run: first.ID, By: "person:1@h/pts/1", At: time.Now(), Texts: texts, Assurance: events.AssuredTTY})
			if err != nil {
				t.Fatal(err)
			}
			cut(s, p)
			p.close()
			if g := s.d.gone(first); g == nil || !g.Erased || g.By != "person:1@h/pts/1" {
				t.Errorf("said meanwhile: %+v", g)
			}
			s.close()
			s.open()
			s.finished()
			others := s.named(second.ID)
			for ref := range s.named(first.ID) {
				if !others[ref] {
					t.Errorf("text %s is still there", ref)
				}
			}
			if len(s.outputs(first.ID)) > 0 || len(s.refs(first)) > 0 || s.hasTree(first, first.Facts.Tree) {
				t.Error("outputs or trees are still there")
			}
			if facts := s.facts(); len(facts) != 1 || facts[0] != (events.RunErased{Run: first.ID, Texts: texts, Assurance: events.AssuredTTY}) {
				t.Errorf("facts %+v", facts)
			}
			if _, err := os.Stat(removalFile(s.cfg.Places.State)); !os.IsNotExist(err) {
				t.Errorf("it is still written down: %v", err)
			}
		})
	}
}

// finished waits until nothing is being removed.
func (s *site) finished() {
	s.t.Helper()
	s.d.finishRemoval(s.t.Context())
	if s.d.removals.pending.Load() != nil {
		s.t.Fatal("it cannot be finished")
	}
}
