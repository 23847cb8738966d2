package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/history/offline"
	"autopilot/events/wire"
)

func TestABundleThatIsGoneIsNamed(t *testing.T) {
	t.Parallel()
	s, from := newSite(t, nil), newSite(t, nil)
	s.play(s.spec("test -f ok", "touch ok"))
	s.roll()
	from.play(from.spec("test -f ok", "touch ok"))
	path, _ := from.exported(wire.ExportRequest{})
	if _, err := s.d.Imports.Take(t.Context(), s.request(), wire.ImportRequest{Path: path}); err != nil {
		t.Fatal(err)
	}
	s.allWell()
	list := s.d.Archive.Bundles()
	if len(list) != 2 {
		t.Fatalf("%d bundles", len(list))
	}
	for _, f := range list {
		keep := filepath.Join(t.TempDir(), "keep")
		if err := os.Rename(f.Path, keep); err != nil {
			t.Fatal(err)
		}
		s.oneBundleGone(string(f.SHA256))
		if err := syscall.Mkfifo(f.Path, 0o600); err != nil {
			t.Fatal(err)
		}
		s.oneBundleGone(string(f.SHA256))
		if err := os.Rename(keep, f.Path); err != nil {
			t.Fatal(err)
		}
	}
	s.allWell()
	if err := os.Remove(list[0].Path); err != nil {
		t.Fatal(err)
	}
	s.close()
	v, err := offline.Verify(t.Context(), s.cfg.Places)
	if err != nil || len(v.Problems) != 1 {
		t.Errorf("offline: %+v %v", v.Problems, err)
	}
	s.open()
}

func (s *site) oneBundleGone(sum string) {
	s.t.Helper()
	v, err := s.d.api.Verify(s.t.Context(), s.request(), wire.VerifyRequest{Every: true})
	if err != nil || len(v.Problems) != 1 || v.Problems[0].Aggregate != "host."+s.d.HostID || !strings.Contains(v.Problems[0].What, sum) {
		s.t.Errorf("without %s: %+v %v", sum, v.Problems, err)
	}
}

func TestAnOfflineExportReplacesNothingButAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.play(s.spec("test -f ok", "touch ok"))
	s.close()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pipe, filepath.Dir(pipe)} {
		var out, errs strings.Builder
		code := offline.ExportMain(t.Context(), "test", []string{"--offline", "--state", s.cfg.Places.State, "-y", "-o", file}, &out, &errs)
		if code != wire.ExitUsage || !strings.Contains(errs.String(), "not a regular file") {
			t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe is %v now, %v", info, err)
	}
	s.open()
}
