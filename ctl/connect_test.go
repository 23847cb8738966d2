package ctl

import (
	"errors"
	"testing"

	"autopilot/events/place"
)

func TestAHomeThatIsNotUsedIsSaid(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":        "note: HOME is not set; the home directory of your user entry is used: /home/p\n",
		"here":    "note: HOME is \"here\", which is no absolute path; the home directory of your user entry is used: /home/p\n",
		"/home/u": "",
	} {
		env := place.Env{
			Getenv: func(string) string { return said },
			Home:   func() (string, error) { return "/home/p", nil },
		}
		if got := otherHome(env); got != want {
			t.Errorf("HOME=%s: %q, want %q", said, got, want)
		}
		env.Home = func() (string, error) { return "", errors.New("no such user") }
		if got := otherHome(env); got != "" {
			t.Errorf("HOME=%s without an entry: %q", said, got)
		}
	}
}
