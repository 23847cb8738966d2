package tree_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
)

func TestACheckoutIsTheRecordedTreeAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{
		"a": "1", "dir/deep/b": "2", "run.sh": "#!/bin/sh\n", "odd\n\xff name": "o", "empty": "",
		"skip.log": "ignored", "build/out": "ignored", ".gitattributes": "* text=auto eol=crlf\n", "unix": "a\nb\n", "dos": "a\r\nb\r\n",
	})
	s.must(os.Chmod(s.path("run.sh"), 0o755))
	s.must(os.Symlink("dir/deep", s.path("link")))
	s.must(os.Symlink("/etc/passwd", s.path("outside")))
	snap := s.record([]byte("*.log\nbuild/\n"))
	s.must(os.RemoveAll(s.path("dir"))) // the work tree is not looked at
	to := filepath.Join(t.TempDir(), "deep", "down")
	s.must(os.MkdirAll(filepath.Dir(to), 0o755))
	done, err := s.repo.Checkout(t.Context(), snap.Tree, to)
	s.must(err)
	s.write("dir/deep/b", "2")
	s.must(os.RemoveAll(s.path("build")))
	s.must(os.Remove(s.path("skip.log")))
	s.must(os.RemoveAll(s.path(".git")))
	want, got := image(t, s.top), image(t, to)
	delete(want, ".")
	delete(got, ".") // nobody else is let in
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-work tree +checkout):\n%s", diff)
	}
	if done.Files != 10 || done.Absent != nil {
		t.Errorf("%+v", done)
	}
}

func TestACheckoutNamesWhatIsRecordedWithoutContent(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "1", "big/file": "0123456789"})
	s.open(8)
	s.must(os.MkdirAll(s.path("vendor/inner"), 0o755))
	userGit(t, s.home, s.path("vendor/inner"), "init", "-q")
	s.write("vendor/inner/x", "x")
	userGit(t, s.home, s.path("vendor/inner"), "add", "-A")
	userGit(t, s.home, s.path("vendor/inner"), "commit", "-qm", "x")
	to := filepath.Join(t.TempDir(), "to")
	done, err := s.repo.Checkout(t.Context(), s.record(nil).Tree, to)
	s.must(err)
	if diff := cmp.Diff([]string{"big/file"}, done.Absent); diff != "" {
		t.Errorf("absent (-want +got):\n%s", diff)
	}
	if _, err := os.Lstat(filepath.Join(to, "big")); !os.IsNotExist(err) {
		t.Errorf("a folder of nothing: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "vendor/inner/x")); err != nil || string(text) != "x" {
		t.Errorf("of the other repository %q, %v", text, err)
	}
}

func TestACheckoutOverwritesNothing(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "1"})
	snap := s.record(nil)
	to := t.TempDir()
	s.must(os.WriteFile(filepath.Join(to, "a"), []byte("mine"), 0o600))
	if _, err := s.repo.Checkout(t.Context(), snap.Tree, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	for _, bad := range []events.Tree{"", "HEAD", "0000000000000000000000000000000000000001"} {
		if _, err := s.repo.Checkout(t.Context(), bad, filepath.Join(to, "x")); err == nil {
			t.Errorf("tree %q was checked out", bad)
		}
	}
}

// An empty tree is an empty directory, not the lack of one.
func TestACheckoutOfNothingIsADirectory(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	to := filepath.Join(t.TempDir(), "to")
	_, err := s.repo.Checkout(t.Context(), s.record(nil).Tree, to)
	s.must(err)
	if info, err := os.Stat(to); err != nil || !info.IsDir() {
		t.Errorf("%v %v", info, err)
	}
}

// TestAProgramThatIsCheckedOutCanBeRunAtOnce: others are started meanwhile, and a
// child that has not yet become its program has every file open that this process
// has. Who runs it is another process, as a gate's shell is.
func TestAProgramThatIsCheckedOutCanBeRunAtOnce(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"p": "#!/bin/sh\n"})
	s.must(os.Chmod(s.path("p"), 0o755))
	snap := s.record(nil)
	sh := exec.CommandContext(t.Context(), "sh")
	in, err := sh.StdinPipe()
	s.must(err)
	out, err := sh.StdoutPipe()
	s.must(err)
	s.must(sh.Start())
	said := bufio.NewReader(out)
	var others sync.WaitGroup
	var done atomic.Bool
	t.Cleanup(func() { done.Store(true) })
	for range 8 {
		others.Go(func() {
			for !done.Load() {
				_ = exec.Command("true").Run()
			}
		})
	}
	top := t.TempDir()
	for i := range 150 {
		to := filepath.Join(top, fmt.Sprint(i))
		_, err := s.repo.Checkout(t.Context(), snap.Tree, to)
		s.must(err)
		_, err = fmt.Fprintf(in, "%s/p 2>&1; echo $?\n", to)
		s.must(err)
		if line, err := said.ReadString('\n'); err != nil || line != "0\n" {
			t.Fatalf("checkout %d: %q %v", i, line, err)
		}
	}
	done.Store(true)
	others.Wait()
	s.must(in.Close())
	s.must(sh.Wait())
}
