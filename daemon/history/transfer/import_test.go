package transfer_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/store/archive"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

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

func openBundle(t *testing.T, path string) *archive.Bundle {
	t.Helper()
	b, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func codeOf(err error) wire.Code {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Code
	}
	return ""
}

func TestWhatIsNoBundleOfRunsThatAreOverIsNotTakenIn(t *testing.T) {
	t.Parallel()
	a, b := newStation(t), newStation(t)
	st := a.play()
	good := a.exported()
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
		"a directory":                 {dir, wire.Usage, "not a regular file"},
		"a link":                      {link, wire.Usage, "not a regular file"},
		"a pipe":                      {fifo, wire.Usage, "not a regular file"},
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
		"a workspace that is a path":  {forgedBundle(t, of("done"), events.RunStarted{Handle: "zzzz", Project: "../.."}, events.RunEnded{State: events.EndDone}), wire.Failed, "not a workspace"},
		"a name that is a command":    {forgedBundle(t, of("refused"), started, events.RunEnded{State: events.EndRefused, Gate: "x; rm -rf ~"}), wire.Failed, "not a valid name"},
		"a text that is a path":       {forgedBundle(t, of("failed"), started, events.RunEnded{State: events.EndFailed, Error: "../../x"}), wire.Failed, "not a hash"},
	} {
		for _, dry := range []bool{true, false} {
			_, err := b.imports(c.path, dry)
			if codeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, dry %v: %v, want %s and %q", name, dry, err, c.code, c.says)
			}
			if err != nil && strings.Count(err.Error(), c.path) > 1 {
				t.Errorf("%s: it names the file twice: %v", name, err)
			}
		}
	}
	if len(b.archive.Bundles()) != 0 || len(b.host.State().Imported) != 0 || len(b.archive.Heads()) != 0 {
		t.Error("something was taken in")
	}
	if files, err := os.ReadDir(b.dir); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestAnotherHistoryOfARunThatIsHereIsAConflict(t *testing.T) {
	t.Parallel()
	a := newStation(t)
	st := a.play()
	path := a.exported()
	if v, err := a.imports(path, false); err != nil || v.Known != 1 || len(a.archive.Bundles()) != 0 {
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
	b := newStation(t)
	if _, err := b.imports(other, false); err != nil {
		t.Fatal(err)
	}
	if _, err := b.imports(path, false); codeOf(err) != wire.Conflict {
		t.Errorf("another history than was imported: %v", err)
	}
	if s, ok := b.State(st.ID); !ok || s.Log.Seq != 2 || s.Status != run.Over {
		t.Errorf("what is there: %+v", s)
	}
}
