package ctl

import (
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/events/place"
	"autopilot/events/wire"
)

func TestAStatusLineWithoutADaemon(t *testing.T) {
	t.Parallel()
	was := func(daemon string, ago time.Duration, live int) *wire.LineView {
		return &wire.LineView{
			Daemon: daemon, At: noon.Add(-ago), Counts: wire.Counts{Live: live, Running: live, Halted: 1, Done: 2},
			Usage: wire.UsageSum{MicroUSD: 1_000_000},
		}
	}
	for name, c := range map[string]struct {
		left *wire.LineView
		want string
	}{
		"nothing is known":                   {nil, "ap: off\n"},
		"it has ended":                       {was("idle", time.Hour, 0), "ap idle: 1 halted, 2 done, $1.00\n"},
		"it has ended long ago":              {was("idle", 25*time.Hour, 0), "ap idle: 1 halted\n"},
		"it has ended while agents worked":   {was("idle", time.Hour, 1), "ap off: 1 halted, 1 running, 2 done, $1.00 (1h old)\n"},
		"it was there when it was seen last": {was("on", time.Hour, 0), "ap off: 1 halted, 2 done, $1.00 (1h old)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil, "status", "--line")
			p := place.Places{Runtime: t.TempDir()}
			w.FindPlaces = func() (place.Places, error) { return p, nil }
			if c.left != nil {
				b, err := json.Marshal(c.left)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p.LineFile(), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code(t, w, wire.ExitDone)
			if w.out.String() != c.want {
				t.Errorf("%q, want %q", w.out.String(), c.want)
			}
		})
	}
}
