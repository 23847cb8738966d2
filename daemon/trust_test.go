package daemon

import (
	"errors"
	"os"
	"testing"

	"autopilot/daemon/auth"
	"autopilot/daemon/history/offline"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/chain"
	"autopilot/projections/host"
)

// seated is a request of who sits there.
func (s *site) seated() auth.Request {
	q := s.request()
	q.PID, q.Start, q.UID = proctest.SeatPID, proctest.SeatStart, os.Getuid()
	return q
}

// trustSite is a site with a person at a terminal and a project's file.
func trustSite(t testing.TB, text string) *site {
	t.Helper()
	s := newSite(t, map[string]string{".autopilot/config.yaml": text, "deep/er/file": "x"})
	s.d.Consent.People = proctest.Seat{}
	return s
}

func (s *site) show(dir string) wire.TrustView {
	s.t.Helper()
	v, err := s.d.Trust.Show(s.t.Context(), s.request(), wire.TrustRequest{Workspace: dir})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *site) give(hash, typed string) (wire.TrustView, error) {
	return s.d.Trust.Give(s.t.Context(), s.seated(), wire.TrustRequest{Workspace: s.work, Hash: hash, Typed: typed})
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

func TestTrustOutlivesTheDaemonAndIsProven(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: npm ci\n")
	s.trust()
	s.close()
	s.open()
	if v := s.show(s.work); !v.Trusted {
		t.Errorf("the next daemon: %+v", v)
	}
	proof, err := s.d.api.Verify(t.Context(), s.request(), wire.VerifyRequest{Every: true})
	if err != nil || len(proof.Problems) > 0 || proof.Rebuilt != 1 || proof.Events != 1 {
		t.Errorf("proof: %+v %v", proof, err)
	}
	forged, err := journal.Open(t.Context(), s.d.Journal, events.Host(s.d.HostID), journal.Fold[host.State]{
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
	s.d.HostLog = forged
	if proof, err = s.d.api.Verify(t.Context(), s.request(), wire.VerifyRequest{Every: true}); err != nil || len(proof.Problems) != 1 || proof.Problems[0].Aggregate != "host."+s.d.HostID {
		t.Errorf("a state that the events do not say: %+v %v", proof, err)
	}
	s.close()
	left, err := offline.Verify(t.Context(), s.cfg.Places)
	if err != nil || len(left.Problems) > 0 || left.Aggregates != 1 {
		t.Errorf("offline: %+v %v", left, err)
	}
}
