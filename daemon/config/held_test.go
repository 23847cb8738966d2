package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/config"
)

// What is put in the place of the folder of settings is not read, and said to be there;
// a folder that was moved away is read on.
func TestSettingsAreReadFromTheFolderOfTheStart(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "autopilot")
	path := filepath.Join(dir, "config.yaml")
	write := func(path, idle string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("idle: "+idle+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := config.Hold(path)
	defer h.Close()
	reads := func(what, idle string) {
		t.Helper()
		if f := h.Read(); f.Err() != nil || f.Idle.String() != idle {
			t.Errorf("%s: idle %v, %v", what, f.Idle, f.Err())
		}
	}
	reads("no file", config.DefaultUser().Idle.String())
	write(path, "7m")
	reads("a first file", "7m0s")
	write(path+".new", "8m")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	reads("a file that an editor put in its place", "8m0s")
	if err := os.Rename(dir, dir+".x"); err != nil {
		t.Fatal(err)
	}
	reads("the folder moved away", "8m0s")
	write(path, "9m")
	f := h.Read()
	if err := f.Err(); err == nil || !strings.Contains(err.Error(), "another folder is in the place") || f.Idle == 0 || f.Idle.String() == "9m0s" || h.Err() == nil {
		t.Errorf("another folder: idle %v, %v", f.Idle, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".x", dir); err != nil {
		t.Fatal(err)
	}
	reads("the folder brought back", "8m0s")
	if err := os.Symlink("/nonexistent", path+".link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".link", path); err != nil {
		t.Fatal(err)
	}
	if f := h.Read(); f.Err() == nil {
		t.Error("a link that leads nowhere is taken for no file")
	}
	none := config.Hold("")
	if f := none.Read(); f.Err() != nil || f.Exists || none.Close() != nil {
		t.Errorf("no place: %v", f.Err())
	}
}
