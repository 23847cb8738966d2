package tracker

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/test/proctest"
	"autopilot/events/wire"
)

// reader is a work tree with remotes, and a gh that is a script.
func reader(t *testing.T, gh string, remotes ...string) Reader {
	t.Helper()
	bin, dir := t.TempDir(), t.TempDir()
	if gh != "" {
		if err := proctest.WriteProgram(filepath.Join(bin, "gh"), "#!/bin/sh\n"+gh+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for i, r := range remotes {
		git("remote", "add", string(rune('a'+i)), r)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	return Reader{Dir: dir, Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + dir, "GH_REPO=evil/other", "GIT_DIR=/nowhere", "AUTOPILOT_STATE=x"}}
}

// Lesson A56: the repository is said, and never guessed among several.
func TestARepositoryIsTheOneOfTheRemotes(t *testing.T) {
	for _, tt := range []struct {
		remotes []string
		want    string
		several bool
	}{
		{[]string{"https://github.com/o/n.git"}, "o/n", false},
		{[]string{"git@github.com:o/n.dots.git"}, "o/n.dots", false},
		{[]string{"ssh://git@github.com/o/n"}, "o/n", false},
		{[]string{"ssh://git@ssh.github.com:443/o/n.git"}, "o/n", false},
		{[]string{"https://user:secret@github.com/o/n/"}, "o/n", false},
		{[]string{"https://github.com/o/n", "git@github.com:O/N.git", "/srv/backup.git"}, "o/n", false},
		{[]string{"https://github.com/me/n", "https://github.com/o/n"}, "", true},
		{[]string{"https://gitlab.com/o/n"}, "", false},
		{[]string{"https://github.com.evil.example/o/n"}, "", false},
		{nil, "", false},
	} {
		got, err := reader(t, "", tt.remotes...).Repository(t.Context())
		var several *SeveralError
		if got != tt.want || errors.As(err, &several) != tt.several || tt.want == "" && !tt.several && !errors.Is(err, ErrNoRepository) {
			t.Errorf("%q: %q %v", tt.remotes, got, err)
		}
	}
}

// Why the remotes could not be read is not the same as that there are none.
func TestRemotesThatCannotBeReadAreNotNone(t *testing.T) {
	r := reader(t, "", "https://github.com/o/n")
	if err := os.WriteFile(filepath.Join(r.Dir, ".git", "config"), []byte("[broken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Repository(t.Context()); err == nil || errors.Is(err, ErrNoRepository) || !strings.Contains(err.Error(), "bad config") {
		t.Errorf("a configuration that is broken: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := r.Repository(t.Context()); !errors.Is(err, exec.ErrNotFound) || errors.Is(err, ErrNoGh) {
		t.Errorf("no git: %v", err)
	}
}

// Lesson A60: what is read is one issue of the named repository, whole or not at all.
func TestATextIsThatOfTheIssueThatWasAskedFor(t *testing.T) {
	const answer = `cat <<'END'
{"title":" Greet \n people ","body":"By name.\r\n","url":"https://github.com/o/n/issues/24"}
END`
	issue := wire.Issue{Repository: "o/n", Number: 24}
	got, err := reader(t, `test "$*" = "issue view 24 --repo o/n --json title,body,url" && test -z "$GH_REPO$GIT_DIR$AUTOPILOT_STATE" && test -z "$(cat)" || exit 9; `+answer).Read(t.Context(), issue)
	if err != nil || got.Title != "Greet people" || got.Body != "By name.\r\n" {
		t.Fatalf("%+v %v", got, err)
	}
	task := got.Task()
	for _, want := range []string{"Greet people\n\n", "text of issue o/n#24, as others wrote it there (https://github.com/o/n/issues/24)", "\n\nBy name.\n"} {
		if !strings.Contains(task, want) {
			t.Errorf("the task is %s", task)
		}
	}
	if other := (Text{Issue: issue, Title: got.Title, URL: got.URL, Body: "By name!"}); len(got.Hash()) != 64 || other.Hash() == got.Hash() {
		t.Errorf("hash %s", got.Hash())
	}
	for name, tt := range map[string]struct {
		gh   string
		want error
	}{
		"another issue":       {strings.Replace(answer, "/24", "/25", 1), ErrMoved},
		"another repository":  {strings.Replace(answer, "com/o/n", "com/evil/n", 1), ErrMoved},
		"a pull address":      {strings.Replace(answer, "https", "javascript", 1), ErrMoved},
		"a flood":             {"head -c 3000000 /dev/zero", ErrTooLong},
		"a long text":         {`printf '{"title":"t","url":"https://github.com/o/n/issues/24","body":"'; head -c 70000 /dev/zero | tr '\0' x; echo '"}'`, ErrTooLong},
		"nobody is logged in": {"exit 4", ErrNoLogin},
		"no gh":               {"", ErrNoGh},
		"no such issue":       {"echo 'GraphQL: Could not resolve' >&2; exit 1", nil},
		"no JSON":             {"echo nothing", nil},
		"no title":            {strings.Replace(answer, `" Greet \n people "`, `"  "`, 1), nil},
	} {
		_, err := reader(t, tt.gh).Read(t.Context(), issue)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "no such issue" && !strings.Contains(err.Error(), "Could not resolve") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
