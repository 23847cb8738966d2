package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"autopilot/daemon/store/blob"
	"autopilot/events"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, d blob.Durability) (*blob.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	s, err := blob.Open(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func put(t testing.TB, s *blob.Store, text string) events.Ref {
	t.Helper()
	ref, err := s.Put(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func file(dir string, ref events.Ref) string {
	return filepath.Join(dir, string(ref[:2]), string(ref))
}

// files lists what is in the store's folders, temporary files included.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPutThenGetGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, d := range []blob.Durability{blob.Power, blob.Process} {
		s, _ := open(t, d)
		rapid.Check(t, func(rt *rapid.T) {
			text := rapid.SliceOfN(rapid.Byte(), 0, 4096).Draw(rt, "text")
			ref, err := s.Put(context.Background(), text)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := s.Get(ref)
			if err != nil {
				rt.Fatal(err)
			}
			if string(got) != string(text) || ref != blob.Name(text) || !s.Has(ref) {
				rt.Fatalf("%s: got %q, want %q", ref, got, text)
			}
		})
	}
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	ref := put(t, s, "secret")
	for path, want := range map[string]fs.FileMode{
		dir: 0o700, filepath.Dir(file(dir, ref)): 0o700, filepath.Join(dir, "tmp"): 0o700, file(dir, ref): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestATextThatIsThereIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	ref := put(t, s, "once")
	before, err := os.Stat(file(dir, ref))
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "once")
	after, err := os.Stat(file(dir, ref))
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the file was replaced")
	}
	if diff := cmp.Diff([]string{filepath.Join(string(ref[:2]), string(ref))}, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestAFolderThatIsGoneIsMadeAgain(t *testing.T) {
	t.Parallel()
	for _, d := range []blob.Durability{blob.Power, blob.Process} {
		s, dir := open(t, d)
		ref := put(t, s, "a text")
		if err := os.RemoveAll(filepath.Dir(file(dir, ref))); err != nil {
			t.Fatal(err)
		}
		put(t, s, "a text")
		if got, err := s.Get(ref); err != nil || string(got) != "a text" {
			t.Errorf("%d: %q, %v", d, got, err)
		}
	}
}

func TestAPutWhoseRequestHasEndedKeepsNothing(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Process)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ended, []byte("1")); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want canceled", err)
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestMissingAndDamagedAreTold(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	ref := put(t, s, "a text")
	for name, bytes := range map[string]string{"other": "a lie!", "short": "a", "empty": "", "long": "a text and more"} {
		if err := os.WriteFile(file(dir, ref), []byte(bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(ref); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("%s: err = %v, want ErrDamaged", name, err)
		}
	}
	put(t, s, "a text")
	if got, err := s.Get(ref); err != nil || string(got) != "a text" {
		t.Errorf("a put did not repair the blob: %q, %v", got, err)
	}
	if err := s.Delete(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ref); !errors.Is(err, blob.ErrMissing) {
		t.Errorf("err = %v, want ErrMissing", err)
	}
	if err := s.Delete(t.Context(), ref); err != nil {
		t.Errorf("deleting twice: %v", err)
	}
}

func TestNamesAreCheckedBeforeTheyTouchAPath(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.WriteFile(outside, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	up := "../" + strings.Repeat("a", 61)
	for _, ref := range []events.Ref{"", "ab", "../outside", events.Ref(up), events.Ref(strings.Repeat("A", 64)), events.Ref(strings.Repeat("g", 64)), events.Ref(strings.Repeat("a", 65)), "\x00"} {
		if _, err := s.Get(ref); !errors.Is(err, blob.ErrBadRef) {
			t.Errorf("Get(%q): %v", ref, err)
		}
		if err := s.Delete(t.Context(), ref); !errors.Is(err, blob.ErrBadRef) {
			t.Errorf("Delete(%q): %v", ref, err)
		}
		if s.Has(ref) {
			t.Errorf("Has(%q)", ref)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestOpenSweepsWhatACrashLeft(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	ref := put(t, s, "whole")
	left := filepath.Join(dir, "tmp", "put-123")
	if err := os.WriteFile(left, []byte("ha"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Ref != ref || list[0].Bytes != 5 {
		t.Errorf("a temporary file is listed: %v, %v", list, err)
	}
	again, err := blob.Open(dir, blob.Power)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover stayed: %v", err)
	}
	if got, err := again.Get(ref); err != nil || string(got) != "whole" {
		t.Errorf("Get = %q, %v", got, err)
	}
}

func TestManyPutsOfOneTextGiveOneBlob(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if _, err := s.Put(t.Context(), []byte("shared")); err != nil {
				t.Error(err)
			}
			if _, err := s.Put(t.Context(), fmt.Appendf(nil, "own %d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := s.List(t.Context())
	if err != nil || len(list) != 17 || len(files(t, dir)) != 17 {
		t.Errorf("%d blobs, %d files, %v; want 17", len(list), len(files(t, dir)), err)
	}
	for _, e := range list {
		if _, err := s.Get(e.Ref); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkPut(b *testing.B) {
	for name, d := range map[string]blob.Durability{"power": blob.Power, "process": blob.Process} {
		b.Run(name, func(b *testing.B) {
			s, _ := open(b, d)
			for i := 0; b.Loop(); i++ {
				put(b, s, fmt.Sprint("a text of some length ", i))
			}
		})
	}
}
