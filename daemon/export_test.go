package daemon

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"autopilot/daemon/auth"
	"autopilot/daemon/history/offline"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/wire"
)

// planted looks like a secret, and stands where texts stay as they are.
const planted = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// exported writes a bundle and proves it.
func (s *site) exported(body wire.ExportRequest) (string, wire.BundleSum) {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "bundle.zip")
	f, err := os.Create(path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	sum, err := s.d.Exports.Write(s.t.Context(), body, f)
	if err != nil {
		s.t.Fatal(err)
	}
	return path, sum
}

func openBundle(t testing.TB, path string) *archive.Bundle {
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

func TestASecretInATextIsFoundAndTakenOutOfABundleOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok # "+planted, "touch ok"))
	s.wants(st, "done")
	path, sum := s.exported(wire.ExportRequest{Runs: []string{st.ID}})
	b := openBundle(t, path)
	redacted := 0
	for _, text := range b.Manifest().Texts {
		got, err := b.Text(text.Ref)
		own, oerr := s.d.Blobs.Get(text.Ref)
		if err != nil || oerr != nil || bytes.Contains(got, []byte(planted)) {
			t.Fatalf("text %s: %v, %v: %q", text.Ref, err, oerr, got)
		}
		if has := bytes.Contains(own, []byte(planted)); has != (text.SHA256 != "") || has == bytes.Equal(own, got) {
			t.Errorf("text %s: secret here %v, in the bundle as %q", text.Ref, has, text.SHA256)
		}
		if text.SHA256 != "" {
			redacted++
		}
	}
	if redacted == 0 || sum.Redacted != redacted || len(sum.Found) != redacted || !slices.Contains(sum.Found[0].Kinds, "github token") ||
		sum.Found[0].Run != st.Facts.Handle || sum.Found[0].Seq != 1 {
		t.Errorf("redacted %d, said %+v", redacted, sum)
	}
	if sum.Events != int(st.Log.Seq) || sum.Runs != 1 || sum.Missing != 0 || sum.Texts != len(b.Manifest().Texts) {
		t.Errorf("sum %+v", sum)
	}
}

func TestWithoutTextsABundleHasTheEventsOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	path, sum := s.exported(wire.ExportRequest{Runs: []string{st.Facts.Handle}, NoTexts: true})
	if b := openBundle(t, path); len(b.Manifest().Texts) != 0 || sum.Texts != 0 || sum.Missing != 0 || sum.Events != int(st.Log.Seq) {
		t.Errorf("sum %+v", sum)
	}
}

func TestWhatIsNotOverIsNotExported(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	code := func(want wire.Code, body wire.ExportRequest) {
		t.Helper()
		_, err := s.d.Exports.Write(t.Context(), body, &bytes.Buffer{})
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Code != want {
			t.Errorf("%+v: %v, want %s", body, err, want)
		}
	}
	code(wire.NotFound, wire.ExportRequest{})
	halted := s.play(s.spec("test -f ok", "date +%N >> work", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(halted, "halted:iterations")
	code(wire.Conflict, wire.ExportRequest{Runs: []string{halted.ID}})
	code(wire.NotFound, wire.ExportRequest{})
	code(wire.NotFound, wire.ExportRequest{Runs: []string{"zzzz"}})
	done := s.play(s.spec("test -f ok", "touch ok"))
	_, sum := s.exported(wire.ExportRequest{})
	if sum.Runs != 1 || sum.Live != 1 {
		t.Errorf("all: %+v", sum)
	}
	code(wire.NotFound, wire.ExportRequest{Since: time.Now().Add(time.Hour)})
	if _, sum := s.exported(wire.ExportRequest{Since: time.Now().Add(-time.Hour)}); sum.Runs != 1 {
		t.Errorf("since: %+v", sum)
	}
	if _, sum := s.exported(wire.ExportRequest{Runs: []string{done.ID, done.Facts.Handle}}); sum.Runs != 1 || sum.Live != 0 {
		t.Errorf("named twice: %+v", sum)
	}
}

// offline runs autopilotd export.
func (s *site) offline(args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	var out, err bytes.Buffer
	code = offline.ExportMain(context.Background(), "test", append([]string{"--offline", "--state", s.cfg.Places.State}, args...), &out, &err)
	return code, out.String(), err.String()
}

func TestAStoreWithoutADaemonIsExportedAsByOne(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one := s.play(s.spec("test -f ok # "+planted, "touch ok"))
	s.play(s.spec("test -f ok2", "date +%N >> work", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	path, sum := s.exported(wire.ExportRequest{})
	file := filepath.Join(t.TempDir(), "off.zip")
	if code, _, stderr := s.offline("-o", file); code != wire.ExitConflict || !strings.Contains(stderr, "apctl archive export") {
		t.Errorf("with a daemon: exit %d: %s", code, stderr)
	}
	s.close()
	code, stdout, stderr := s.offline("-o", file)
	if code != 0 || !strings.Contains(stdout, "runs 1, ") || !strings.Contains(stderr, "github token") || !strings.Contains(stderr, "is not over") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	want, got := openBundle(t, path).Manifest(), openBundle(t, file).Manifest()
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(archive.Manifest{}, "Made")); d != "" || len(got.Texts) != sum.Texts {
		t.Errorf("online and offline: %s", d)
	}
	for _, c := range []struct {
		want int
		args []string
	}{
		{wire.ExitConflict, []string{"-o", file}},
		{wire.ExitDone, []string{"-o", file, "-y", one.Facts.Handle, strings.ToLower(one.ID)}},
		{wire.ExitDone, []string{"-o", "-", "--no-texts"}},
		{wire.ExitNotFound, []string{"-o", file, "-y", "zzzz"}},
		{wire.ExitFailed, []string{"-o", filepath.Join(file, "x")}},
		{wire.ExitUsage, nil},
		{wire.ExitUsage, []string{"--nonsense"}},
	} {
		if code, _, stderr := s.offline(c.args...); code != c.want {
			t.Errorf("%v: exit %d, want %d: %s", c.args, code, c.want, stderr)
		}
	}
}

func TestWhatIsLeftOfADamagedStoreIsExportedAndWhatIsMissingSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	first := s.play(s.spec("test -f ok", "touch ok"))
	if err := os.Remove(filepath.Join(s.work, "ok")); err != nil {
		t.Fatal(err)
	}
	second := s.play(s.spec("test -f ok", "touch ok"))
	s.close()
	block := filepath.Join(filestore.StreamsIn(s.cfg.Places.State), "AP_EVENTS_1", "msgs", "1.blk")
	b, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	// The third event of the first run.
	at := 0
	for range 3 {
		at += 1 + bytes.Index(b[at+1:], []byte(events.Run(first.ID).Subject()))
	}
	b[at+60] ^= 1
	if err := os.WriteFile(block, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.cfg.Places.State, "blobs", string(second.Facts.Task[:2]), string(second.Facts.Task))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "left.zip")
	code, stdout, stderr := s.offline("-o", file)
	for _, want := range []string{"the event store is damaged", "run " + first.Facts.Handle + " is not whole from event 4 on", "texts that events name and that are gone: 1"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not said: %s", want, stderr)
		}
	}
	m := openBundle(t, file).Manifest()
	if code != wire.ExitFailed || len(m.Runs) != 2 || m.Runs[0].Broken == 0 || m.Runs[1].Broken != 0 || m.Runs[1].Events != second.Log.Seq {
		t.Errorf("exit %d, %s: %+v", code, stdout, m.Runs)
	}
}

// A key reads all that runs have recorded, and so in a bundle; an effect does not.
func TestWhoMayExportTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	ask := wire.ExportRequest{Runs: []string{st.ID}}
	for kind, may := range map[auth.Kind]bool{auth.KindLocal: true, auth.KindKey: true, auth.KindEffect: false} {
		q := auth.Request{Identity: auth.Identity{Kind: kind, Key: "x", Effect: "x"}}
		if err := s.d.api.ArchiveExport(t.Context(), q, ask, func(wire.Raw) error { return nil }); (err == nil) != may {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
