package consent_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/auth/pin"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// empty is a host without processes.
type empty struct{}

func (empty) Process(int) (person.Process, error) {
	return person.Process{}, errors.New("process is gone")
}

func (empty) Namespaces(int) (person.Namespaces, error) { return person.Namespaces{}, nil }

// judge is of a host where that PIN is set; empty for none.
func judge(t *testing.T, set string) *consent.Judge {
	t.Helper()
	pins := pin.Open(t.TempDir(), time.Now, 2)
	if set != "" {
		if err := pins.Set("", set); err != nil {
			t.Fatal(err)
		}
	}
	return consent.New(empty{}, pins, person.Daemon{PID: os.Getpid(), UID: os.Getuid()}, "here")
}

// asking is a run that asks for approval of a set, with that assurance.
func asking(demanded events.Assurance) run.State {
	s := run.State{Question: &run.Question{}}
	s.Facts.Handle = "x7qk"
	s.Question.Kind, s.Question.Gate, s.Question.Set = events.AskApproval, "plan", "abcdef0123456789"
	s.Question.Assurance = demanded
	return s
}

func TestAnAnswerIsAsSureAsWhatWasGivenForIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set      string
		demanded events.Assurance
		typed    string
		pin      string
		want     events.Assurance
		says     string
	}{
		"what was shown, typed":       {"", "", "abcdef", "", events.AssuredTTY, ""},
		"in capitals":                 {"", events.AssuredTTY, "ABCDEF", "", events.AssuredTTY, ""},
		"something else, typed":       {"", "", "x7qk", "", "", "nothing was answered"},
		"nothing":                     {"", "", "", "", "", "nothing was answered"},
		"a PIN that nobody has set":   {"", "", "", "2468", "", "nothing was answered"},
		"the PIN":                     {"2468", events.AssuredPIN, "", "2468", events.AssuredPIN, ""},
		"what was shown, not the PIN": {"2468", "", "abcdef", "", "", "needs the PIN"},
		"a wrong PIN":                 {"2468", "", "abcdef", "1357", "", "the PIN is wrong"},
		"where a PIN is demanded":     {"", events.AssuredPIN, "abcdef", "", "", "none is set"},
		"where a signature is":        {"2468", events.AssuredSignature, "", "2468", "", "this host cannot give"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := judge(t, tt.set).ToAnswer(asking(tt.demanded), events.AssuredTTY, wire.AnswerRequest{Typed: tt.typed, PIN: tt.pin})
			if err == nil && got != tt.want || tt.says == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestNobodyWhoCannotBeProvenSetsAPIN(t *testing.T) {
	t.Parallel()
	j := judge(t, "")
	_, err := j.SetPIN(t.Context(), auth.Request{}, wire.PINRequest{New: "2468"})
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.NeedsPerson || j.HasPIN() {
		t.Errorf("%v, a PIN is set: %v", err, j.HasPIN())
	}
}
