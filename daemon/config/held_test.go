package config_test

import (
	"errors"
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

// Where the folder of settings is a link, an effect can lead it elsewhere between two
// daemons. The next one does not read what is there until somebody takes it.
func TestALinkToSettingsThatLeadsElsewhereIsNotFollowed(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	link, note := filepath.Join(base, "config"), filepath.Join(base, "note")
	for name, idle := range map[string]string{"mine": "7m", "evil": "9m"} {
		dir := filepath.Join(base, name, "autopilot")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("idle: "+idle+"\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	leads := func(to string) {
		t.Helper()
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	daemon := func() config.UserFile {
		t.Helper()
		h := config.Hold(filepath.Join(link, "autopilot", "config.yaml"))
		defer h.Close()
		if err := h.Remember(note); err != nil {
			t.Fatal(err)
		}
		if f := h.Read(); (f.Err() == nil) != (h.Err() == nil) {
			t.Errorf("read: %v, held: %v", f.Err(), h.Err())
		}
		return h.Read()
	}
	reads := func(what, idle string) {
		t.Helper()
		if f := daemon(); f.Err() != nil || f.Idle.String() != idle {
			t.Errorf("%s: idle %v, %v", what, f.Idle, f.Err())
		}
	}
	leads("mine")
	reads("the first daemon", "7m0s")
	reads("the second", "7m0s")
	leads("evil")
	for range 2 { // it is not taken by being refused
		f := daemon()
		if err := f.Err(); err == nil || !strings.Contains(err.Error(), "rm "+note) || f.Source != nil || f.Idle != config.DefaultUser().Idle {
			t.Errorf("led elsewhere: idle %v, source %q, %v", f.Idle, f.Source, err)
		}
	}
	leads("mine")
	reads("the link led back", "7m0s")
	leads("evil")
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	reads("taken by a person", "9m0s")
}
