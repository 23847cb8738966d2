package tree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/repo/tree"
)

// TestManyFilesAreRecordedAsOnePack: git reads what was written, and finds nothing amiss.
func TestManyFilesAreRecordedAsOnePack(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		files := map[string]string{"empty": "", "big": strings.Repeat("0123456789", 1<<20)}
		for i := range 500 {
			files[fmt.Sprintf("d%d/e%d/f%d", i%7, i%3, i)] = strings.Repeat(fmt.Sprint(i%400, " "), i)
		}
		s := newSpaceOf(t, format, files)
		packs := func() int {
			list, err := filepath.Glob(filepath.Join(s.repo.Dir(), "objects", "pack", "*.pack"))
			s.must(err)
			return len(list)
		}
		one := s.record(nil)
		if n := packs(); n != 1 {
			t.Errorf("%s: %d packs, want 1", format, n)
		}
		for _, fresh := range []string{"run", "other"} {
			s.open(0)
			s.must(s.repo.Forget(fresh))
			s.must(os.RemoveAll(filepath.Join(s.repo.Dir(), "known")))
			if again := s.recordAs(fresh, nil); again.Tree != one.Tree {
				t.Errorf("%s: %s, and %s the second time", format, one.Tree, again.Tree)
			}
		}
		s.write("d1/e1/f1", "changed")
		two := s.record(nil)
		if n := packs(); n != 1 {
			t.Errorf("%s: %d packs after what was there was read again and one file changed, want 1", format, n)
		}
		for path, text := range files {
			if !strings.HasSuffix(path, "77") {
				continue
			}
			got, _, err := s.repo.File(t.Context(), one.Tree, path)
			if err != nil || string(got) != text {
				t.Fatalf("%s: %s has %d bytes, want %d; %v", format, path, len(got), len(text), err)
			}
		}
		for _, snap := range []tree.Snapshot{one, two} {
			_, err := s.repo.Keep(t.Context(), "run", string(snap.Tree)[:8], snap.Tree, "", "m")
			s.must(err)
		}
		out := userGit(t, s.home, s.repo.Dir(), "fsck", "--full", "--strict")
		if out != "notice: HEAD points to an unborn branch (none)" {
			t.Errorf("%s: git fsck: %s", format, out)
		}
		want := s.git("hash-object", "--no-filters", "big")
		if out := userGit(t, s.home, s.repo.Dir(), "rev-parse", string(one.Tree)+":big"); out != want {
			t.Errorf("%s: the large file is %s, want %s", format, out, want)
		}
	}
}
