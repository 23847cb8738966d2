package proc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const statTail = " 5 6 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99887 1 2"

func TestStatOfAnyNameIsParsed(t *testing.T) {
	t.Parallel()
	want := Process{PID: 42, Parent: 5, Group: 6, Session: 7, Start: 99887}
	for _, name := range []string{"sh", "a b", ") R 1 1 1 (", "((", "", "\n"} {
		got, err := parseStat([]byte("42 (" + name + ") S" + statTail))
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("name %q: %v %s", name, err, d)
		}
	}
	for _, bad := range []string{"", "42", "42 (sh) S 1 2", "x (sh) S" + statTail, "(sh) S" + statTail} {
		if got, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was parsed as %+v", bad, got)
		}
	}
}

func TestValueOfAVariable(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{
		"":                    "",
		"A=1\x00B=2\x00":      "1",
		"AA=1\x00A=2":         "2",
		"A":                   "",
		"B=A=1\x00\x00A=\x00": "",
	} {
		if got := value([]byte(environ), "A"); got != want {
			t.Errorf("%q: %q, want %q", environ, got, want)
		}
	}
}
