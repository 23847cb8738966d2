package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func (s *site) prune(before time.Time, dry bool) wire.PruneView {
	s.t.Helper()
	v, err := s.d.Removal.Prune(s.t.Context(), s.request(), wire.PruneRequest{Before: before, DryRun: dry})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// aged makes a path look as if it had been written long ago.
func (s *site) aged(path string) {
	s.t.Helper()
	long := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		s.t.Fatal(err)
	}
}

func TestPruningTakesWhatRunsWroteThatWereOverBefore(t *testing.T) {
	t.Parallel()
	s, first, second := twoRuns(t)
	before, others := s.named(first.ID), s.named(second.ID)
	cut := first.Clock.Latest.Add(time.Millisecond)
	if !second.Clock.Latest.After(cut) {
		t.Fatal("both runs ended at once")
	}
	dry := s.prune(cut, true)
	if dry.Runs != 1 || dry.Texts.Files == 0 || dry.Outputs.Files < 3 || dry.Trees < 2 || dry.Unnamed.Files != 0 || !dry.DryRun || len(s.named(first.ID)) != len(before) {
		t.Fatalf("what would go: %+v", dry)
	}
	v := s.prune(cut, false)
	if v.DryRun = true; v != dry {
		t.Errorf("pruned %+v, and said before %+v", v, dry)
	}
	for ref := range before {
		if s.d.Blobs.Has(ref) != others[ref] {
			t.Errorf("text %s is there: %v, named by the other: %v", ref, s.d.Blobs.Has(ref), others[ref])
		}
	}
	if len(s.named(second.ID)) != len(others) || len(s.outputs(second.ID)) != 3 || len(s.refs(second)) < 2 || !s.hasTree(second, second.Last.Tree) {
		t.Error("the other run has lost something")
	}
	if len(s.outputs(first.ID)) > 0 || len(s.refs(first)) > 0 || s.hasTree(first, first.Facts.Tree) {
		t.Error("outputs or trees are still there")
	}
	want := events.TextsPruned{BeforeMS: cut.UnixMilli(), Runs: 1, Texts: dry.Texts.Files}
	if facts := s.facts(); len(facts) != 1 || facts[0] != want {
		t.Errorf("facts %+v, want %+v", facts, want)
	}
	if again := s.prune(cut, false); !again.Nothing() || len(s.facts()) != 1 {
		t.Errorf("pruned again: %+v", again)
	}
	if g := s.d.api.View(first).Gone; g == nil || g.Erased || g.At.Before(cut) {
		t.Errorf("said: %+v", g)
	}
	if s.d.api.View(second).Gone != nil {
		t.Error("said of the other")
	}
}

func TestPruningTakesWhatNothingNamesAndIsOld(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	halted := s.play(s.spec("test -f never", "date +%N > n", func(r *wire.RunSpec) { r.MaxIterations = 1 }))
	s.wants(halted, "halted")
	s.settle()
	texts := len(s.named(halted.ID))
	old, young := s.loose("old"), s.loose("young")
	state := s.cfg.Places.State
	s.aged(filepath.Join(state, "blobs", string(old[:2]), string(old)))
	for _, ref := range []events.Ref{halted.Facts.Task, halted.Facts.Spec} {
		s.aged(filepath.Join(state, "blobs", string(ref[:2]), string(ref)))
	}
	for _, id := range []string{"try-01JZ0000000000000000000000-0", "notify-abc", "01JZ0000000000000000000000-again", "try-young"} {
		if err := os.MkdirAll(filepath.Join(state, "effects", id, "ctl"), 0o700); err != nil {
			t.Fatal(err)
		}
		if id != "try-young" {
			s.aged(filepath.Join(state, "effects", id))
		}
	}
	for _, id := range s.outputs(halted.ID) {
		s.aged(filepath.Join(state, "effects", id))
	}
	v := s.prune(time.Now(), false)
	if v.Unnamed.Files != 1 || v.Outputs.Files != 3 || v.Texts.Files != 0 || v.Runs != 0 || s.d.Blobs.Has(old) || !s.d.Blobs.Has(young) {
		t.Errorf("%+v, old %v, young %v", v, s.d.Blobs.Has(old), s.d.Blobs.Has(young))
	}
	if len(s.named(halted.ID)) != texts || len(s.outputs(halted.ID)) < 2 || len(s.facts()) != 0 {
		t.Error("a run that may be resumed has lost something")
	}
	if _, err := os.Stat(filepath.Join(state, "effects", "try-young")); err != nil {
		t.Error(err)
	}
}

// loose stores a text that nothing names and nobody waits for any more.
func (s *site) loose(text string) events.Ref {
	s.t.Helper()
	ref, err := s.d.Blobs.Put(s.t.Context(), []byte(text))
	if err != nil {
		s.t.Fatal(err)
	}
	s.d.Blobs.Settle(ref)
	return ref
}

func TestWhatALiveRunHasIsNotPruned(t *testing.T) {
	t.Parallel()
	s, first, _ := twoRuns(t)
	live := s.start(s.spec("test -f never", "echo at work; sleep 600"))
	st := s.until(live.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.printed(st.Last.Start.Effect, "at work")
	named := len(s.named(live.ID))
	if v := s.prune(time.Now(), false); v.Runs != 2 {
		t.Errorf("%+v", v)
	}
	if len(s.named(live.ID)) != named || len(s.refs(st)) == 0 || !s.hasTree(st, st.Facts.Tree) || s.d.Blobs.Has(first.Facts.Spec) {
		t.Error("the live run has lost something, or the others have kept it")
	}
	st = s.stop(live.ID, events.StopNow)
	s.wants(st, "halted:stopped")
}

func TestAMomentToComeIsNotPruned(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, before := range []time.Time{{}, time.Now().Add(time.Hour)} {
		if _, err := s.d.Removal.Prune(t.Context(), auth.Request{}, wire.PruneRequest{Before: before}); codeOf(err) != wire.Usage {
			t.Errorf("%v: %v", before, err)
		}
	}
}

func TestImportedRunsAreErasedAndPrunedToo(t *testing.T) {
	t.Parallel()
	from, first, second := twoRuns(t)
	path, _ := from.exported(wire.ExportRequest{})
	s := newSite(t, nil)
	s.d.Consent.People = proctest.Seat{}
	if _, err := s.imports(path, false); err != nil {
		t.Fatal(err)
	}
	texts := len(s.named(second.ID))
	if len(s.named(first.ID)) == 0 || texts == 0 {
		t.Fatal("the texts did not come")
	}
	if v, err := s.erase(first.ID, first.Facts.Handle); err != nil || v.Texts.Files == 0 || v.Shared == 0 || len(s.named(second.ID)) != texts {
		t.Errorf("erased: %+v %v", v, err)
	}
	if v := s.prune(second.Clock.Latest.Add(-time.Hour), false); !v.Nothing() {
		t.Errorf("what is younger: %+v", v)
	}
	if v := s.prune(time.Now(), false); v.Runs == 0 || v.Texts.Files != texts || len(s.named(second.ID))+len(s.named(first.ID)) != 0 {
		t.Errorf("pruned: %+v", v)
	}
	r, err := s.d.api.Verify(t.Context(), s.request(), wire.VerifyRequest{Every: true})
	if err != nil || len(r.Problems) > 0 {
		t.Errorf("proof: %+v %v", r.Problems, err)
	}
	for _, st := range []run.State{first, second} {
		if w := s.why(st.ID); w.Run.State != "done" || w.Run.Gone == nil {
			t.Errorf("why: %+v", w.Run)
		}
	}
}
