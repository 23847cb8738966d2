package tree_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// space is a workspace with the daemon's repository of it.
type space struct {
	t    testing.TB
	top  string
	home string
	root string
	repo *tree.Repo
}

func newSpace(t testing.TB, files map[string]string) *space {
	t.Helper()
	return newSpaceOf(t, "sha1", files)
}

// newSpaceOf is a space whose repository names objects by that hash.
func newSpaceOf(t testing.TB, format string, files map[string]string) *space {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &space{t: t, top: filepath.Join(base, "work tree"), home: filepath.Join(base, "home"), root: filepath.Join(base, "state", "trees")}
	for _, dir := range []string{s.top, s.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.git("init", "-q", "-b", "main", "--object-format="+format)
	for path, text := range files {
		s.write(path, text)
	}
	s.open(0)
	return s
}

func (s *space) open(large int64) {
	s.t.Helper()
	ws, err := tree.Find(context.Background(), s.top)
	if err != nil {
		s.t.Fatal(err)
	}
	s.repo, err = tree.Open(context.Background(), tree.Config{Root: s.root, LargeBytes: large}, ws)
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *space) path(rel string) string { return filepath.Join(s.top, rel) }

func (s *space) write(rel, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(rel)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(rel), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *space) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// git is what a user runs in the workspace.
func (s *space) git(args ...string) string {
	s.t.Helper()
	return userGit(s.t, s.home, s.top, args...)
}

func userGit(t testing.TB, home, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@x", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@x",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *space) freeze() []byte {
	s.t.Helper()
	text, err := s.repo.FreezeIgnore(context.Background(), s.home)
	s.must(err)
	return text
}

func (s *space) record(ignore []byte, notes ...string) tree.Snapshot {
	s.t.Helper()
	return s.recordAs("run", ignore, notes...)
}

func (s *space) recordAs(index string, ignore []byte, notes ...string) tree.Snapshot {
	s.t.Helper()
	snap, err := s.repo.Record(context.Background(), index, ignore, tree.Without{Notes: notes})
	s.must(err)
	return snap
}

// listing is a tree as "mode path" lines.
func (s *space) listing(t events.Tree) []string {
	s.t.Helper()
	cmd := exec.Command("git", "--git-dir="+s.repo.Dir(), "ls-tree", "-r", "-z", string(t))
	out, err := cmd.Output()
	s.must(err)
	var list []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if meta, path, ok := strings.Cut(line, "\t"); ok {
			list = append(list, strings.Fields(meta)[0]+" "+path)
		}
	}
	return list
}

// image is every file below dir with mode and bytes, to compare before and after.
func image(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		all[rel] = info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			all[rel] += " " + string(text)
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[rel] += " " + to
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
