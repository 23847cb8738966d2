package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/history/offline"
	"autopilot/daemon/history/removal"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// named lists the texts that a run names and that are there.
func (s *site) named(id string) map[events.Ref]bool {
	s.t.Helper()
	out := map[events.Ref]bool{}
	for stored, err := range s.d.Log.Read(s.t.Context(), events.Run(id), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, ref := range events.Refs(stored.Event.Data) {
			if s.d.Blobs.Has(ref) {
				out[ref] = true
			}
		}
	}
	return out
}

// outputs lists the effects of a run that are on disk.
func (s *site) outputs(id string) []string {
	s.t.Helper()
	list, err := s.d.api.Sources(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, src := range list {
		if _, err := os.Stat(s.d.Effects.Open(src.Effect).Path()); err == nil {
			out = append(out, src.Effect)
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
	return s.d.Removal.Erase(s.t.Context(), s.seated(), wire.EraseRequest{RunRef: wire.RunRef{Run: ref}, Typed: typed})
}

// facts are the events of the host's log.
func (s *site) facts() []events.Data {
	s.t.Helper()
	var out []events.Data
	for stored, err := range s.d.Log.Read(s.t.Context(), events.Host(s.d.HostID), 0) {
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
	s.d.Consent.People = proctest.Seat{}
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
	s.d.Consent.People = proctest.Seat{}
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
		if s.d.Blobs.Has(ref) != others[ref] {
			t.Errorf("text %s is there: %v, named by the other: %v", ref, s.d.Blobs.Has(ref), others[ref])
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
	if g := s.d.api.View(first).Gone; g == nil || !g.Erased || !strings.HasPrefix(g.By, "person:") || g.At.IsZero() {
		t.Errorf("said: %+v", g)
	}
	if g := s.d.api.View(second).Gone; g != nil {
		t.Errorf("said of the other: %+v", g)
	}
	s.wantsGone(first)
	for _, every := range []bool{false, true} {
		r, err := s.d.api.Verify(t.Context(), s.request(), wire.VerifyRequest{RunRef: wire.RunRef{Run: first.ID}, Every: every})
		if err != nil || len(r.Problems) > 0 || r.Gone != dry.Texts.Files {
			t.Errorf("every %v: %+v %v", every, r, err)
		}
	}
	s.close()
	r, err := offline.Verify(t.Context(), s.cfg.Places)
	if err != nil || len(r.Problems) > 0 || r.Gone != dry.Texts.Files {
		t.Errorf("offline: %+v %v", r, err)
	}
	s.open()
	if err := s.d.Blobs.Delete(t.Context(), second.Facts.Task); err != nil {
		t.Fatal(err)
	}
	r, err = s.d.api.Verify(t.Context(), s.request(), wire.VerifyRequest{Every: true})
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
	s.wantsBare(st)
	send := func(wire.LogFrame) error { return nil }
	_, restored := s.d.api.RunRestore(s.t.Context(), s.request(), wire.RestoreRequest{RunRef: ref, To: "0"})
	for name, err := range map[string]error{
		"logs":    s.d.api.RunLogs(s.t.Context(), auth.Request{}, wire.LogsRequest{RunRef: ref}, send),
		"restore": restored,
	} {
		if codeOf(err) != wire.NotFound || !strings.Contains(err.Error(), "was erased on 20") || !strings.Contains(err.Error(), "by person") {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.replay(s.request(), wire.ReplayRequest{RunRef: ref}); err != nil {
		s.t.Errorf("replay: %v", err)
	}
	if _, err := s.retroAs(s.request(), wire.RetroRequest{RunRef: ref}); err != nil {
		s.t.Errorf("retro: %v", err)
	}
	if _, err := s.d.api.ReportMake(s.t.Context(), s.request(), wire.ReportRequest{Since: time.Now().Add(-time.Hour)}); err != nil {
		s.t.Errorf("report: %v", err)
	}
}

// wantsBare wants the evidence of a run that is done to say that a part of it is not
// here, and no command that would show or bring back what it left.
func (s *site) wantsBare(st run.State) {
	s.t.Helper()
	w := s.why(st.ID)
	if e := w.Evidence; e == nil || !e.Bare || e.Tree != string(st.End.Tree) || len(e.Gates) != len(st.Facts.Gates) || e.Gates[0].Verdict != "pass" {
		s.t.Errorf("evidence: %+v", e)
	}
	for _, n := range append(w.Next, s.d.api.First(s.request(), st, time.Now())) {
		if strings.Contains(n.Command, "diff") || strings.Contains(n.Command, "logs") || strings.Contains(n.Command, "restore") {
			s.t.Errorf("offered: %s", n.Command)
		}
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
		if !s.d.Blobs.Has(shared) {
			t.Error("a text is gone that a run names")
		}
		if _, err := s.erase(st.ID, st.Facts.Handle); err != nil {
			t.Fatal(err)
		}
	}
	if s.d.Blobs.Has(shared) || len(s.named(second.ID)) > 0 {
		t.Errorf("left: %v", s.named(second.ID))
	}
	// The workspace can be worked in as before.
	s.wants(s.play(s.spec("test -f three", "touch three")), "done")
}

func TestOnlyAPersonErasesAndOnlyWhatIsOver(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.d.Consent.People = proctest.Seat{}
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
		s.d.Consent.People = proctest.Seat{Away: c.away}
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
	text, err := s.d.Blobs.Get(ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.d.Blobs.Put(t.Context(), text); err != nil { // as another run does, whose event comes later
		t.Fatal(err)
	}
	if _, err := s.erase(first.ID, first.Facts.Handle); err != nil {
		t.Fatal(err)
	}
	if !s.d.Blobs.Has(ref) {
		t.Error("a text was removed that is about to be named")
	}
}

// everyone who asks is a person at a terminal.
type everyone struct{ removal.People }

func (everyone) Prove(auth.Request) (person.Proof, string, error) {
	return person.Proof{Assurance: events.AssuredTTY}, "person:1@h/pts/1", nil
}

func TestARemovalThatWasCutShortIsFinishedByTheNextDaemon(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cut  func(*site, *removal.Config)
		left func(texts int) int
	}{
		"before it began": {
			func(_ *site, c *removal.Config) { c.Work = &stuck{Work: c.Work, atTrees: true} },
			func(texts int) int { return texts },
		},
		"half way": {
			func(_ *site, c *removal.Config) {
				work := &stuck{Work: c.Work}
				c.Work = work
				c.Lasting = func(ctx context.Context) (context.Context, func()) {
					work.Context = ctx
					return work, func() {}
				}
			},
			func(texts int) int { return texts - 1 },
		},
		"before it was said": {
			func(s *site, c *removal.Config) { c.Hosts = s.hostLog(mute{s.d.Log, false}) },
			func(int) int { return 0 },
		},
		"after it was said": {
			func(s *site, c *removal.Config) { c.Hosts = s.hostLog(mute{s.d.Log, true}) },
			func(int) int { return 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, first, second := twoRuns(t)
			others := s.named(second.ID)
			own := func() (n int) {
				for ref := range s.named(first.ID) {
					if !others[ref] {
						n++
					}
				}
				return n
			}
			texts := own()
			cfg := s.d.removalConfig()
			cfg.People = everyone{cfg.People}
			tc.cut(s, &cfg)
			sweeper := removal.New(cfg)
			_, err := sweeper.Erase(t.Context(), s.seated(), wire.EraseRequest{RunRef: wire.RunRef{Run: first.ID}, Typed: first.Facts.Handle})
			refusedAs(t, "a removal that is cut short", err, wire.Failed, "not all could be removed")
			if left := own(); texts < 2 || left != tc.left(texts) {
				t.Errorf("%d of %d texts are there", left, texts)
			}
			if g := sweeper.Gone(first); g == nil || !g.Erased || g.By != "person:1@h/pts/1" {
				t.Errorf("said meanwhile: %+v", g)
			}
			s.close()
			s.open()
			s.finished()
			if left := own(); left > 0 {
				t.Errorf("%d texts are still there", left)
			}
			if len(s.outputs(first.ID)) > 0 || len(s.refs(first)) > 0 || s.hasTree(first, first.Facts.Tree) {
				t.Error("outputs or trees are still there")
			}
			if facts := s.facts(); len(facts) != 1 || facts[0] != (events.RunErased{Run: first.ID, Texts: texts, Assurance: events.AssuredTTY}) {
				t.Errorf("facts %+v", facts)
			}
			if r, err := removal.Read(s.cfg.Places.State); r != nil || err != nil {
				t.Errorf("it is still written down: %+v, %v", r, err)
			}
		})
	}
}

// stuck stops a removal before anything is removed, or, as the context that it is
// done in, with its first text.
type stuck struct {
	removal.Work
	atTrees bool

	context.Context
	texts  bool // are next
	looked int
}

var errStuck = errors.New("stuck")

func (w *stuck) DropTrees(ctx context.Context, d tree.Dropping) (int, error) {
	if w.atTrees && !d.DryRun {
		return 0, errStuck
	}
	return w.Work.DropTrees(ctx, d)
}

func (w *stuck) DropSecret(id string) error {
	w.texts = true
	return w.Work.DropSecret(id)
}

func (w *stuck) Err() error {
	if w.texts {
		w.looked++
	}
	if w.looked > 1 {
		return errStuck
	}
	return w.Context.Err()
}

// mute is a log that takes nothing, or says so of what it took.
type mute struct {
	log.Log
	takes bool
}

func (m mute) Append(ctx context.Context, e events.Event, c log.Class) (log.Stored, error) {
	if m.takes {
		if _, err := m.Log.Append(ctx, e, c); err != nil {
			return log.Stored{}, err
		}
	}
	return log.Stored{}, errStuck
}

// hostLog is one more writer of the host's events.
func (s *site) hostLog(l log.Log) *hostLog {
	s.t.Helper()
	h, err := openHostLog(s.t.Context(), journal.New(l, s.d.HostID, time.Now), s.d.HostID, s.d.cfg.Log)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// finished waits until nothing is being removed.
func (s *site) finished() {
	s.t.Helper()
	s.d.Removal.Finish(s.t.Context())
	if s.d.Removal.Pending() != nil {
		s.t.Fatal("it cannot be finished")
	}
}
