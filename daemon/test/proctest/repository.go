package proctest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

const noMaintenance = "[maintenance]\n\tauto = false\n"

// NoMaintenance lets a commit in a repository start no second git, which would look
// whether it should tidy up.
func NoMaintenance(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(noMaintenance)
	return errors.Join(err, f.Close())
}

// empty are the files of an empty repository, as the git of this host makes them, by path.
var empty = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "repository")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("git", "init", "-q", "--template=", "--initial-branch=master", dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range []string{"HEAD", "config"} {
		b, err := os.ReadFile(filepath.Join(dir, ".git", name))
		if err != nil {
			return nil, err
		}
		files[name] = b
	}
	files["config"] = append(files["config"], "[user]\n\tname = u\n\temail = u@x\n"+noMaintenance...)
	return files, nil
})

// Repository makes dir an empty repository on branch master, in which a user u@x commits.
// It starts no process but for the first one.
func Repository(t testing.TB, dir string) {
	t.Helper()
	files, err := empty()
	if err != nil {
		t.Fatalf("git init: %v", err)
	}
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, ".git", name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
