package draft

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/test/proctest"
	"autopilot/projections/marker"
)

// apshim is the real supervisor, built once.
var apshim string

func TestMain(m *testing.M) { proctest.Main(m, &apshim) }

// fakeGH keeps what it is called with, and knows the pull requests that it made.
const fakeGH = `#!/bin/sh
cd "$(dirname "$0")"
for a; do printf '<%s>' "$a" >> calls; done; echo >> calls
test -e login && { echo 'gh auth login' >&2; exit 4; }
case "$2" in
list) cat open 2>/dev/null ;;
edit) cat > body; test -e noedit && { echo 'no such field' >&2; exit 1; } ;;
create) cat > body; test -e odd && { echo 'https://github.com/other/repo/pull/1'; exit 0; }
	echo https://github.com/owner/name/pull/7 > open; echo 'Creating draft'; cat open ;;
esac
exit 0
`

// bench is a repository with a work tree of a run, its remote, and a publisher.
type bench struct {
	*testing.T
	top, remote, gh string
	repo            *tree.Repo
	start           string
	rule            notify.Rule
	p               *Publisher
}

const branch = "autopilot/search-k3xq"

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{T: t, top: filepath.Join(dir, "tree"), remote: filepath.Join(dir, "remote.git"), gh: filepath.Join(dir, "bin")}
	b.write(filepath.Join(b.gh, "gh"), fakeGH)
	main := filepath.Join(dir, "main")
	b.git("", "init", "-q", "--bare", "-b", "trunk", b.remote)
	b.git("", "init", "-q", "-b", "trunk", main)
	b.write(filepath.Join(main, "docs/old.md"), "old\n")
	b.write(filepath.Join(main, "code.go"), "package x\n")
	b.git(main, "add", "-A")
	b.git(main, "commit", "-qm", "first")
	b.git(main, "push", "-q", b.remote, "trunk")
	b.git(main, "worktree", "add", "-q", "-b", branch, b.top)
	b.start = b.git(main, "rev-parse", "HEAD")
	ws, err := tree.Find(t.Context(), b.top)
	if err != nil {
		t.Fatal(err)
	}
	b.top = ws.Path
	if b.repo, err = tree.Open(t.Context(), tree.Config{Root: t.TempDir()}, ws); err != nil {
		t.Fatal(err)
	}
	effects, err := effect.New(effect.Config{Root: t.TempDir(), Shim: apshim})
	if err != nil {
		t.Fatal(err)
	}
	b.rule = notify.Rule{GitHub: "owner/name", Draft: true, Remote: b.remote}
	home := t.TempDir()
	b.p = New(Config{
		Dir: t.TempDir(), Effects: effects, Home: home, Env: []string{"PATH=" + b.gh + ":" + os.Getenv("PATH"), "HOME=" + home},
		Settings: func() (notify.Settings, error) { return notify.Settings{Rules: []notify.Rule{b.rule}}, nil },
	})
	return b
}

func (b *bench) write(path, text string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := proctest.WriteProgram(path, text); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) git(dir string, args ...string) string {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=u", "-c", "user.email=u@e"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(marker.WithoutRepository(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(b.gh, name)) // missing is empty
	return string(text)
}

var number = time.Now().UnixNano() // ids of effects are unique on the host

// set is what is in docs/ now.
func (b *bench) set(edit ...func(*Set)) Set {
	b.Helper()
	ctx := b.Context()
	rules, err := b.repo.FreezeIgnore(ctx, b.p.cfg.Home)
	if err != nil {
		b.Fatal(err)
	}
	snap, err := b.repo.Record(ctx, "test", rules, tree.Without{})
	if err != nil {
		b.Fatal(err)
	}
	all, err := b.repo.Entries(ctx, snap.Tree)
	if err != nil {
		b.Fatal(err)
	}
	s := Set{
		Run: fmt.Sprintf("run%d-%s", number, filepath.Base(filepath.Dir(b.gh))), Gate: "agreed", Number: 1, Issue: "Owner/Name#24", Title: "# Search", Body: "what to decide\n",
		Work: commit.Work{
			Branch: branch, Start: b.start, Repo: b.repo, Tree: snap.Tree, Of: []string{"docs/**"},
			Files: slices.DeleteFunc(all, func(e tree.Entry) bool { return !strings.HasPrefix(e.Path, "docs/") }),
		},
	}
	s.Run += strings.ReplaceAll(b.Name(), "/", "-")
	for _, e := range edit {
		e(&s)
	}
	return s
}

func (b *bench) show(s Set) Shown {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	got, err := b.p.Show(ctx, s)
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// final is what a run has changed, as it is now.
func (b *bench) final(paths ...string) Set {
	b.Helper()
	return b.set(func(s *Set) {
		all, err := b.repo.Entries(b.Context(), s.Tree)
		if err != nil {
			b.Fatal(err)
		}
		s.Mark = "Run " + s.Run + " has passed."
		s.Message = "Search\n\n" + s.Mark + "\n"
		s.Gate, s.Number, s.Final, s.Hide, s.Of, s.Body = "", 9, true, func(text string) string { return text }, paths, "what has passed\n"
		s.Files = slices.DeleteFunc(all, func(e tree.Entry) bool { return !slices.Contains(paths, e.Path) })
	})
}

func (b *bench) file(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.top, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}
