package team

import (
	"errors"
	"log/slog"
	"testing"
	"time"
)

func untold() *Team {
	return New(Config{Log: slog.New(slog.DiscardHandler), Now: time.Now})
}

// looked is a look that was answered: the log ends at head.
func (t *Team) looked(tb testing.TB, head uint64) {
	t.aim(head)
	t.note(tb.Context(), nil)
	t.reached(0)
}

func (t *Team) toldReady() bool {
	select {
	case <-t.ready:
		return true
	default:
		return false
	}
}

// Whoever asks before all is known is never told that nothing is claimed.
func TestATeamIsKnownOnceAllIsHeard(t *testing.T) {
	t.Parallel()
	tm := untold()
	is := func(what string, known, ever bool) {
		t.Helper()
		if tm.Known() != known || tm.Heard() != ever {
			t.Errorf("%s: known %v, ever %v", what, tm.Known(), tm.Heard())
		}
	}
	is("nobody was asked", false, false)
	tm.reached(3) // the log is quicker than the look
	is("something was heard", false, false)
	tm.looked(t, 7)
	is("the log ends behind what was heard", false, false)
	tm.reached(6)
	is("one event is missing", false, false)
	if tm.toldReady() {
		t.Error("it was said to be ready")
	}
	tm.reached(7)
	is("all was heard", true, true)
	if !tm.toldReady() {
		t.Error("nobody was told")
	}
	tm.looked(t, 9)
	is("what has come since the last look may be on its way", true, true)
	tm.looked(t, 9)
	is("but not for longer than to the next one", false, true)
	tm.reached(9)
	is("it came late", true, true)
	tm.note(t.Context(), errors.New("no majority"))
	is("nobody answers", false, true)
	tm.reached(9)
	is("an event that was still on its way", false, true)
	tm.looked(t, 12)
	is("it answers, and others have written", false, true)
	tm.reached(12)
	is("that was heard too", true, true)
	tm.afresh()
	is("it is another log", false, true)
	tm.reached(2)
	is("of which nobody knows where it ends", false, true)
	tm.looked(t, 2)
	is("and of which all was heard", true, true)
}

func TestAnEmptyLogIsKnownAtTheFirstLook(t *testing.T) {
	t.Parallel()
	tm := untold()
	tm.looked(t, 0)
	if !tm.Known() {
		t.Error("it is not known")
	}
	select {
	case <-tm.Tried():
	default:
		t.Error("it was not tried")
	}
}
