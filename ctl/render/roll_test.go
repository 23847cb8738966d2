package render

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

func TestTextsOfARoll(t *testing.T) {
	t.Parallel()
	texts := map[string]func(Style) string{
		"roll": func(s Style) string {
			return s.Rolled(wire.RollView{From: 1, To: 2, Runs: 1}) +
				s.Rolled(wire.RollView{From: 1, To: 2, Runs: 812, Carried: 3, DryRun: true}) +
				s.Rolled(wire.RollView{From: 1, To: 1, Carried: 3}) + Rolling()
		},
		"roll-faults": func(s Style) string {
			return s.Error(NotRolled("run k3xq event 7: another hash"+steering)) + s.Error(NotRolled("")) +
				s.Error(NotRestarted("systemctl: Failed to connect to bus"+steering))
		},
	}
	for name, text := range texts {
		for style, s := range styles {
			got := text(s)
			golden(t, name+"."+style, got)
			if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\u202e") {
				t.Errorf("%s lets controls through: %q", name, got)
			}
		}
	}
}
