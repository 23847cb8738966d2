package gate_test

import (
	"testing"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// Seeds 3.6 AL-2: what was approved is compared at every iteration.
func TestAnAnchorBreaksWhenAnApprovedFileIsChangedRemovedOrJoined(t *testing.T) {
	t.Parallel()
	approved := map[string]string{"docs/a.md": "1", "docs/b.md": "2"}
	for name, tt := range map[string]struct {
		approved, now map[string]string
		reason        events.Reason
		files         string
	}{
		"as it was":        {approved, map[string]string{"docs/a.md": "1", "docs/b.md": "2"}, events.ReasonUnchanged, ""},
		"changed":          {approved, map[string]string{"docs/a.md": "9", "docs/b.md": "2"}, events.ReasonPinChanged, "docs/a.md\n"},
		"removed":          {approved, map[string]string{"docs/a.md": "1"}, events.ReasonPinChanged, "docs/b.md\n"},
		"joined":           {approved, map[string]string{"docs/a.md": "1", "docs/b.md": "2", "docs/c.md": "3"}, events.ReasonPinChanged, "docs/c.md\n"},
		"nothing approved": {nil, nil, events.ReasonMissing, "docs/**\n"},
		"written later":    {nil, map[string]string{"docs/a.md": "1"}, events.ReasonPinChanged, "docs/a.md\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, texts := gate.Anchor("a", []string{"docs/**"}, tt.approved, tt.now)
			if r.Reason != tt.reason || texts.Files != tt.files || (r.Verdict == events.Pass) != (tt.files == "") {
				t.Errorf("%s, %s, %q", r.Verdict, r.Reason, texts.Files)
			}
		})
	}
}
