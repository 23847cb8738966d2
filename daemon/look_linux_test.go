package daemon

import (
	"testing"

	"autopilot/events"
)

// Every session that looks is held to reading, also where who works may write.
func TestWhoLooksCannotWriteToTheWork(t *testing.T) {
	t.Parallel()
	s := flowSite(t, boundFlow)
	st := s.lookFlow(events.SandboxGuard)
	s.wants(st, "done")
	looks := 0
	for _, d := range s.dataOf(st.ID) {
		if l, is := d.(events.RoleEnded); is {
			if looks++; l.Void != "" || l.Agent.Sandbox != events.SandboxReadOnly {
				t.Errorf("the look of %s: %q, in %q", l.Role, l.Void, l.Agent.Sandbox)
			}
		}
	}
	if looks != 2 {
		t.Errorf("%d looks, want one of each role", looks)
	}
	if text := s.read("n"); text != "1\n" {
		t.Errorf("n is %q", text)
	}
}
