package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/bus"
	"autopilot/daemon/config"
	"autopilot/daemon/journal"
	"autopilot/daemon/offline"
	"autopilot/daemon/person"
	"autopilot/daemon/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/chain"
	"autopilot/projections/host"
)

// seat is a table of processes in which one sits at the terminal pts/3: the
// caller, unless it is away.
type seat struct{ away bool }

const seatPID, seatStart = 4711, 99

func (s seat) Process(pid int) (person.Process, error) {
	if pid != seatPID {
		return person.Process{}, errors.New("process is gone")
	}
	p := person.Process{PID: pid, Group: pid, Start: seatStart, UID: os.Getuid(), TTY: 136<<8 | 3, Foreground: pid}
	if s.away {
		p.TTY, p.Foreground = 0, -1
	}
	return p, nil
}

func (seat) Namespaces(int) (person.Namespaces, error) { return person.Namespaces{}, nil }

// seated is a request of who sits there.
func (s *site) seated() bus.Request {
	q := s.request()
	q.PID, q.Start, q.UID = seatPID, seatStart, os.Getuid()
	return q
}

// trustSite is a site with a person at a terminal and a project's file.
func trustSite(t testing.TB, text string) *site {
	t.Helper()
	s := newSite(t, map[string]string{".autopilot/config.yaml": text, "deep/er/file": "x"})
	s.d.consent.People = seat{}
	return s
}

func (s *site) show(dir string) wire.TrustView {
	s.t.Helper()
	v, err := s.d.trust.Show(s.t.Context(), s.request(), wire.TrustRequest{Workspace: dir})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *site) give(hash, typed string) (wire.TrustView, error) {
	return s.d.trust.Give(s.t.Context(), s.seated(), wire.TrustRequest{Workspace: s.work, Hash: hash, Typed: typed})
}

// trust lets the person agree to the file as it is.
func (s *site) trust() {
	s.t.Helper()
	hash := s.show(s.work).Hash
	if v, err := s.give(hash, hash[:6]); err != nil || !v.Trusted {
		s.t.Fatalf("%+v %v", v, err)
	}
}

func codeOf(err error) wire.Code {
	var e *wire.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

func TestAPersonTrustsAFileAndItsChange(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: npm ci\n")
	v := s.show(filepath.Join(s.work, "deep/er"))
	if v.Trusted || !strings.Contains(v.Diff, "+++ .autopilot/config.yaml\n") || !strings.Contains(v.Diff, "+setup: npm ci\n") || v.Before != "" {
		t.Fatalf("at first: %+v", v)
	}
	s.trust()
	v = s.show(s.work)
	if want := fmt.Sprintf("person:%d@%s/pts/3", os.Getuid(), s.d.host); !v.Trusted || v.By != want || v.Assured != "tty" || v.At == nil || v.Diff != "" {
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

func TestTrustOutlivesTheDaemonAndIsProven(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: npm ci\n")
	s.trust()
	s.close()
	s.open()
	if v := s.show(s.work); !v.Trusted {
		t.Errorf("the next daemon: %+v", v)
	}
	proof, err := s.d.verify(t.Context(), s.request(), wire.VerifyRequest{Every: true})
	if err != nil || len(proof.Problems) > 0 || proof.Rebuilt != 1 || proof.Events != 1 {
		t.Errorf("proof: %+v %v", proof, err)
	}
	forged, err := journal.Open(t.Context(), s.d.journal, events.Host(s.d.host), journal.Fold[host.State]{
		Evolve: func(st host.State, e events.Event) host.State {
			st = host.Evolve(st, e)
			st.Trusted = nil
			return st
		},
		Log: func(st *host.State) *chain.Log { return &st.Log },
	}, s.cfg.Log)
	if err != nil {
		t.Fatal(err)
	}
	s.d.hosts = forged
	if proof, err = s.d.verify(t.Context(), s.request(), wire.VerifyRequest{Every: true}); err != nil || len(proof.Problems) != 1 || proof.Problems[0].Aggregate != "host."+s.d.host {
		t.Errorf("a state that the events do not say: %+v %v", proof, err)
	}
	s.close()
	left, err := offline.Verify(t.Context(), s.cfg.Places)
	if err != nil || len(left.Problems) > 0 || left.Aggregates != 1 {
		t.Errorf("offline: %+v %v", left, err)
	}
}

func TestLinkedWorkTreesShareTrustAndOthersDoNot(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: npm ci\n")
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
		arrange func(s *site)
		typed   func(hash string) string
		code    wire.Code
		want    string
	}{
		"nothing typed":           {nil, func(string) string { return "" }, wire.NeedsPerson, "not the start"},
		"too little typed":        {nil, func(h string) string { return h[:5] }, wire.NeedsPerson, "not the start"},
		"the whole hash typed":    {nil, func(h string) string { return h }, wire.NeedsPerson, "not the start"},
		"nobody at the terminal":  {func(s *site) { s.d.consent.People = seat{away: true} }, nil, wire.NeedsPerson, "no terminal"},
		"a system that shows nil": {func(s *site) { s.d.consent.People = blind{} }, nil, wire.NeedsPerson, "does not show enough"},
		"a file that was changed": {func(s *site) { s.write(map[string]string{".autopilot/config.yaml": "setup: rm -rf /\n"}) }, nil, wire.Conflict, "has changed"},
		"a file that is gone":     {func(s *site) { s.remove(".autopilot/config.yaml") }, nil, wire.NotFound, "there is no"},
		"a record that is broken": {func(s *site) {
			s.d.hosts.Break()
		}, nil, wire.Failed, "not whole"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := trustSite(t, "setup: npm ci\n")
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
			if st := s.d.hosts.State(); st.Log.Seq != 0 {
				t.Errorf("stored: %+v", st)
			}
		})
	}
}

// blind is a system that shows nothing of a process.
type blind struct{}

func (blind) Process(int) (person.Process, error) { return person.Process{}, person.ErrUnsupported }

func (blind) Namespaces(int) (person.Namespaces, error) {
	return person.Namespaces{}, person.ErrUnsupported
}

func (s *site) remove(name string) {
	s.t.Helper()
	if err := os.Remove(filepath.Join(s.work, name)); err != nil {
		s.t.Fatal(err)
	}
}

func TestFilesThatNobodyCanTrust(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "")
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
		_, err := s.d.trust.Show(t.Context(), s.request(), wire.TrustRequest{Workspace: s.work})
		if codeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.remove(".autopilot/config.yaml")
	if _, err := s.d.trust.Show(t.Context(), s.request(), wire.TrustRequest{Workspace: s.work}); codeOf(err) != wire.NotFound {
		t.Errorf("no file: %v", err)
	}
	if _, err := s.d.trust.Show(t.Context(), s.request(), wire.TrustRequest{Workspace: t.TempDir()}); codeOf(err) != wire.Usage {
		t.Errorf("no work tree: %v", err)
	}
}

func TestWhatWasReadIsWhatIsTrusted(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: npm ci\n")
	ws, err := tree.Find(t.Context(), s.work)
	if err != nil {
		t.Fatal(err)
	}
	read := config.ReadProject(config.ProjectPath(ws.Path)).File
	if err := s.d.trust.Check(ws, read); codeOf(err) != wire.NeedsPerson {
		t.Errorf("at first: %v", err)
	}
	s.trust()
	s.write(map[string]string{".autopilot/config.yaml": "setup: rm -rf /\n"})
	if err := s.d.trust.Check(ws, read); err != nil {
		t.Errorf("the bytes that were read before the change: %v", err)
	}
	read = config.ReadProject(config.ProjectPath(ws.Path)).File
	if err := s.d.trust.Check(ws, read); codeOf(err) != wire.NeedsPerson {
		t.Errorf("the bytes after it: %v", err)
	}
	kept, err := s.d.blobs.Get(s.d.hosts.State().Trusted[repositoryOf(t, ws)][0].Config)
	if err != nil || string(kept) != "setup: npm ci\n" {
		t.Errorf("kept: %q %v", kept, err)
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

func TestARepeatedGiftOfTrustIsOne(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: npm ci\n")
	s.trust()
	s.trust()
	if st := s.d.hosts.State(); st.Log.Seq != 1 {
		t.Errorf("%d events", st.Log.Seq)
	}
}
