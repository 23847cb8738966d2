package land

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/repo/tree"
	"autopilot/projections/marker"
)

// bench is a repository of a user with a branch of work that began at the first commit of
// main, and a Scratch.
type bench struct {
	*testing.T
	top string
	ws  tree.Workspace
	s   *Scratch
}

const baseText = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

func newBench(t *testing.T, format ...string) *bench {
	t.Helper()
	b := &bench{T: t, top: filepath.Join(t.TempDir(), "user")}
	b.git("", append([]string{"init", "-q", "-b", "main", b.top}, format...)...)
	b.write("a.txt", baseText)
	b.write("dir/b.txt", baseText)
	b.write("gone.txt", "gone\n")
	b.git(b.top, "config", "commit.gpgsign", "true") // would fail if it were used
	b.commit("first")
	b.git(b.top, "branch", "work")
	return b
}

// scratch makes the Scratch of what is in the repository by now.
func (b *bench) scratch() *Scratch {
	b.Helper()
	var err error
	if b.ws, err = tree.Find(b.Context(), b.top); err != nil {
		b.Fatal(err)
	}
	if b.s, err = Make(b.Context(), filepath.Join(b.TempDir(), "name of it"), b.ws); err != nil {
		b.Fatal(err)
	}
	return b.s
}

func (b *bench) write(path, text string) {
	b.Helper()
	path = filepath.Join(b.top, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) git(dir string, args ...string) string {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(marker.WithoutRepository(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=ann", "GIT_AUTHOR_EMAIL=ann@e", "GIT_AUTHOR_DATE=1700000000 +0200", "GIT_COMMITTER_NAME=con", "GIT_COMMITTER_EMAIL=con@e")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) commit(subject string) string {
	b.Helper()
	b.git(b.top, "add", "-A")
	b.git(b.top, "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", subject)
	return b.git(b.top, "rev-parse", "HEAD")
}

// on commits to a branch what a function does.
func (b *bench) on(branch, subject string, does func()) string {
	b.Helper()
	b.git(b.top, "checkout", "-q", branch)
	does()
	id := b.commit(subject)
	b.git(b.top, "checkout", "-q", "main")
	return id
}

func (b *bench) tip(branch string) string {
	b.Helper()
	return b.git(b.top, "rev-parse", "--verify", "-q", branch)
}

// show runs git in the Scratch.
func (b *bench) show(args ...string) string {
	b.Helper()
	return b.git(b.s.Top, args...)
}

func edit(text, from, to string) string { return strings.Replace(text, from, to, 1) }

func (b *bench) part() []Part {
	return []Part{{Run: "k3xq", Commit: b.tip("work"), Subject: "Change things", Gates: []string{"test", "lint"}}}
}
