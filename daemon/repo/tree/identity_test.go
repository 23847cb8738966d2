package tree

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// plainGit runs the user's git as a user does.
func plainGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_DATE=2026-03-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-03-01T00:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func identity(t *testing.T, host, dir string) string {
	t.Helper()
	w, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	id, err := NewIdentities("", host, t.TempDir()).Of(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestClonesOfOneRepositoryHaveOneIdentity(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, name) }
	plainGit(t, base, "init", "-q", "one")
	one := at("one")
	if got, want := identity(t, "h1", one), one+"/.git@h1"; got != want {
		t.Errorf("without commits: %s, want %s", got, want)
	}
	plainGit(t, one, "commit", "-q", "--allow-empty", "-m", "first")
	root := identity(t, "h1", one)
	if len(root) != len("commit ")+40 || root != identity(t, "h2", one) {
		t.Errorf("without a remote: %s", root)
	}
	plainGit(t, one, "commit", "-q", "--allow-empty", "-m", "second")
	plainGit(t, one, "worktree", "add", "-q", "-b", "side", at("linked"))
	plainGit(t, base, "clone", "-q", "--bare", one, "bare.git")
	plainGit(t, base, "clone", "-q", at("bare.git"), "two")
	plainGit(t, base, "clone", "-q", "file://"+at("bare.git"), "three")
	plainGit(t, base, "clone", "-q", at("bare.git"), "four")
	plainGit(t, at("four"), "remote", "set-url", "origin", "../bare.git")
	plainGit(t, base, "clone", "-q", "--depth=1", "file://"+one, "shallow")
	plainGit(t, at("shallow"), "remote", "remove", "origin")
	for name, want := range map[string]string{
		"one": root, "linked": root,
		"two": at("bare.git") + "@h1", "three": at("bare.git") + "@h1", "four": at("bare.git") + "@h1",
		"shallow": at("shallow") + "/.git@h1", // its first commit is not there
	} {
		if got := identity(t, "h1", at(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}

	plainGit(t, at("two"), "remote", "set-url", "origin", "git@github.com:Owner/Name.git")
	plainGit(t, at("three"), "remote", "rename", "origin", "upstream")
	plainGit(t, at("three"), "remote", "set-url", "upstream", "https://me:secret@github.com/owner/name")
	plainGit(t, at("four"), "remote", "add", "fork", "https://github.com/me/name")
	plainGit(t, at("four"), "remote", "set-url", "origin", "ssh://git@github.com/owner/name.git")
	plainGit(t, one, "remote", "add", "a", "https://github.com/owner/name")
	plainGit(t, one, "remote", "add", "b", "https://github.com/me/name")
	for name, want := range map[string]string{
		"two": "github.com/owner/name", "three": "github.com/owner/name", "four": "github.com/owner/name",
		"one": root, "linked": root, // neither of two is the one that counts
	} {
		if got := identity(t, "h2", at(name)); got != want {
			t.Errorf("with remotes, %s: %s, want %s", name, got, want)
		}
	}
}

// No program that the configuration names is run, and no other file is read.
func TestTheConfigurationOfARepositoryIsOnlyRead(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plainGit(t, dir, "init", "-q")
	plainGit(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("[remote \"origin\"]\n\turl = https://github.com/not/this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plainGit(t, dir, "config", "include.path", other)
	plainGit(t, dir, "config", "core.fsmonitor", "touch "+filepath.Join(dir, "ran"))
	plainGit(t, dir, "config", "core.alternateRefsCommand", "touch "+filepath.Join(dir, "ran"))
	if got := identity(t, "h1", dir); len(got) != len("commit ")+40 {
		t.Errorf("%s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[remote \"origin\"\n\x00url"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := identity(t, "h1", dir); len(got) != len("commit ")+40 {
		t.Errorf("with a configuration that is none: %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a program of the configuration was run")
	}
}
