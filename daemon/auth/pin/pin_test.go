package pin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/auth/pin"
)

// clock is a time that a test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func open(t *testing.T) (*pin.Store, *clock, string) {
	t.Helper()
	c, dir := &clock{time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}, t.TempDir()
	return pin.Open(dir, c.now, 2), c, filepath.Join(dir, "pin.json")
}

func wants(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestAPINIsSetChangedAndRemovedByWhoKnowsIt(t *testing.T) {
	t.Parallel()
	s, _, path := open(t)
	wants(t, s.Check("1234"), pin.ErrNone)
	wants(t, s.Remove("1234"), pin.ErrNone)
	wants(t, s.Set("", "1234"), nil)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v %v", info.Mode(), err)
	}
	if b, _ := os.ReadFile(path); strings.Contains(string(b), "1234") {
		t.Errorf("the file holds the PIN: %s", b)
	}
	wants(t, s.Check("1234"), nil)
	wants(t, s.Set("4321", "5678"), pin.ErrWrong)
	wants(t, s.Set("1234", "5678"), nil)
	wants(t, s.Check("1234"), pin.ErrWrong)
	wants(t, s.Check("5678"), nil)
	wants(t, s.Remove("1234"), pin.ErrWrong)
	wants(t, s.Remove("5678"), nil)
	if st, err := s.Status(); err != nil || st.Set {
		t.Errorf("%+v %v", st, err)
	}
}

func TestAPINHasAForm(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	for _, bad := range []string{"", "123", "1234\n5", "12\x0034", "\xff\xff\xff\xff", strings.Repeat("1", 129)} {
		wants(t, s.Set("", bad), pin.ErrForm)
	}
	wants(t, s.Set("", "日本語だ"), nil)
}

// Who guesses has to wait, longer each time, and what is right does not count
// meanwhile. A daemon that starts anew forgets nothing of it.
func TestWrongTriesAreCountedOnTheDiskAndHaveToWait(t *testing.T) {
	t.Parallel()
	s, c, path := open(t)
	wants(t, s.Set("", "1234"), nil)
	for range 3 {
		wants(t, s.Check("0000"), pin.ErrWrong)
	}
	s = pin.Open(filepath.Dir(path), c.now, 2)
	var w *pin.WaitError
	if err := s.Check("1234"); !errors.As(err, &w) || w.Until.Sub(c.t) != 30*time.Second {
		t.Fatalf("after three: %v", err)
	}
	if st, err := s.Status(); err != nil || st.Wrong != 3 || !st.Until.Equal(w.Until) {
		t.Errorf("%+v %v", st, err)
	}
	c.t = w.Until
	wants(t, s.Check("0000"), pin.ErrWrong)
	if err := s.Check("1234"); !errors.As(err, &w) || w.Until.Sub(c.t) != time.Minute {
		t.Fatalf("after four: %v", err)
	}
	for range 8 {
		c.t = w.Until
		wants(t, s.Check("0000"), pin.ErrWrong)
		if err := s.Check("1234"); !errors.As(err, &w) || w.Until.Sub(c.t) > time.Hour {
			t.Fatalf("%v", err)
		}
	}
	c.t = w.Until
	wants(t, s.Check("1234"), nil)
	wants(t, s.Check("0000"), pin.ErrWrong)
	wants(t, s.Check("1234"), nil)
}

// A clock that was put back does not lock a person out for longer than the
// longest wait.
func TestAClockThatWasPutBackLocksNobodyOut(t *testing.T) {
	t.Parallel()
	s, c, _ := open(t)
	wants(t, s.Set("", "1234"), nil)
	for range 3 {
		wants(t, s.Check("0000"), pin.ErrWrong)
	}
	c.t = c.t.Add(-24 * time.Hour)
	wants(t, s.Check("1234"), nil)
}

func TestADamagedFileIsNoMissingPIN(t *testing.T) {
	t.Parallel()
	s, _, path := open(t)
	for _, bad := range []string{"", "{}", `{"v":2}`, `{"v":1,"n":9999999999,"r":8,"p":1,"salt":"AAAA","key":"AAAA"}`} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Check("1234"); err == nil || errors.Is(err, pin.ErrNone) || errors.Is(err, pin.ErrWrong) {
			t.Errorf("%q: %v", bad, err)
		}
		if err := s.Set("", "1234"); err == nil {
			t.Errorf("%q was replaced", bad)
		}
	}
}
