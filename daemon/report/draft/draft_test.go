package draft

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/report/notify"
)

const link = "https://github.com/owner/name/pull/7"

// Seeds 3.7, A34: written, then shown, then asked about; the bodies are the diff of
// the draft.
func TestASetIsCommittedOnItsBranchPushedAndShownAsADraft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(filepath.Join(b.top, "docs/plan.md"), "the plan\r\n")
	b.write(filepath.Join(b.top, "code.go"), "package half\n")
	b.write(filepath.Join(b.top, "staged.go"), "package staged\n")
	b.git(b.top, "add", "staged.go")
	if got := b.show(b.set()); got != (Shown{Link: link}) {
		t.Fatalf("shown: %+v", got)
	}
	head := b.git(b.top, "rev-parse", "HEAD")
	if pushed := b.git(b.remote, "rev-parse", branch); pushed != head {
		t.Errorf("pushed %s, the branch has %s", pushed, head)
	}
	if got := b.git(b.top, "show", "--format=%P %s", "--name-status", "HEAD"); got != b.start+" Files for approval at gate agreed\n\nA\tdocs/plan.md" {
		t.Errorf("the commit is %s", got)
	}
	if got := b.git(b.top, "status", "--porcelain"); got != "M code.go\nA  staged.go" {
		t.Errorf("what is no part of the set: %q", got)
	}
	if got := b.git(b.remote, "rev-parse", "trunk"); got != b.start {
		t.Errorf("the default branch has moved to %s", got)
	}
	want := "<pr><list><--repo><owner/name><--head><" + branch + "><--state><open><--json><url,isCrossRepository><--jq><.[] | select(.isCrossRepository | not) | .url>\n" +
		"<pr><create><--repo><owner/name><--head><" + branch + "><--draft><--title><Search><--body-file><->\n"
	if got := b.read("calls"); got != want || b.read("body") != "what to decide\n" {
		t.Errorf("gh is called\n%s with %q", got, b.read("body"))
	}
	if left, _ := filepath.Glob(filepath.Join(b.p.cfg.Dir, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestShownAgainTheOpenDraftIsTakenAndTheBranchLeadsOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(filepath.Join(b.top, "docs/plan.md"), "one\n")
	b.show(b.set())
	first := b.git(b.remote, "rev-parse", branch)
	if b.show(b.set(func(s *Set) { s.Number = 2 })); b.git(b.remote, "rev-parse", branch) != first {
		t.Error("a set that is as it was makes a commit")
	}
	b.write(filepath.Join(b.top, "docs/plan.md"), "two\n")
	if err := os.Remove(filepath.Join(b.top, "docs/old.md")); err != nil {
		t.Fatal(err)
	}
	if got := b.show(b.set(func(s *Set) { s.Number = 3 })); got.Link != link {
		t.Errorf("shown: %+v", got)
	}
	if got := b.git(b.remote, "diff", "--name-status", first, branch); got != "D\tdocs/old.md\nM\tdocs/plan.md" {
		t.Errorf("changed: %s", got)
	}
	if n := strings.Count(b.read("calls"), "<create>"); n != 1 {
		t.Errorf("%d pull requests were opened", n)
	}
}

// Seeds 3.1, 3.7: what has passed is on the branch of the run, with what nobody had
// committed, and the draft that is open says so; it stays a draft, and the default
// branch is as it was.
func TestFinalWorkIsPushedAsItPassedAndItsDraftBroughtUpToDate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(filepath.Join(b.top, "docs/plan.md"), "the plan\n")
	b.show(b.set())
	b.write(filepath.Join(b.top, "done.go"), "package done\n")
	b.git(b.top, "add", "done.go")
	b.git(b.top, "commit", "-qm", "work")
	b.write(filepath.Join(b.top, "code.go"), "package left\n")
	b.write(filepath.Join(b.top, "other.go"), "package other\n")
	final := b.final("code.go", "done.go", "docs/plan.md")
	got := b.show(final)
	head := b.git(b.top, "rev-parse", "HEAD")
	if got != (Shown{Link: link, Commit: head}) || b.git(b.remote, "rev-parse", branch) != head {
		t.Fatalf("shown: %+v, head %s", got, head)
	}
	if got := b.git(b.top, "show", "--format=%s", "--name-status", "HEAD"); got != "What was not committed yet\n\nM\tcode.go" {
		t.Errorf("the commit is %s", got)
	}
	if got := b.git(b.top, "status", "--porcelain"); got != "?? other.go" {
		t.Errorf("what the run did not change: %q", got)
	}
	calls := strings.Split(strings.TrimSpace(b.read("calls")), "\n")
	if got := calls[len(calls)-1]; got != "<pr><edit><"+link+"><--body-file><->" || b.read("body") != "what has passed\n" {
		t.Errorf("gh is called %s with %q", got, b.read("body"))
	}
	if got := b.git(b.remote, "rev-parse", "trunk"); got != b.start {
		t.Errorf("the default branch has moved to %s", got)
	}
	if strings.Contains(b.read("calls"), "<ready>") || strings.Contains(b.read("calls"), "<merge>") {
		t.Errorf("gh is called\n%s", b.read("calls"))
	}
	if again := b.show(final); again != got {
		t.Errorf("once more: %+v", again)
	}
}

// What others changed too is in the commit as it was judged, and the commit names it.
func TestTheCommitNamesWhatOthersChangedToo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(filepath.Join(b.top, "code.go"), "package left\n")
	final := b.final("code.go")
	final.Others = []string{"code.go", "a\nb"}
	got := b.show(final)
	if text := b.git(b.top, "show", "-s", "--format=%b"); !strings.HasSuffix(text, "Other sessions changed these files too:\n  \"code.go\"\n  \"a\\nb\"") {
		t.Errorf("the commit says %q", text)
	}
	if again := b.show(final); got.Problem != "" || again != got {
		t.Errorf("shown: %+v, then %+v", got, again)
	}
}

// What a run has changed are paths, and no globs: as one README.md is each file of that
// name, and a name with brackets or stars in it others, or not itself.
func TestFinalWorkIsTheFilesThatWereChangedAndNoOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, path := range []string{"README.md", "sub/README.md", "app/[id]/page.ts", "app/i/page.ts", "old[1].md", "old1.md"} {
		b.write(filepath.Join(b.top, path), "as it was\n")
	}
	b.git(b.top, "add", "-A")
	b.git(b.top, "commit", "-qm", "files")
	for _, path := range []string{"README.md", "app/[id]/page.ts", "*"} {
		b.write(filepath.Join(b.top, path), "changed\n")
	}
	if err := os.Remove(filepath.Join(b.top, "old[1].md")); err != nil {
		t.Fatal(err)
	}
	if got := b.show(b.final("*", "README.md", "app/[id]/page.ts", "old[1].md")); got.Problem != "" {
		t.Fatalf("shown: %+v", got)
	}
	if got := b.git(b.top, "show", "--format=", "--name-status", "HEAD"); got != "A\t*\nM\tREADME.md\nM\tapp/[id]/page.ts\nD\told[1].md" {
		t.Errorf("the commit has %s", got)
	}
	if got := b.git(b.top, "status", "--porcelain"); got != "" {
		t.Errorf("left: %q", got)
	}
}

// The work stays where it is, and who reads the end is told.
func TestFinalWorkThatCannotBeShownIsSaidAndKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does   func(*bench, *Set)
		want   string
		pushed bool
	}{
		"a draft that is not brought up to date": {func(b *bench, _ *Set) { b.write(filepath.Join(b.gh, "noedit"), "") }, "gh pr edit exited with 1", true},
		"a remote that is not there":             {func(b *bench, _ *Set) { b.rule.Remote += "-gone" }, "git ls-remote exited with 128", false},
		"a commit that nobody has judged": {func(b *bench, s *Set) {
			s.Judged = b.git(b.top, "rev-parse", "HEAD")
			b.git(b.top, "commit", "-q", "--allow-empty", "-m", "mine")
		}, "somebody has committed to branch", false},
		"a secret that nobody had committed": {func(_ *bench, s *Set) { s.Hide = func(string) string { return "" } }, "code.go has a secret in it", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.show(b.set())
			b.write(filepath.Join(b.top, "code.go"), "package left\n")
			s := b.final("code.go")
			tt.does(b, &s)
			got := b.show(s)
			if !strings.Contains(got.Problem, tt.want) || (got.Commit != "") != tt.pushed {
				t.Errorf("shown: %+v", got)
			}
			if text := b.file("code.go"); text != "package left\n" {
				t.Errorf("left: %q", text)
			}
		})
	}
}

func TestFinalWorkThatWasCommittedAndNotPushedIsPushedLater(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(filepath.Join(b.top, "code.go"), "package left\n")
	s := b.final("code.go")
	s.Judged = b.git(b.top, "rev-parse", "HEAD")
	remote := b.rule.Remote
	b.rule.Remote += "-gone"
	if got := b.show(s); got.Problem == "" || b.git(b.top, "rev-parse", "HEAD~1") != s.Judged {
		t.Fatalf("shown: %+v", got)
	}
	b.rule.Remote = remote
	if got := b.show(s); got.Problem != "" || b.git(b.top, "rev-parse", "HEAD~1") != s.Judged || got.Commit != b.git(b.top, "rev-parse", "HEAD") {
		t.Errorf("shown: %+v", got)
	}
}

func TestWhatGitConvertsIsLeftToWhoCommitsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(filepath.Join(b.top, ".gitattributes"), "*.bin filter=lfs\n*.txt text=auto eol=lf\n")
	b.git(b.top, "add", "-A")
	b.git(b.top, "commit", "-qm", "attributes")
	b.write(filepath.Join(b.top, "large.bin"), "smudged\n")
	b.write(filepath.Join(b.top, "a.txt"), "plain\n")
	b.write(filepath.Join(b.top, "b.txt"), "of Windows\r\n")
	if got := b.show(b.final("large.bin", "a.txt", "b.txt")); got.Problem != "" {
		t.Fatalf("shown: %+v", got)
	}
	if got := b.git(b.top, "show", "--format=", "--name-status", "HEAD"); got != "A\ta.txt" {
		t.Errorf("the commit has %s", got)
	}
}

// A56, A60: an explicit repository, and nothing but what the settings name.
func TestWhatCannotBeShownIsSaidAndNothingIsPushed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		do      func(b *bench, s *Set)
		problem string // empty: nobody wanted it
	}{
		"a run about nothing":             {func(_ *bench, s *Set) { s.Issue = "" }, ""},
		"an issue of another repository":  {func(_ *bench, s *Set) { s.Issue = "owner/other#1" }, ""},
		"an issue without a repository":   {func(_ *bench, s *Set) { s.Issue = "#1" }, ""},
		"a rule without a draft":          {func(b *bench, _ *Set) { b.rule.Draft = false }, ""},
		"settings that cannot be read":    {func(b *bench, _ *Set) { b.p.cfg.Settings = nil }, ""},
		"no work tree of its own":         {func(_ *bench, s *Set) { s.Branch = "" }, "no work tree of its own (apctl run --worktree"},
		"a branch main":                   {func(_ *bench, s *Set) { s.Branch = "main" }, "not a branch of a run"},
		"another branch in the work tree": {func(b *bench, _ *Set) { b.git(b.top, "switch", "-q", "-c", "mine") }, "is not checked out any more"},
		"a history that was made anew":    {func(_ *bench, s *Set) { s.Start = strings.Repeat("1", 40) }, ""},
		"the default branch of the remote": {func(b *bench, _ *Set) {
			b.git(b.remote, "symbolic-ref", "HEAD", "refs/heads/"+branch)
			b.git(b.top, "push", "-q", b.remote, branch)
		}, "is the default branch of owner/name"},
		"a remote without any branch": {func(b *bench, _ *Set) { b.git(b.remote, "update-ref", "-d", "refs/heads/trunk") }, "no default branch yet"},
		"a remote that is not there":  {func(b *bench, _ *Set) { b.rule.Remote += "-gone" }, "git ls-remote exited with 128"},
		"a branch that others have moved": {func(b *bench, _ *Set) {
			other := b.git(b.top, "commit-tree", "-m", "other", b.start+"^{tree}")
			b.git(b.top, "push", "-q", b.remote, other+":refs/heads/"+branch)
		}, "git push exited with 1"},
		"an index that somebody holds": {func(b *bench, _ *Set) { b.write(b.git(b.top, "rev-parse", "--git-path", "index.lock"), "") }, "index.lock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.write(filepath.Join(b.top, "docs/plan.md"), "the plan\n")
			s := b.set()
			tc.do(b, &s)
			if b.p.cfg.Settings == nil {
				b.p.cfg.Settings = failing
			}
			before := b.git(b.remote, "for-each-ref")
			got := b.show(s)
			if got.Link != "" || !strings.Contains(got.Problem, tc.problem) || tc.problem == "" && got.Problem != "" && s.Start == b.start {
				t.Errorf("shown: %+v", got)
			}
			if after := b.git(b.remote, "for-each-ref"); after != before || b.read("calls") != "" {
				t.Errorf("the remote has\n%s\ngh is called\n%s", after, b.read("calls"))
			}
		})
	}
}

func failing() (notify.Settings, error) { return notify.Settings{}, errors.New("line 3") }

func TestWhatGHFailsAtIsSaid(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"login": "gh is not logged in", "odd": "names no pull request of owner/name", "none": "gh is not on the PATH"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.write(filepath.Join(b.gh, name), "")
			if name == "none" {
				if err := os.Remove(filepath.Join(b.gh, "gh")); err != nil {
					t.Fatal(err)
				}
			}
			if got := b.show(b.set()); got.Link != "" || !strings.Contains(got.Problem, want) {
				t.Errorf("shown: %+v", got)
			}
		})
	}
}

func TestNothingOfTheRepositoryIsAProgram(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	common := b.git(b.top, "rev-parse", "--path-format=absolute", "--git-common-dir")
	trap := filepath.Join(filepath.Dir(common), "trap")
	for _, hook := range []string{"pre-push", "pre-commit", "post-commit", "reference-transaction", "post-index-change"} {
		b.write(filepath.Join(common, "hooks", hook), "#!/bin/sh\ntouch '"+trap+"'\n")
	}
	script := filepath.Join(filepath.Dir(common), "trap.sh")
	b.write(script, "#!/bin/sh\ntouch '"+trap+"'\ncat\n")
	for key, value := range map[string]string{
		"core.fsmonitor": script, "filter.x.clean": script, "core.sshCommand": script, "credential.helper": script, "url./nowhere.insteadOf": b.remote,
	} {
		b.git(b.top, "config", key, value)
	}
	b.write(filepath.Join(b.top, "docs/.gitattributes"), "* filter=x\n")
	b.write(filepath.Join(b.top, "docs/plan.md"), "the plan\n")
	s := b.set()
	_ = os.Remove(trap) // of the git of the test
	if got := b.show(s); got.Link != link {
		t.Fatalf("shown: %+v", got)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program of the repository was started")
	}
	if got := b.git(b.remote, "show", branch+":docs/plan.md"); got != "the plan" {
		t.Errorf("pushed: %q", got)
	}
}

// A60 and the bounds of titles and bodies.
func TestATitleIsOneLineThatIsNoOption(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"# Search": "Search", "--web": "web", "a\r\nb\x00c\td": "a b c d", "": "Run r", " \n": "Run r", "\u202ea": "a", "要件: 検索": "要件: 検索",
		strings.Repeat("語", 300): strings.Repeat("語", 200),
	} {
		if got := title(Set{Run: "r", Title: in}); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := []rune(begin(strings.Repeat("語", 20_000)+"\x00", bodyRunes)); len(got) != 10_000 {
		t.Errorf("a body has %d signs", len(got))
	}
}

func TestWhoEndsMeanwhileIsToldNothingElse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := b.set()
	cancel()
	if got, err := b.p.Show(ctx, s); !errors.Is(err, context.Canceled) || got != (Shown{}) {
		t.Errorf("shown: %+v %v", got, err)
	}
}
