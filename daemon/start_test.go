package daemon

import (
	"errors"
	"fmt"
	"testing"

	"autopilot/daemon/bus"
	"autopilot/daemon/store"
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
		{fmt.Errorf("read: %w", store.ErrMark), "autopilotd verify --offline   says what the event store holds. If it is whole, move that file away: the daemon makes another"},
		{&bus.LockedError{State: "/s"}, "another daemon is starting or stopping; try again in a moment"},
	} {
		if got := startError(c.err); got.Hint != c.want || got.Message != c.err.Error() {
			t.Errorf("%v: %+v, want the hint %q", c.err, got, c.want)
		}
	}
}
