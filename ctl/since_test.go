package ctl

import (
	"testing"
	"time"
)

func TestSinceIsASpanADayOrATimeThatIsOver(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("X", 2*3600)
	for value, want := range map[string]string{
		"7d": "2025-12-26T14:00:00", "90m": "2026-01-02T12:30:00", "today": "2026-01-02T00:00:00", " yesterday ": "2026-01-01T00:00:00",
		"2025-12-31": "2025-12-31T00:00:00", "2025-12-31 08:30": "2025-12-31T08:30:00", "13:59": "2026-01-02T13:59:00", "14:01": "2026-01-01T14:01:00",
		"": "", "soon": "", "0d": "", "-3h": "", "2026-01-03": "", "2026-13-01": "", "9999999d": "",
	} {
		got, err := parseSince(value, noon, zone)
		if want == "" {
			if err == nil {
				t.Errorf("%q is read as %v", value, got)
			}
			continue
		}
		if s := got.In(zone).Format("2006-01-02T15:04:05"); err != nil || s != want {
			t.Errorf("%q is %s (%v), want %s", value, s, err, want)
		}
	}
}
