package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
)

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
		{fmt.Errorf("read: %w", filestore.ErrMark), "autopilotd verify --offline   says what the event store holds; with --reseal it is taken as it is from now on"},
		{fmt.Errorf("read: %w", errHost), "move that file away: the daemon makes another name, and asks anew what is trusted"},
		{&bus.LockedError{State: "/s"}, "another daemon is starting or stopping; try again in a moment"},
	} {
		if got := startError(c.err); got.Hint != c.want || got.Message != c.err.Error() {
			t.Errorf("%v: %+v, want the hint %q", c.err, got, c.want)
		}
	}
}

func TestAHostKeepsItsNameOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	path := filepath.Join(state, "host")
	first, err := hostID(state)
	if again, err2 := hostID(state); err != nil || err2 != nil || again != first {
		t.Fatalf("named %q, then %q: %v %v", first, again, err, err2)
	}
	for _, text := range []string{first[:13], "two words", first + "\n", "\x00\xff"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if id, err := hostID(state); !errors.Is(err, errHost) {
			t.Errorf("%q is the name %q, %v", text, id, err)
		}
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := hostID(state); !errors.Is(err, errHost) {
		t.Errorf("a directory: %v", err)
	}
}
