package chat

import (
	"testing"

	"autopilot/daemon/auth/person"
)

func TestHostsThatHaveEndedAreForgotten(t *testing.T) {
	t.Parallel()
	var h hosts
	for i := range 3 * mostHooked {
		h.note(person.Caller{PID: i}, "", func(c person.Caller) bool { return c.PID > i-10 })
		if len(h.known) > mostHooked {
			t.Fatalf("%d hosts are remembered", len(h.known))
		}
	}
	if !h.has(person.Process{PID: 3*mostHooked - 1}) || h.has(person.Process{PID: 1}) {
		t.Error("the latest is to be known, and the first is gone")
	}
	for i := range 3 * mostBeats {
		h.Beat(string(rune('a'+i)), "E", h.beats["x"].at, func(string) bool { return false })
	}
	if len(h.beats) > mostBeats {
		t.Errorf("%d beats are remembered", len(h.beats))
	}
}
