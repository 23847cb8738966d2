package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/history/transfer"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/disk"
	"autopilot/events"
	"autopilot/events/wire"
)

func (s *site) imports(path string, dry bool) (wire.ImportView, error) {
	s.t.Helper()
	return s.d.Imports.Take(s.t.Context(), s.request(), wire.ImportRequest{Path: path, DryRun: dry})
}

func (s *site) imported() []events.Digest {
	s.t.Helper()
	var out []events.Digest
	for _, i := range s.d.HostLog.State().Imported {
		out = append(out, i.Bundle)
	}
	return out
}

func TestImportedHistoryIsThereToBeReadAndForNothingElse(t *testing.T) {
	t.Parallel()
	a, b := newSite(t, nil), newSite(t, nil)
	st := a.play(a.spec("test -f ok # "+planted, "date +%N > n; test -f n2 && touch ok; touch n2"))
	a.wants(st, "done")
	path, sum := a.exported(wire.ExportRequest{})
	dry, err := b.imports(path, true)
	if _, ok := b.d.Fleet.State(st.ID); err != nil || ok || !dry.DryRun {
		t.Fatalf("a dry import: %+v, %v", dry, err)
	}
	v, err := b.imports(path, false)
	if err != nil {
		t.Fatal(err)
	}
	sum.Found = nil
	want := wire.ImportView{Bundle: sum, Version: "test", Runs: []wire.BundleRun{
		{ID: st.ID, Handle: st.Facts.Handle, State: "done", Events: int(st.Log.Seq)},
	}}
	if d := cmp.Diff(want, v); d != "" {
		t.Error(d)
	}
	for _, again := range []func(){func() {}, func() { b.close(); b.open() }} {
		again()
		there, ok := b.d.Fleet.State(st.ID)
		if d := cmp.Diff(st, there); !ok || d != "" {
			t.Fatalf("the state there: %v %s", ok, d)
		}
		why := b.why(st.Facts.Handle)
		b.wantsBare(there)
		if why.Run.State != "done" || b.d.api.Text(there.Facts.Task) != "make it so" {
			t.Errorf("why: %+v", why)
		}
		if spec, err := b.d.Worker.Spec(there); err != nil || strings.Contains(spec.Gates[0].Command, planted) || !strings.HasPrefix(spec.Gates[0].Command, "test -f ok # [redacted") {
			t.Errorf("the gate there: %+v, %v", spec.Gates, err)
		}
		if _, err := b.d.Fleet.Do(t.Context(), st.ID, engine.Stop{Mode: events.StopCancel}, "local:0@test/1", "x"); codeOf(err) != wire.Conflict {
			t.Errorf("a command: %v", err)
		}
		if v, err := b.imports(path, false); err != nil || v.Known != 1 || !v.Runs[0].Known {
			t.Errorf("once more: %+v, %v", v, err)
		}
		if got := b.imported(); len(got) != 1 || len(b.d.Archive.Bundles()) != 1 || got[0] != b.d.Archive.Bundles()[0].SHA256 {
			t.Errorf("recorded: %v", got)
		}
	}
}

// forgetful is the log of a host whose daemon ends before it records anything.
type forgetful struct{ transfer.Host }

var errForgotten = errors.New("the daemon has ended")

func (forgetful) Append(context.Context, events.Data, string, string) (events.Event, error) {
	return events.Event{}, errForgotten
}

func TestAnImportThatWasCutOffIsRecordedByTheNextDaemon(t *testing.T) {
	t.Parallel()
	a, b := newSite(t, nil), newSite(t, nil)
	a.play(a.spec("test -f ok", "touch ok"))
	path, _ := a.exported(wire.ExportRequest{})
	cfg := b.d.importing(disk.Ballast{})
	cfg.Facts = forgetful{cfg.Facts}
	_, err := transfer.NewImporter(cfg).Take(t.Context(), b.request(), wire.ImportRequest{Path: path})
	if !errors.Is(err, errForgotten) || len(b.d.Archive.Bundles()) != 1 || len(b.imported()) != 0 {
		t.Fatalf("taken in: %v, recorded %v", err, b.imported())
	}
	for range 2 {
		b.close()
		b.open()
		b.d.Imports.Finish(t.Context()) // waits for the one that the daemon does
		if got := b.imported(); len(got) != 1 {
			t.Errorf("recorded: %v", got)
		}
	}
}

func TestWhatWasImportedAfterAPruneIsThereUntilTheNext(t *testing.T) {
	t.Parallel()
	a, b := newSite(t, nil), newSite(t, nil)
	st := a.play(a.spec("test -f ok", "touch ok"))
	path, _ := a.exported(wire.ExportRequest{})
	prune := func() {
		t.Helper()
		if _, err := b.d.Removal.Prune(t.Context(), b.request(), wire.PruneRequest{Before: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	b.play(b.spec("test -f ok", "touch ok"))
	prune()
	if _, err := b.imports(path, false); err != nil {
		t.Fatal(err)
	}
	if got := b.d.api.Text(st.Facts.Task); b.d.Removal.Gone(st) != nil || got != "make it so" {
		t.Errorf("after the import: gone %+v, %q", b.d.Removal.Gone(st), got)
	}
	prune()
	if got := b.d.api.Text(st.Facts.Task); b.d.Removal.Gone(st) == nil || got != "" {
		t.Errorf("after the next prune: gone %+v, %q", b.d.Removal.Gone(st), got)
	}
}
