package take

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/projections/marker"
)

type bench struct {
	*testing.T
	top, bin string
	g        Git
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{T: t, top: filepath.Join(dir, "tree"), bin: filepath.Join(dir, "bin")}
	env := append(marker.WithoutRepository(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "PATH="+b.bin+":"+os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@e", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@e")
	b.g = Git{b.top, env}
	b.write("tree/a", "a\n", 0o644)
	b.write("tree/gone", "gone\n", 0o644)
	b.git("init", "-q", "-b", "main")
	b.git("add", "-A")
	b.git("commit", "-qm", "first")
	return b
}

func (b *bench) write(path, text string, mode os.FileMode) {
	b.Helper()
	path = filepath.Join(filepath.Dir(b.top), path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) git(args ...string) string {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = b.top, b.g.Environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestACommitHasTheNamedFilesAndNoOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for path, text := range map[string]string{"a": "changed\n", "new [1]*": "new\n", "staged": "staged\n", "left": "left\n"} {
		b.write("tree/"+path, text, 0o644)
	}
	b.git("add", "staged")
	if err := os.Remove(filepath.Join(b.top, "gone")); err != nil {
		t.Fatal(err)
	}
	work := []string{"a", "gone", "new [1]*"}
	id, err := b.g.Commit(t.Context(), work, "# odd\n\n-m\n")
	if err != nil || id != b.git("rev-parse", "HEAD") {
		t.Fatalf("made: %s %v", id, err)
	}
	if got := b.git("show", "--format=%B", "--name-status", "HEAD"); got != "# odd\n\n-m\n\n\nM\ta\nD\tgone\nA\tnew [1]*" {
		t.Errorf("the commit is %q", got)
	}
	if got := b.git("status", "--porcelain"); got != "A  staged\n?? left" {
		t.Errorf("beside it: %q", got)
	}
	if _, err := b.g.Commit(t.Context(), work, "again"); !errors.Is(err, ErrNothing) {
		t.Errorf("once more: %v", err)
	}
	b.write("tree/a", "by a hook\n", 0o644)
	if got, err := b.g.Differs(t.Context(), work); err != nil || strings.Join(got, " ") != "a" {
		t.Errorf("differs: %v %v", got, err)
	}
}

func TestAFileThatIsGoneFromTheIndexTooIsCommitted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.git("rm", "-q", "gone")
	if _, err := b.g.Commit(t.Context(), []string{"gone"}, "gone"); err != nil || b.git("ls-files") != "a" {
		t.Errorf("made: %v, with %s", err, b.git("ls-files"))
	}
}

func TestABranchGoesForwardAndLosesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.git("checkout", "-q", "-b", "side")
	b.write("tree/a", "landed\n", 0o644)
	b.git("commit", "-qam", "landed")
	b.git("update-ref", "refs/autopilot/land/k3xq", "HEAD")
	b.git("checkout", "-q", "main")
	b.write("tree/a", "mine\n", 0o644)
	if err := b.g.Forward(t.Context(), "main", "refs/autopilot/land/k3xq"); err == nil || !strings.Contains(err.Error(), "would be overwritten") {
		t.Errorf("over changes: %v", err)
	}
	b.git("checkout", "-q", "a")
	b.write("tree/other", "mine\n", 0o644)
	if err := b.g.Forward(t.Context(), "main", "refs/autopilot/land/k3xq"); err != nil || b.git("log", "-1", "--format=%s") != "landed" {
		t.Errorf("forward: %v", err)
	}
	if refs := b.git("for-each-ref", "refs/autopilot"); refs != "" || b.git("status", "--porcelain") != "?? other" {
		t.Errorf("left: %s", refs)
	}
	if err := b.g.Forward(t.Context(), "none", "main"); err == nil || !strings.Contains(err.Error(), "not checked out any more") {
		t.Errorf("of no work tree: %v", err)
	}
}

func TestADraftIsOpenedByTheUsersOwnPrograms(t *testing.T) {
	t.Parallel()
	const link = "https://github.com/owner/name/pull/7"
	for name, tt := range map[string]struct {
		gh, remote string
		want, says string
	}{
		"a new one":          {"[ $2 = create ] || exit 1\ncat > body; echo Creating; echo " + link, "origin", link, ""},
		"one that is open":   {"[ $2 = view ] && echo " + link, "upstream", link, ""},
		"logged out":         {"echo 'gh auth login' >&2; exit 4", "origin", "", "gh auth login"},
		"an odd answer":      {"[ $2 = create ] && echo done", "origin", "", "names no pull request"},
		"no gh":              {"", "origin", "", "gh is not installed"},
		"no remote":          {"exit 1", "", "", "no remote to push to"},
		"a remote that lies": {"exit 1", "gone", "", "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			remote := filepath.Join(filepath.Dir(b.top), "remote.git")
			b.git("init", "-q", "--bare", remote)
			if tt.gh != "" {
				b.write("bin/gh", "#!/bin/sh\n"+tt.gh+"\n", 0o755)
			} else {
				b.g.Environ = append(b.g.Environ, "PATH="+b.bin)
				b.write("bin/x", "", 0o755)
				for _, program := range []string{"git", "sh"} {
					path, err := exec.LookPath(program)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink(path, filepath.Join(b.bin, program)); err != nil {
						t.Fatal(err)
					}
				}
			}
			switch tt.remote {
			case "":
			case "gone":
				b.git("remote", "add", "gone", remote+"-gone")
			default:
				b.git("remote", "add", tt.remote, remote)
			}
			got, err := b.g.PullRequest(t.Context(), "main", "title", "body\n")
			if got != tt.want || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("opened: %q %v", got, err)
			}
		})
	}
}
