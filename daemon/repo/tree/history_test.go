package tree_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
)

// commit commits everything, and says what it is.
func (s *space) commit(message string, files ...string) string {
	s.t.Helper()
	for _, f := range files {
		s.write(f, message+"\n")
	}
	s.git("add", "-A")
	s.git("commit", "-qm", message, "--allow-empty")
	return s.git("rev-parse", "HEAD")
}

func (s *space) line(base string) ([]string, error) {
	s.t.Helper()
	line, err := s.repo.Line(s.t.Context(), base)
	var out []string
	for _, c := range line {
		out = append(out, c.Subject)
	}
	return out, err
}

// refusedFor proves that the history is refused, and why.
func (s *space) refusedFor(base, why string) {
	s.t.Helper()
	var refused *tree.HistoryError
	if line, err := s.line(base); !errors.As(err, &refused) || !strings.Contains(refused.What, why) {
		s.t.Errorf("%q, %v; want %q", line, err, why)
	}
}

func TestALineIsTheFirstParentsDownToTheBase(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a"})
	base := s.commit("base")
	s.commit("one", "tests/t")
	s.git("checkout", "-qb", "side", base)
	s.commit("aside", "tests/u")
	s.git("checkout", "-q", "main")
	s.git("merge", "-qm", "merged", "side")
	tip := s.commit("tip", "b")
	got, err := s.line(base)
	if d := cmp.Diff([]string{"tip", "merged", "one", "base"}, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	line, err := s.repo.Line(t.Context(), base)
	s.must(err)
	// What came in by another parent is a change of the merge.
	changes, err := s.repo.Changes(t.Context(), line[2].Tree, line[1].Tree)
	if err != nil || len(changes) != 1 || changes[0].Path != "tests/u" {
		t.Errorf("%+v %v", changes, err)
	}
	if got, err := s.line(tip); err != nil || len(got) != 1 {
		t.Errorf("from HEAD itself: %q %v", got, err)
	}
}

func TestDatesOfCommitsMeanNothing(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a"})
	base := s.commit("base")
	for i, date := range []string{"2099-01-01T00:00:00Z", "1980-01-01T00:00:00Z", "2050-01-01T00:00:00Z"} {
		s.write("a", date)
		s.git("-c", "user.name=x", "add", "-A")
		tree := s.git("write-tree")
		cmd := exec.Command("git", "commit-tree", tree, "-p", "HEAD", "-m", fmt.Sprint(i))
		cmd.Dir, cmd.Env = s.top, []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@x",
			"GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@x", "GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date,
		}
		id, err := cmd.Output()
		s.must(err)
		s.git("reset", "-q", strings.TrimSpace(string(id)))
	}
	got, err := s.line(base)
	if d := cmp.Diff([]string{"2", "1", "0", "base"}, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

// Seeds 3.5, check_red_evidence: what makes one history look like another closes
// the gate.
func TestAHistoryThatIsNotWhatItLooksLikeIsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make func(s *space, base, one string)
		why  string
	}{
		"a shallow boundary":     {func(s *space, _, one string) { s.write(".git/shallow", one+"\n") }, "shallow clone"},
		"a graft":                {func(s *space, base, one string) { s.write(".git/info/grafts", one+" "+base+"\n") }, "grafts"},
		"a graft through a link": {func(s *space, _, _ string) { s.must(os.Symlink("/dev/null", s.path(".git/info/grafts"))) }, "grafts"},
		"a replace ref":          {func(s *space, base, one string) { s.git("replace", "-f", one, base) }, "replace refs"},
		"a packed replace ref":   {func(s *space, base, one string) { s.git("replace", one, base); s.git("pack-refs", "--all") }, "replace refs"},
		"borrowed objects":       {func(s *space, _, _ string) { s.write(".git/objects/info/alternates", "/elsewhere/objects\n") }, "borrows objects"},
		"another history":        {func(s *space, _, _ string) { s.git("checkout", "-q", "--orphan", "else"); s.commit("else") }, "none of those before HEAD"},
		"a base that was amended": {func(s *space, base, _ string) {
			s.git("reset", "-q", "--hard", base)
			s.git("commit", "--amend", "-qm", "x")
		}, "none of those before HEAD"},
		"a base by a second parent": {func(s *space, _, _ string) {
			s.git("checkout", "-q", "--orphan", "else")
			s.commit("else")
			s.git("merge", "-q", "-s", "ours", "--allow-unrelated-histories", "-m", "m", "main")
		}, "only the first parent counts"},
		"no commit any more":     {func(s *space, _, _ string) { s.git("checkout", "-q", "--orphan", "else") }, "names no commit"},
		"no HEAD":                {func(s *space, _, _ string) { s.write(".git/HEAD", "nonsense\n") }, "HEAD cannot be read"},
		"no repository":          {func(s *space, _, _ string) { s.must(os.RemoveAll(s.path(".git"))) }, "cannot be read any more"},
		"an object that is gone": {func(s *space, _, _ string) { s.must(os.Remove(s.object(s.git("rev-parse", "HEAD^{tree}")))) }, "cannot be read whole"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, map[string]string{"a": "a"})
			base := s.commit("base")
			one := s.commit("one", "tests/t")
			tt.make(s, base, one)
			s.refusedFor(base, tt.why)
		})
	}
	t.Run("what is empty means nothing", func(t *testing.T) {
		t.Parallel()
		s := newSpace(t, map[string]string{"a": "a"})
		base := s.commit("base")
		s.write(".git/info/grafts", "")
		s.must(os.MkdirAll(s.path(".git/refs/replace"), 0o755))
		if _, err := s.line(base); err != nil {
			t.Error(err)
		}
	})
}

func (s *space) object(id string) string { return s.path(".git/objects/" + id[:2] + "/" + id[2:]) }

// forge puts another content in the place of an object, under its name.
func (s *space) forge(id, content string) {
	s.t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := z.Write([]byte(content))
	s.must(err)
	s.must(z.Close())
	s.must(os.Remove(s.object(id)))
	s.must(os.WriteFile(s.object(id), b.Bytes(), 0o444))
}

// TestForgedObjectsProveNothing: git reads a loose object by the name of its
// file, so an agent can give a commit any parent.
func TestForgedObjectsProveNothing(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a"})
	base := s.commit("base")
	s.commit("work", "work")
	tip := s.commit("tests", "tests/t")
	// The tip claims to come before the work, and the work to be no commit at all.
	text := s.git("cat-file", "commit", tip)
	text = strings.Replace(text, "parent "+s.git("rev-parse", "HEAD~"), "parent "+base, 1)
	s.forge(tip, fmt.Sprintf("commit %d\x00%s", len(text), text))
	if got := s.git("log", "--format=%s"); got != "tests\nbase" {
		t.Fatalf("the test proves nothing: %q", got)
	}
	s.refusedFor(base, "")

	blob := newSpace(t, map[string]string{"a": "a", "t": "test"})
	base = blob.commit("base")
	id := blob.git("rev-parse", "HEAD:t")
	blob.write("t", "as it is now")
	blob.forge(id, "blob 3\x00lie")
	line, err := blob.repo.Line(t.Context(), base)
	blob.must(err)
	var refused *tree.HistoryError
	if err := blob.repo.Fill(t.Context(), line[0]); !errors.As(err, &refused) {
		t.Errorf("a forged file: %v", err)
	}
}

// TestAForgedCommitGraphIsNotRead: git believes the parents in that file before
// those in the commits.
func TestAForgedCommitGraphIsNotRead(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a"})
	base := s.commit("base")
	s.commit("work", "work")
	s.commit("tests", "tests/t")
	s.git("commit-graph", "write", "--reachable")
	path := s.path(".git/objects/info/commit-graph")
	graph, err := os.ReadFile(path)
	s.must(err)
	ids := strings.Fields(s.git("log", "--format=%H"))
	at := func(id string) uint32 { // its place among all ids, in order
		n := uint32(0)
		for _, other := range ids {
			if other < id {
				n++
			}
		}
		return n
	}
	data := 0
	for i := range int(graph[6]) + 1 {
		if entry := graph[8+12*i:]; string(entry[:4]) == "CDAT" {
			data = int(binary.BigEndian.Uint64(entry[4:12]))
		}
	}
	binary.BigEndian.PutUint32(graph[data+36*int(at(ids[0]))+20:], at(base))
	s.must(os.Remove(path))
	s.must(os.WriteFile(path, graph, 0o444))
	if got := s.git("log", "--format=%s"); got != "tests\nbase" {
		t.Fatalf("the test proves nothing: %q", got)
	}
	if got, err := s.line(base); err != nil || len(got) != 3 {
		t.Errorf("%q %v", got, err)
	}
}

func TestACommitIsCheckedOutOfOurRepository(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a", "dir/b": "b"})
	base := s.commit("base")
	s.commit("tests", "tests/t")
	s.commit("work", "a", "w")
	line, err := s.repo.Line(t.Context(), base)
	s.must(err)
	s.must(s.repo.Fill(t.Context(), line[1]))
	s.must(os.RemoveAll(s.path(".git"))) // nothing of theirs is needed any more
	to := filepath.Join(t.TempDir(), "to")
	_, err = s.repo.Checkout(t.Context(), line[1].Tree, to)
	s.must(err)
	got := image(t, to)
	for name, text := range map[string]string{"a": "a", "dir/b": "b", "tests/t": "tests\n"} {
		if !strings.HasSuffix(got[name], " "+text) {
			t.Errorf("%s: %q", name, got[name])
		}
	}
	if _, ok := got["w"]; ok {
		t.Error("the work is there")
	}
}

func TestACommitThatCannotBeCheckedOutWholeIsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ entry, why string }{
		"a submodule":     {"160000 commit %[1]s\tsub\x00", "other repositories in it"},
		"a way out":       {"100644 blob %[2]s\t..\x00", "cannot be checked out"},
		"a configuration": {"040000 tree %[3]s\t.GIT\x00", "cannot be checked out"},
		"a name twice":    {"100644 blob %[2]s\ta\x00040000 tree %[3]s\ta\x00", "cannot be checked out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, map[string]string{"a": "a"})
			base := s.commit("base")
			raw := ""
			for line := range strings.SplitSeq(strings.TrimSuffix(fmt.Sprintf(tt.entry, base, s.git("rev-parse", "HEAD:a"), s.git("rev-parse", "HEAD^{tree}")), "\x00"), "\x00") {
				f := strings.Fields(line)
				raw += strings.TrimPrefix(f[0], "0") + " " + f[3] + "\x00" + unhex(t, f[2])
			}
			s.must(os.WriteFile(filepath.Join(s.home, "tree"), []byte(raw), 0o600))
			id := s.git("hash-object", "-w", "-t", "tree", "--literally", filepath.Join(s.home, "tree"))
			s.git("reset", "-q", "--soft", s.git("commit-tree", id, "-p", base, "-m", "odd"))
			line, err := s.repo.Line(t.Context(), base)
			s.must(err)
			var refused *tree.HistoryError
			if err := s.repo.Fill(t.Context(), line[0]); !errors.As(err, &refused) || !strings.Contains(refused.What, tt.why) {
				t.Errorf("%v, want %q", err, tt.why)
			}
			if err := s.repo.Judgeable(t.Context()); !errors.As(err, &refused) || !strings.Contains(refused.What, tt.why) {
				t.Errorf("judgeable: %v, want %q", err, tt.why)
			}
		})
	}
}

func unhex(t *testing.T, id string) string {
	t.Helper()
	var b []byte
	if _, err := fmt.Sscanf(id, "%x", &b); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A linked work tree shares the history of its repository.
func TestALineOfALinkedWorkTree(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a"})
	base := s.commit("base")
	linked := filepath.Join(filepath.Dir(s.top), "linked")
	s.git("worktree", "add", "-q", "-b", "other", linked)
	s.top = linked
	s.open(0)
	s.commit("one", "tests/t")
	if got, err := s.line(base); err != nil || len(got) != 2 {
		t.Errorf("%q %v", got, err)
	}
}
