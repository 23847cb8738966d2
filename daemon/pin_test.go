package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/auth/pin"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// drifting is a run that was halted by drift, with its pinned file put back: from
// then on its agent does what is asked.
func (s *site) drifting() run.State {
	s.t.Helper()
	s.write(map[string]string{"check.sh": "#!/bin/sh\ntest -f ok\n"})
	st := s.play(s.spec("./check.sh", `if test -f back; then touch ok; else printf '#!/bin/sh\nexit 0\n' > check.sh; fi`))
	s.wants(st, "halted:drift")
	s.write(map[string]string{"check.sh": "#!/bin/sh\ntest -f ok\n", "back": "x"})
	return st
}

func (s *site) resumeAs(st run.State, typed, pin string) error {
	_, err := s.d.api.RunResume(s.t.Context(), s.seated(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Typed: typed, PIN: pin})
	return err
}

// setPIN sets a PIN where none is set.
func (s *site) setPIN(text string) {
	s.t.Helper()
	s.must(pin.Open(s.cfg.Places.State, time.Now, 2).Set("", text))
}

// dataOf are the events of a run.
func (s *site) dataOf(id string) []events.Data {
	s.t.Helper()
	var out []events.Data
	for stored, err := range s.d.Log.Read(s.t.Context(), events.Run(id), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, stored.Event.Data)
	}
	return out
}

// A run that has changed what proves its work goes on once a person at a terminal
// says so: its pins stay, and done needs them as they were.
func TestAPersonResumesAfterDrift(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.drifting()
	s.d.Consent.People = proctest.Seat{Away: true}
	if err := s.resumeAs(st, st.Facts.Handle, ""); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "a person at a terminal") {
		t.Errorf("nobody at a terminal: %v", err)
	}
	s.d.Consent.People = proctest.Seat{}
	if err := s.resumeAs(st, "yes", ""); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "nothing was resumed") {
		t.Errorf("another word: %v", err)
	}
	s.must(s.resumeAs(st, st.Facts.Handle, ""))
	s.wants(s.until(st.ID, settled), "done")
	var by []events.Assurance
	for _, d := range s.dataOf(st.ID) {
		if r, ok := d.(events.RunResumed); ok {
			by = append(by, r.Assurance)
		}
	}
	if !slices.Equal(by, []events.Assurance{events.AssuredTTY}) {
		t.Errorf("resumed by %v", by)
	}
}

// Where a PIN is set, every decision needs it, and is recorded with it. Of each
// one that is wrong nothing comes, and after three the next has to wait.
func TestDecisionsNeedThePINWhereOneIsSet(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.d.Consent.People = proctest.Seat{}
	over := s.play(s.spec("test -f one", "touch one"))
	s.wants(over, "done")
	drift := s.drifting()
	s.write(map[string]string{".autopilot/config.yaml": "setup: 'true'\n"})
	const pin = "2468"
	_, err := s.d.Consent.SetPIN(t.Context(), s.seated(), wire.PINRequest{New: pin})
	s.must(err)
	v := s.show(s.work)
	if !v.PIN {
		t.Errorf("nobody is told that trust asks for it: %+v", v)
	}
	if v, err := s.erase(over.ID, ""); err != nil || !v.PIN {
		t.Errorf("nobody is told that erase asks for it: %+v %v", v, err)
	}
	decisions := map[string]func(typed, pin string) error{
		"trust": func(typed, pin string) error {
			_, err := s.d.Trust.Give(t.Context(), s.seated(), wire.TrustRequest{Workspace: s.work, Hash: v.Hash, Typed: typed, PIN: pin})
			return err
		},
		"erase": func(typed, pin string) error {
			_, err := s.d.Removal.Erase(t.Context(), s.seated(), wire.EraseRequest{RunRef: wire.RunRef{Run: over.ID}, Typed: typed, PIN: pin})
			return err
		},
		"resume": func(typed, pin string) error { return s.resumeAs(drift, typed, pin) },
	}
	typed := map[string]string{"trust": wire.Challenge(v.Hash), "erase": over.Facts.Handle, "resume": drift.Facts.Handle}
	for name, decide := range decisions {
		if err := decide(typed[name], ""); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "needs the PIN") {
			t.Errorf("%s by what is shown: %v", name, err)
		}
		if err := decide("", "1357"); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "the PIN is wrong") {
			t.Errorf("%s with a wrong PIN: %v", name, err)
		}
	}
	if err := decisions["trust"]("", pin); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "the next try is possible from") {
		t.Errorf("after three wrong ones: %v", err)
	}
	if s.show(s.work).Trusted || s.state(drift.ID).Status != run.Halted {
		t.Error("something was decided")
	}
	s.must(os.Remove(filepath.Join(s.cfg.Places.State, "pin.json"))) // as who has forgotten it does
	_, err = s.d.Consent.SetPIN(t.Context(), s.seated(), wire.PINRequest{New: pin})
	s.must(err)
	for _, name := range []string{"trust", "erase", "resume"} {
		s.must(decisions[name]("", pin))
	}
	s.wants(s.until(drift.ID, settled), "done")
	var got []events.Assurance
	for _, d := range slices.Concat(s.facts(), s.dataOf(over.ID), s.dataOf(drift.ID)) {
		switch d := d.(type) {
		case events.ConfigTrusted:
			got = append(got, d.Assurance)
		case events.RunErased:
			got = append(got, d.Assurance)
		case events.RunResumed:
			got = append(got, d.Assurance)
		}
	}
	if len(got) != 3 || slices.ContainsFunc(got, func(a events.Assurance) bool { return a != events.AssuredPIN }) {
		t.Errorf("recorded as %v", got)
	}
}
