package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/bus"
)

func TestABadSettingIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	for text, wants := range map[string][]string{
		"idle: 1h\ndurability: \"maybe\"\n": {`line 2, column 1: durability: "maybe" is not known: write power or process`, "> 2 | durability"},
		"quota: 1\n":                        {"line 1, column 8: quota: want text, found a number: write it as 64MiB or 4GiB"},
		"quota: lots\n":                     {`line 1, column 1: quota: "lots" is no size: write it as 64MiB or 4GiB`},
		"quota: 1MiB\n":                     {"line 1, column 1: quota: 1MiB is too small: write 16MiB or more"},
		"idle: -1h\n":                       {"line 1, column 7", "write 30s, 10m or 2h"},
		"qouta: 1GiB\n":                     {"line 1, column 1", `did you mean "quota"?`},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadSettings(path)
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		for _, want := range append(wants, path) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %q is not in\n%v", text, want, err)
			}
		}
	}
}

func TestTheHintFitsWhatFailedAtTheStart(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for _, c := range []struct {
		err  error
		want string
	}{
		{failed, "apctl daemon logs"},
		{&unlogged{failed, "correct the file"}, "correct the file"},
		{fmt.Errorf("start: %w", &unlogged{failed, ""}), ""},
		{&bus.LockedError{State: "/s"}, "another daemon is starting or stopping; try again in a moment"},
	} {
		if got := startError(c.err); got.Hint != c.want || got.Message != c.err.Error() {
			t.Errorf("%v: %+v, want the hint %q", c.err, got, c.want)
		}
	}
}
