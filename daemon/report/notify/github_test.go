package notify

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/test/proctest"
	"autopilot/events/wire"
)

// fakeGH is a gh that keeps what it is called with below its directory, and
// fails as the file fail there says, each line once.
const fakeGH = `#!/bin/sh
cd "$(dirname "$0")"
printf '%s\n' "$*" >> calls
echo "$GH_TOKEN $GH_PROMPT_DISABLED $HOME" > env
case "$1 $2" in
"issue comment")
	cat > in.$$
	cp in.$$ in
	how=$(head -n 1 fail 2>/dev/null)
	sed -i 1d fail 2>/dev/null
	case "$how" in
	"" | posted*) cat in.$$ >> comments ;;
	esac
	case "$how" in
	login) echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4 ;;
	rate) echo 'HTTP 403: API rate limit exceeded' >&2; exit 1 ;;
	"posted wait") until test -e go; do sleep 0.01; done ;;
	hang | "posted hang") sleep 300 ;;
	much) head -c 3000000 /dev/zero | tr '\0' x; echo ' the end'; exit 1 ;;
	esac ;;
"api --method")
	test -e unreachable && { echo 'error connecting to api.github.com' >&2; exit 1; }
	key=$(printf '%s' "$*" | sed 's/.*contains("\(.*\)").*/\1/')
	grep -qF -- "$key" comments && echo 1 ;;
esac
exit 0
`

// withGH is a bench whose PATH has a fake gh first.
func withGH(t *testing.T, timing Timing, fail string, rules ...Rule) (b *bench, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"gh": fakeGH, "fail": fail, "calls": "", "comments": ""} {
		if err := proctest.WriteProgram(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
	b = newBench(t, timing, rules...)
	b.n.Close()
	b.cfg.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "GH_TOKEN=tok-0123456789abcdefXYZ", "HOME=" + b.cfg.Home}
	b.open()
	return b, dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// of is a notice of a run that is about an issue.
func (b *bench) of(i int, k Kind, issue string) Notice {
	n := b.notice(i, k)
	view := *n.View
	view.Issue = issue
	n.View, n.Comment = &view, "what `gh` is told"
	return n
}

func TestARunIsToldOfAtItsIssueByTheUsersOwnGH(t *testing.T) {
	t.Parallel()
	b, dir := withGH(t, quick(), "", Rule{On: []string{"needs_person"}, GitHub: "owner/name"})
	n := b.of(1, NeedsPerson, "Owner/Name#24")
	n.Comment = "the token is tok-0123456789abcdefXYZ"
	b.add(n, b.of(2, NeedsPerson, "owner/other#7"), b.of(3, NeedsPerson, ""), b.of(4, Done, "owner/name#24"))
	b.settled()
	if got := read(t, dir, "calls"); got != "issue comment 24 --repo owner/name --body-file -\n" {
		t.Errorf("called as %q", got)
	}
	if got := read(t, dir, "in"); !strings.Contains(got, mark(n.Key)) || strings.Contains(got, "tok-01") || !strings.HasPrefix(got, "the token is ") {
		t.Errorf("it was told %q", got)
	}
	if got := read(t, dir, "env"); got != "tok-0123456789abcdefXYZ 1 "+b.cfg.Home+"\n" {
		t.Errorf("its environment is %q", got)
	}
}

func TestARuleWithAnIssueTellsOfRunsWithoutOne(t *testing.T) {
	t.Parallel()
	b, dir := withGH(t, quick(), "", Rule{GitHub: "owner/name#5"})
	b.add(b.of(1, Done, ""), b.of(2, Done, "owner/name#24"), b.of(3, Done, "owner/other#5"), b.of(4, Done, "#5"))
	b.settled()
	got := read(t, dir, "calls")
	if strings.Count(got, "comment ") != 2 || !strings.Contains(got, "comment 5 ") || !strings.Contains(got, "comment 24 ") {
		t.Errorf("called as %q", got)
	}
}

func TestADigestIsOfOneIssue(t *testing.T) {
	t.Parallel()
	timing := quick()
	timing.Burst, timing.Gather, timing.GatherMost = 1, 50*time.Millisecond, time.Second
	b, dir := withGH(t, timing, "", Rule{GitHub: "owner/name"})
	plain := b.of(2, Halted, "owner/name#1")
	plain.Comment = ""
	b.add(b.of(1, Done, "owner/name#1"), plain, b.of(3, Done, "owner/name#2"))
	b.settled()
	if got := read(t, dir, "calls"); strings.Count(got, "comment 1 ") != 1 || strings.Count(got, "comment 2 ") != 1 {
		t.Errorf("called as %q", got)
	}
	if got := read(t, dir, "comments"); !strings.Contains(got, "2 notices: 1 halted, 1 done") || strings.Contains(got, "3 notices") {
		t.Errorf("told %q", got)
	}
	b.n.mu.Lock()
	defer b.n.mu.Unlock()
	if len(b.n.rules) != 0 {
		t.Errorf("%d senders are left of issues with nothing to tell", len(b.n.rules))
	}
	b.n.box.tidy(b.cfg.Now().Add(time.Hour), timing)
	if len(b.n.box.Rules) != 0 {
		t.Errorf("queues are left: %v", b.n.box.Rules)
	}
}

func TestADigestHasWholeCommentsWhereTheyFit(t *testing.T) {
	t.Parallel()
	timing := quick()
	timing.Burst, timing.Gather, timing.GatherMost = 1, 50*time.Millisecond, time.Second
	b, dir := withGH(t, timing, "", Rule{GitHub: "owner/name"})
	asks, done := b.of(1, NeedsPerson, "owner/name#1"), b.of(2, Done, "owner/name#1")
	asks.Comment, done.Comment = "what is asked", "what came of it"
	b.add(asks, done)
	b.settled()
	if got := read(t, dir, "comments"); !strings.HasPrefix(got, "what is asked\n***\n\nwhat came of it\n<!-- autopilot digest-") {
		t.Errorf("told %q", got)
	}
	long := batch{}
	for range 5 {
		long.add(Notice{Comment: strings.Repeat("x", 10<<10)}, time.Now())
	}
	if long.comments() != "" {
		t.Error("a comment grows without bound")
	}
}

func TestWhatGHFailsAtIsTriedAgainAndNeverDoubled(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, fail string
		comments   int
		failed     int
		logged     string
	}{
		{"limited for a while", "rate\nrate\n", 1, 0, "API rate limit exceeded"},
		{"limited for ever", strings.Repeat("rate\n", 20), 0, 1, "gh exited with 1: HTTP 403"},
		{"nobody is logged in", "login\n", 0, 1, "gh is not logged in"},
		{"hangs", "hang\n", 1, 0, "gh took longer than 3s"},
		{"hangs when the comment is there", "posted hang\n", 1, 0, "gh took longer than 3s"},
		{"cannot say whether it is there", "unreachable\nposted hang\n", 1, 1, "error connecting"},
		{"prints 3 MB", "much\n", 1, 0, "the end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			timing := quick()
			if timing.GitHub = time.Minute; strings.Contains(tc.fail, "hang") {
				timing.GitHub = 3 * time.Second // a busy machine has to reach the hang within it
			}
			b, dir := withGH(t, timing, tc.fail, Rule{GitHub: "o/n"})
			if strings.HasPrefix(tc.fail, "unreachable") {
				err := errors.Join(os.WriteFile(filepath.Join(dir, "unreachable"), nil, 0o600), os.WriteFile(filepath.Join(dir, "fail"), []byte("posted hang\n"), 0o600))
				if err != nil {
					t.Fatal(err)
				}
			}
			n := b.of(1, Done, "o/n#1")
			b.add(n)
			b.settled()
			if got := strings.Count(read(t, dir, "comments"), mark(n.Key)); got != tc.comments {
				t.Errorf("%d comments, want %d; called\n%s", got, tc.comments, read(t, dir, "calls"))
			}
			if v, _ := b.n.Status(); v.Failed != tc.failed {
				t.Errorf("status %+v", v)
			}
			b.logged(tc.logged)
			if len(b.log.String()) > 20<<10 {
				t.Errorf("the log has %d bytes", len(b.log.String()))
			}
		})
	}
}

func TestWithoutGHItIsSaidWhatToDo(t *testing.T) {
	t.Parallel()
	b, dir := withGH(t, quick(), "", Rule{GitHub: "o/n"})
	b.n.Close()
	b.cfg.Env = []string{"PATH=" + filepath.Join(dir, "none")}
	b.open()
	b.add(b.of(1, Done, "o/n#1"))
	b.settled()
	b.logged("gh is not on the PATH of the daemon")
}

func TestACommentIsMadeOnceThoughTheDaemonDies(t *testing.T) {
	t.Parallel()
	timing := quick()
	timing.GitHub = time.Minute
	b, dir := withGH(t, timing, "posted wait\n", Rule{GitHub: "o/n"})
	n := b.of(1, Done, "o/n#1")
	b.add(n)
	b.until("nothing is posted", func() bool { return strings.Contains(read(t, dir, "comments"), mark(n.Key)) })
	b.n.Close() // gh goes on; the next daemon finds it, and its end
	b.open()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.settled()
	if got := strings.Count(read(t, dir, "comments"), mark(n.Key)); got != 1 {
		t.Errorf("%d comments", got)
	}
}

func TestARuleForIssuesIsTestedWithoutOneByLookingAtTheRepository(t *testing.T) {
	t.Parallel()
	b, dir := withGH(t, quick(), "", Rule{GitHub: "o/n"}, Rule{GitHub: "o/n#24"})
	got, err := b.n.Test(t.Context(), "", "x")
	if err != nil || len(got) != 2 || !got[0].OK || !got[1].OK || !strings.Contains(got[0].Note, "--issue") || got[1].Rule != "2: github o/n#24" {
		t.Fatal(got, err)
	}
	if calls := read(t, dir, "calls"); !strings.Contains(calls, "api repos/o/n --silent") || !strings.Contains(calls, "issue comment 24 --repo o/n") {
		t.Errorf("called as %q", calls)
	}
	if text := read(t, dir, "in"); !strings.Contains(text, "this is a test of apctl notify test") {
		t.Errorf("told %q", text)
	}
}

func TestAnIssueOfWhichTheRepositoryIsNotSaidIsOfTheOnlyOne(t *testing.T) {
	t.Parallel()
	s := Settings{Rules: []Rule{{GitHub: "o/n#3"}, {Bell: true}, {GitHub: "O/N"}, {GitHub: "o/m"}}}
	if got := strings.Join(s.Repositories(), " "); got != "o/n o/m" {
		t.Errorf("got %s", got)
	}
	view := wire.RunView{Issue: "o/m#1"}
	b := newBench(t, quick(), Rule{GitHub: "o/m", On: []string{"done"}})
	if !b.n.Comments(Done, view) || b.n.Comments(Halted, view) || b.n.Comments(Done, wire.RunView{}) {
		t.Error("a comment is wanted where no rule makes one, or the other way round")
	}
}
