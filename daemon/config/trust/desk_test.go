package trust_test

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/auth/pin"
	"autopilot/daemon/config"
	"autopilot/daemon/config/trust"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/chain"
	"autopilot/projections/host"
)

// desk is a Keeper over a log in memory, a project, and a person at a terminal.
type desk struct {
	*trust.Keeper
	t      testing.TB
	work   string // the work tree
	flows  *trust.Flows
	hosts  *journal.Aggregate[host.State]
	blobs  *blob.Store
	people *consent.Judge
}

// newDesk has a work tree with that text as the project's file.
func newDesk(t testing.TB, text string) *desk {
	t.Helper()
	s := &desk{t: t, work: filepath.Join(t.TempDir(), "work")}
	s.write(map[string]string{".autopilot/config.yaml": text, "deep/er/file": "x"})
	if out, err := exec.Command("git", "init", "-q", s.work).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	var err, berr error
	s.hosts, err = journal.Open(t.Context(), journal.New(log.NewMemory(log.MemoryConfig{}), "here", time.Now), events.Host("here"), journal.Fold[host.State]{
		Evolve: host.Evolve, Log: func(st *host.State) *chain.Log { return &st.Log },
	}, slog.New(slog.DiscardHandler))
	if s.blobs, berr = blob.Open(t.TempDir(), blob.Process); errors.Join(err, berr) != nil {
		t.Fatal(err, berr)
	}
	nobody := func(int) (string, bool) { return "", false }
	s.people = consent.New(proctest.Seat{}, pin.Open(t.TempDir(), time.Now, 2), person.Daemon{PID: os.Getpid(), UID: os.Getuid(), Owner: nobody}, "here")
	s.Keeper = trust.New(trust.Config{
		Hosts: s.hosts, Blobs: s.blobs, People: s.people, Language: func() events.Language { return events.English },
	})
	s.flows = trust.NewFlows(s.Keeper, func(tree.Workspace) config.Layers { return config.Layers{} })
	return s
}

// blind is a system that shows nothing of a process.
type blind struct{}

func (blind) Process(int) (person.Process, error) { return person.Process{}, person.ErrUnsupported }

func (blind) Namespaces(int) (person.Namespaces, error) {
	return person.Namespaces{}, person.ErrUnsupported
}

func (s *desk) write(files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *desk) remove(name string) {
	s.t.Helper()
	if err := os.Remove(filepath.Join(s.work, name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *desk) show(dir string) wire.TrustView {
	s.t.Helper()
	v, err := s.Show(s.t.Context(), auth.Request{}, wire.TrustRequest{Workspace: dir})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *desk) give(hash, typed string) (wire.TrustView, error) {
	q := auth.Request{Identity: auth.Identity{PID: proctest.SeatPID, Start: proctest.SeatStart, UID: os.Getuid()}}
	return s.Give(s.t.Context(), q, wire.TrustRequest{Workspace: s.work, Hash: hash, Typed: typed})
}

// trust lets the person agree to the file as it is.
func (s *desk) trust() {
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
