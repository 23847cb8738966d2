package trust_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
)

func TestAPersonTrustsAFileAndItsChange(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "setup: npm ci\n")
	v := s.show(filepath.Join(s.work, "deep/er"))
	if v.Trusted || !strings.Contains(v.Diff, "+++ .autopilot/config.yaml\n") || !strings.Contains(v.Diff, "+setup: npm ci\n") || v.Before != "" {
		t.Fatalf("at first: %+v", v)
	}
	s.trust()
	v = s.show(s.work)
	if want := fmt.Sprintf("person:%d@here/pts/3", os.Getuid()); !v.Trusted || v.By != want || v.Assured != "tty" || v.At == nil || v.Diff != "" {
		t.Fatalf("trusted: %+v", v)
	}
	s.write(map[string]string{".autopilot/config.yaml": "setup: npm ci --force\n"})
	first := events.Ref(v.Hash)
	if v = s.show(s.work); v.Trusted || v.Before != first || !strings.Contains(v.Diff, "-setup: npm ci\n+setup: npm ci --force\n") {
		t.Fatalf("changed: %+v", v)
	}
	s.trust()
	s.write(map[string]string{".autopilot/config.yaml": "setup: npm ci\n"})
	if v = s.show(s.work); !v.Trusted {
		t.Errorf("back at what was trusted: %+v", v)
	}
}

func TestLinkedWorkTreesShareTrustAndOthersDoNot(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "setup: npm ci\n")
	s.trust()
	other, clone := filepath.Join(t.TempDir(), "other"), filepath.Join(t.TempDir(), "clone")
	for _, args := range [][]string{
		{"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "one"},
		{"worktree", "add", "-q", other},
		{"clone", "-q", s.work, clone},
	} {
		if out, err := exec.Command("git", append([]string{"-C", s.work}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v %s", args, err, out)
		}
	}
	if v := s.show(other); !v.Trusted {
		t.Errorf("a linked work tree: %+v", v)
	}
	if v := s.show(clone); v.Trusted || v.Before != "" {
		t.Errorf("a clone: %+v", v)
	}
}

func TestTrustThatIsNotGiven(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrange func(s *desk)
		typed   func(hash string) string
		code    wire.Code
		want    string
	}{
		"nothing typed":           {nil, func(string) string { return "" }, wire.NeedsPerson, "not the start"},
		"too little typed":        {nil, func(h string) string { return h[:5] }, wire.NeedsPerson, "not the start"},
		"the whole hash typed":    {nil, func(h string) string { return h }, wire.NeedsPerson, "not the start"},
		"nobody at the terminal":  {func(s *desk) { s.people.People = proctest.Seat{Away: true} }, nil, wire.NeedsPerson, "no terminal"},
		"a system that shows nil": {func(s *desk) { s.people.People = blind{} }, nil, wire.NeedsPerson, "does not show enough"},
		"a file that was changed": {func(s *desk) { s.write(map[string]string{".autopilot/config.yaml": "setup: rm -rf /\n"}) }, nil, wire.Conflict, "has changed"},
		"a file that is gone":     {func(s *desk) { s.remove(".autopilot/config.yaml") }, nil, wire.NotFound, "there is no"},
		"a record that is broken": {func(s *desk) {
			s.hosts.Break()
		}, nil, wire.Failed, "not whole"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newDesk(t, "setup: npm ci\n")
			hash := s.show(s.work).Hash
			typed := hash[:6]
			if c.typed != nil {
				typed = c.typed(hash)
			}
			if c.arrange != nil {
				c.arrange(s)
			}
			if _, err := s.give(hash, typed); codeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", codeOf(err), err)
			}
			if st := s.hosts.State(); st.Log.Seq != 0 {
				t.Errorf("stored: %+v", st)
			}
		})
	}
}

func TestFilesThatNobodyCanTrust(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "")
	path := filepath.Join(s.work, ".autopilot", "config.yaml")
	for name, c := range map[string]struct {
		text string
		code wire.Code
		want string
	}{
		"no UTF-8":        {"setup: \"\xff\"\n", wire.Usage, "UTF-8"},
		"an unknown key":  {"setpu: npm ci\n", wire.Usage, "setpu"},
		"a mebibyte":      {"# " + strings.Repeat("x", 1<<20), wire.Usage, "bytes"},
		"a NUL":           {"setup: \"a\x00b\"\n", wire.Usage, ""},
		"no YAML":         {"setup: [\n", wire.Usage, "config.yaml"},
		"two documents":   {"setup: a\n---\nsetup: b\n", wire.Usage, "document"},
		"another content": {"gates: 7\n", wire.Usage, "gates"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Show(t.Context(), auth.Request{}, wire.TrustRequest{Workspace: s.work})
		if codeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.remove(".autopilot/config.yaml")
	if _, err := s.Show(t.Context(), auth.Request{}, wire.TrustRequest{Workspace: s.work}); codeOf(err) != wire.NotFound {
		t.Errorf("no file: %v", err)
	}
	if _, err := s.Show(t.Context(), auth.Request{}, wire.TrustRequest{Workspace: t.TempDir()}); codeOf(err) != wire.Usage {
		t.Errorf("no work tree: %v", err)
	}
}

func TestWhatWasReadIsWhatIsTrusted(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "setup: npm ci\n")
	ws, err := tree.Find(t.Context(), s.work)
	if err != nil {
		t.Fatal(err)
	}
	read := config.ReadProject(config.ProjectPath(ws.Path)).File
	if err := s.Check(ws, read); codeOf(err) != wire.NeedsPerson {
		t.Errorf("at first: %v", err)
	}
	s.trust()
	s.write(map[string]string{".autopilot/config.yaml": "setup: rm -rf /\n"})
	if err := s.Check(ws, read); err != nil {
		t.Errorf("the bytes that were read before the change: %v", err)
	}
	read = config.ReadProject(config.ProjectPath(ws.Path)).File
	if err := s.Check(ws, read); codeOf(err) != wire.NeedsPerson {
		t.Errorf("the bytes after it: %v", err)
	}
	kept, err := s.blobs.Get(s.hosts.State().Trusted[repositoryOf(t, ws)][0].Config)
	if err != nil || string(kept) != "setup: npm ci\n" {
		t.Errorf("kept: %q %v", kept, err)
	}
}

func TestARepeatedGiftOfTrustIsOne(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "setup: npm ci\n")
	s.trust()
	s.trust()
	if st := s.hosts.State(); st.Log.Seq != 1 {
		t.Errorf("%d events", st.Log.Seq)
	}
}

func repositoryOf(t *testing.T, ws tree.Workspace) string {
	t.Helper()
	id, err := ws.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return id
}
