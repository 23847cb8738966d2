package daemon

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/archive"
	"autopilot/daemon/disk"
	"autopilot/daemon/engine"
	"autopilot/daemon/transfer"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func (s *site) imports(path string, dry bool) (wire.ImportView, error) {
	s.t.Helper()
	return s.d.imports.Take(s.t.Context(), s.request(), wire.ImportRequest{Path: path, DryRun: dry})
}

func (s *site) imported() []events.Digest {
	s.t.Helper()
	var out []events.Digest
	for _, i := range s.d.hosts.State().Imported {
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
	if _, ok := b.d.fleet.State(st.ID); err != nil || ok || !dry.DryRun {
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
		there, ok := b.d.fleet.State(st.ID)
		if d := cmp.Diff(st, there); !ok || d != "" {
			t.Fatalf("the state there: %v %s", ok, d)
		}
		why := b.why(st.Facts.Handle)
		if why.Run.State != "done" || b.d.text(there.Facts.Task) != "make it so" {
			t.Errorf("why: %+v", why)
		}
		if spec, err := b.d.worker.Spec(there); err != nil || strings.Contains(spec.Gates[0].Command, planted) || !strings.HasPrefix(spec.Gates[0].Command, "test -f ok # [redacted") {
			t.Errorf("the gate there: %+v, %v", spec.Gates, err)
		}
		if _, err := b.d.fleet.Do(t.Context(), st.ID, engine.Stop{Mode: events.StopCancel}, "local:0@test/1", "x"); codeOf(err) != wire.Conflict {
			t.Errorf("a command: %v", err)
		}
		if v, err := b.imports(path, false); err != nil || v.Known != 1 || !v.Runs[0].Known {
			t.Errorf("once more: %+v, %v", v, err)
		}
		if got := b.imported(); len(got) != 1 || len(b.d.archive.Bundles()) != 1 || got[0] != b.d.archive.Bundles()[0].SHA256 {
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
	if !errors.Is(err, errForgotten) || len(b.d.archive.Bundles()) != 1 || len(b.imported()) != 0 {
		t.Fatalf("taken in: %v, recorded %v", err, b.imported())
	}
	for range 2 {
		b.close()
		b.open()
		b.d.imports.Finish(t.Context()) // waits for the one that the daemon does
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
		if _, err := b.d.removal.Prune(t.Context(), b.request(), wire.PruneRequest{Before: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	b.play(b.spec("test -f ok", "touch ok"))
	prune()
	if _, err := b.imports(path, false); err != nil {
		t.Fatal(err)
	}
	if got := b.d.text(st.Facts.Task); b.d.removal.Gone(st) != nil || got != "make it so" {
		t.Errorf("after the import: gone %+v, %q", b.d.removal.Gone(st), got)
	}
	prune()
	if got := b.d.text(st.Facts.Task); b.d.removal.Gone(st) == nil || got != "" {
		t.Errorf("after the next prune: gone %+v, %q", b.d.removal.Gone(st), got)
	}
}

// forgedBundle writes a bundle of runs, given as their events.
func forgedBundle(t *testing.T, r archive.Run, list ...events.Data) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forged.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := archive.NewWriter(f, archive.Maker{Made: time.Unix(1, 0), Version: "9", Host: "h"})
	tail := ""
	err = w.Run(r, func(yield func(log.Stored, error) bool) {
		for i, d := range list {
			e := events.Event{
				ID: "i", Source: "autopilot/h", Aggregate: events.Run(r.ID), Seq: uint64(i + 1), PrevHash: tail,
				Time: time.Unix(int64(i), 0), Actor: "daemon:h", Data: d,
			}
			b, err := events.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			tail = events.Hash(b)
			if !yield(log.Stored{Subject: e.Aggregate.Subject(), Event: e, Bytes: b, Hash: tail}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// repacked is a bundle with other content of one entry.
func repacked(t *testing.T, path, entry string, change func([]byte) []byte) string {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range r.File {
		in, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(e.Name, entry) {
			b = change(b)
		}
		f, err := w.Create(e.Name)
		if err == nil {
			_, err = f.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "changed.zip")
	if err := os.WriteFile(to, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestWhatIsNoBundleOfRunsThatAreOverIsNotTakenIn(t *testing.T) {
	t.Parallel()
	a, b := newSite(t, nil), newSite(t, nil)
	st := a.play(a.spec("test -f ok", "touch ok"))
	good, _ := a.exported(wire.ExportRequest{})
	dir := t.TempDir()
	file := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	flip := func(b []byte) []byte { return append(b[:len(b)/2], append([]byte{'?'}, b[len(b)/2:]...)...) }
	started := events.RunStarted{Handle: "zzzz", Workflow: "converge"}
	of := func(state string) archive.Run {
		return archive.Run{ID: "01M8GM461FQ4BDVYPM4HRWZZZZ", Handle: "zzzz", State: state}
	}
	for name, c := range map[string]struct {
		path string
		code wire.Code
		says string
	}{
		"a path that is not absolute": {"bundle.zip", wire.Usage, "absolute"},
		"nothing":                     {filepath.Join(dir, "nothing"), wire.NotFound, "is not there"},
		"a directory":                 {dir, wire.Usage, "no regular file"},
		"a link":                      {link, wire.Usage, "no regular file"},
		"a pipe":                      {fifo, wire.Usage, "no regular file"},
		"an empty file":               {file("empty", nil), wire.Failed, "damaged"},
		"no zip":                      {file("text", []byte("hello")), wire.Failed, "damaged"},
		"a newer format":              {repacked(t, good, "manifest", func(b []byte) []byte { return bytes.Replace(b, []byte(`"format": 1`), []byte(`"format": 2`), 1) }), wire.Newer, "newer"},
		"a changed event":             {repacked(t, good, "runs/", flip), wire.Failed, st.ID},
		"a changed text":              {repacked(t, good, "texts/", flip), wire.Failed, "texts/"},
		"a run that is live":          {forgedBundle(t, of("live"), started), wire.Conflict, "is live, not over"},
		"one that claims to be over":  {forgedBundle(t, of("done"), started), wire.Conflict, "is live, not over"},
		"one that is halted":          {forgedBundle(t, of("halted"), started, events.RunHalted{}), wire.Conflict, "is halted, not over"},
		"another handle":              {forgedBundle(t, archive.Run{ID: of("").ID, Handle: "good", State: "done"}, started, events.RunEnded{State: events.EndDone}), wire.Failed, "its handle"},
		"no first event":              {forgedBundle(t, of("done"), events.RunEnded{State: events.EndDone}), wire.Failed, "first event"},
		"a workspace that is a path":  {forgedBundle(t, of("done"), events.RunStarted{Handle: "zzzz", Project: "../.."}, events.RunEnded{State: events.EndDone}), wire.Failed, "no workspace"},
		"a name that is a command":    {forgedBundle(t, of("refused"), started, events.RunEnded{State: events.EndRefused, Gate: "x; rm -rf ~"}), wire.Failed, "no name"},
		"a text that is a path":       {forgedBundle(t, of("failed"), started, events.RunEnded{State: events.EndFailed, Error: "../../x"}), wire.Failed, "no hash"},
	} {
		for _, dry := range []bool{true, false} {
			_, err := b.imports(c.path, dry)
			if codeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, dry %v: %v, want %s and %q", name, dry, err, c.code, c.says)
			}
		}
	}
	if len(b.d.archive.Bundles()) != 0 || len(b.imported()) != 0 || len(b.d.fleet.AllHeads()) != 0 {
		t.Error("something was taken in")
	}
	if files, err := os.ReadDir(filepath.Join(b.cfg.Places.State, "archive")); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestAnotherHistoryOfARunThatIsHereIsAConflict(t *testing.T) {
	t.Parallel()
	a := newSite(t, nil)
	st := a.play(a.spec("test -f ok", "touch ok"))
	path, _ := a.exported(wire.ExportRequest{})
	if v, err := a.imports(path, false); err != nil || v.Known != 1 || len(a.d.archive.Bundles()) != 0 {
		t.Errorf("its own history: %+v, %v", v, err)
	}
	other := forgedBundle(t, archive.Run{ID: st.ID, Handle: st.Facts.Handle, State: "done"},
		events.RunStarted{Handle: st.Facts.Handle, Workflow: "converge"}, events.RunEnded{State: events.EndDone})
	_, err := a.imports(other, false)
	mine := openBundle(t, path).Manifest().Runs[0].Head[:16]
	theirs := openBundle(t, other).Manifest().Runs[0].Head[:16]
	if codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), mine) || !strings.Contains(err.Error(), theirs) {
		t.Errorf("another history: %v, want %s and %s", err, mine, theirs)
	}
	b := newSite(t, nil)
	if _, err := b.imports(other, false); err != nil {
		t.Fatal(err)
	}
	if _, err := b.imports(path, false); codeOf(err) != wire.Conflict {
		t.Errorf("another history than was imported: %v", err)
	}
	if s, ok := b.d.fleet.State(st.ID); !ok || s.Log.Seq != 2 || s.Status != run.Over {
		t.Errorf("what is there: %+v", s)
	}
}
