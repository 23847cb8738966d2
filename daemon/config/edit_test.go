package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/config"
	"autopilot/events/wire"
)

func TestAnEditMakesTheFileItNeeds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "config.yaml")
	for _, c := range []struct {
		edit config.Edit
		want string
	}{
		{config.Edit{Key: "setup", Unset: true}, ""},
		{config.Edit{Key: "setup", Value: "a: b # c"}, "setup: \"a: b # c\"\n"},
		{config.Edit{Key: "worktree", Value: "true"}, "setup: \"a: b # c\"\nworktree: true\n"},
		{config.Edit{Key: "limits.until", Value: "07:00"}, "setup: \"a: b # c\"\nworktree: true\nlimits:\n  until: \"07:00\"\n"},
		{config.Edit{Key: "limits.until", Unset: true}, "setup: \"a: b # c\"\nworktree: true\n"},
		{config.Edit{Key: "setup", Unset: true}, "worktree: true\n"},
		{config.Edit{Key: "gates.t", Value: `{artifact: [a, "b c"]}`}, "worktree: true\ngates:\n  t: {artifact: [a, \"b c\"]}\n"},
	} {
		c.edit.Path = path
		if err := c.edit.Write(); err != nil {
			t.Fatalf("%+v: %v", c.edit, err)
		}
		got, err := os.ReadFile(path)
		if string(got) != c.want || (c.want != "" && err != nil) {
			t.Errorf("%+v: %q, want %q", c.edit, got, c.want)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestAnEditThatCannotBeIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	const before = "setup: x\nlimits: {\n  for: 1h, # a\n}\n"
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edit config.Edit
		want string
	}{
		{config.Edit{Key: "setups"}, `no setting "setups"`},
		{config.Edit{Key: "limits", Value: "1"}, "is a group of settings"},
		{config.Edit{Key: "gates", Value: "1"}, "is a group of settings"},
		{config.Edit{Key: "agents.mine", Value: "1"}, "no setting"},
		{config.Edit{Key: "", Value: "1"}, "no setting"},
		{config.Edit{Key: "gates.", Value: "1"}, "no setting"},
		{config.Edit{Key: "quota", Value: "1GiB"}, "belongs in the user's file"},
		{config.Edit{Key: "worktree", Value: "maybe"}, "worktree: want true or false, found text"},
		{config.Edit{Key: "protect", Value: "[a"}, "the value of protect cannot be read"},
		{config.Edit{Key: "gates.A", Value: "x"}, `"A" is not a valid name`},
		{config.Edit{Key: "limits.for", Value: "2h"}, "is laid out in a way that is only changed by hand"},
		{config.Edit{Key: "setup", Value: "a\x00b"}, "NUL"},
	} {
		c.edit.Path = path
		err := c.edit.Write()
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != wire.Usage || !strings.Contains(e.Message, c.want) {
			t.Errorf("%+v: %v, want %q", c.edit, err, c.want)
		}
	}
	if got, _ := os.ReadFile(path); string(got) != before {
		t.Errorf("the file is %q", got)
	}
}

func TestAnEditKeepsTheModeOfTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := (config.Edit{Path: path, User: true, Key: "idle", Value: "1h"}).Write(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
