package gate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/projections/rule"
)

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// write makes a file below dir, with its folders.
func write(t *testing.T, dir, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func mkdir(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// stage is a machine in a folder: a user's home, a workspace, the daemon's
// state, and two directories of programs.
type stage struct {
	t                            *testing.T
	home, work, state, bin, sbin string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t}
	for name, dir := range map[string]*string{"home": &s.home, "work": &s.work, "state": &s.state, "bin": &s.bin, "sbin": &s.sbin} {
		*dir = mkdir(t, filepath.Join(root, name))
	}
	return s
}

func (s *stage) program(dir, name, text string) string {
	s.t.Helper()
	return write(s.t, dir, name, "#!/bin/sh\n"+text+"\n", 0o755)
}

func (s *stage) request(commands ...string) PinRequest {
	r := PinRequest{
		Workspace: s.work,
		Home:      filepath.Join(s.state, "home"),
		Cache:     filepath.Join(s.state, "cache"),
		ClientEnv: []string{"HOME=" + s.home, "PATH=" + s.bin + ":" + s.sbin},
	}
	for _, c := range commands {
		r.Commands = append(r.Commands, rule.Command{Text: c})
	}
	return r
}

func (s *stage) pin(commands ...string) Pinned {
	s.t.Helper()
	return s.pinAs(s.request(commands...))
}

func (s *stage) pinAs(r PinRequest) Pinned {
	s.t.Helper()
	p, err := Pin(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *stage) check(p Pinned) []ToolChange {
	s.t.Helper()
	changes, err := p.CheckTools()
	if err != nil {
		s.t.Fatal(err)
	}
	return changes
}
