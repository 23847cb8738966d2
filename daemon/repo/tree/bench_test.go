package tree_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const benchFiles = 2000

func benchSpace(b *testing.B) *space {
	files := map[string]string{}
	for i := range benchFiles {
		files[fmt.Sprintf("pkg%02d/sub%d/file%d.go", i%40, i%5, i)] = fmt.Sprintf("package p // %d\n", i)
	}
	s := newSpace(b, files)
	old := time.Now().Add(-time.Hour)
	for path := range files {
		s.must(os.Chtimes(s.path(path), old, old))
	}
	return s
}

// plainFloor is what a shell script would do to record the work tree once:
// git add, write-tree, commit-tree, update-ref in a bare repository.
type plainFloor struct {
	s   *space
	dir string
	env []string
}

func newFloor(b *testing.B, s *space) plainFloor {
	dir := filepath.Join(filepath.Dir(s.top), "floor.git")
	userGit(b, s.home, filepath.Dir(s.top), "init", "-q", "--bare", dir)
	f := plainFloor{s: s, dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR=" + dir, "GIT_WORK_TREE=" + s.top,
		"GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@x", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@x",
	}}
	f.once()
	return f
}

func (f plainFloor) once() {
	f.git("add", "-A")
	tree := f.git("write-tree")
	commit := f.git("commit-tree", "-m", "m", tree)
	f.git("update-ref", "refs/x/1", commit)
}

func (f plainFloor) git(args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = f.s.top, f.env
	out, err := cmd.Output()
	f.s.must(err)
	if len(out) == 0 {
		return ""
	}
	return string(out[:len(out)-1])
}

// BenchmarkRecord reports the time of a Record with Keep as a multiple of the
// plain git commands on the same work tree, measured in turn.
func BenchmarkRecord(b *testing.B) {
	for _, bench := range []struct {
		name string
		edit func(s *space, i int)
		keep bool
	}{
		{"unchanged", func(*space, int) {}, false},
		{"unchanged-kept", func(*space, int) {}, true},
		{"one-file", func(s *space, i int) { s.write("pkg00/sub0/file0.go", fmt.Sprint("package p // round ", i)) }, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := benchSpace(b)
			ignore := s.freeze()
			s.record(ignore)
			floor := newFloor(b, s)
			var ours, plain time.Duration
			for i := 0; b.Loop(); i++ {
				bench.edit(s, i)
				start := time.Now()
				snap := s.record(ignore)
				if bench.keep {
					_, err := s.repo.Keep(context.Background(), "run", "1", snap.Tree, "", "m")
					s.must(err)
				}
				middle := time.Now()
				floor.once()
				ours, plain = ours+middle.Sub(start), plain+time.Since(middle)
			}
			b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "ours-us/op")
			b.ReportMetric(float64(plain.Microseconds())/float64(b.N), "floor-us/op")
			b.ReportMetric(float64(ours)/float64(plain), "x-floor")
		})
	}
}
