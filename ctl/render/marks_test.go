package render

import (
	"fmt"
	"testing"

	"autopilot/events/wire"
)

// In one line of a run of many gates those are named that failed.
func TestOfManyGatesThoseThatFailedAreNamed(t *testing.T) {
	t.Parallel()
	var gates []wire.GateView
	for i := range 9 {
		gates = append(gates, wire.GateView{Name: fmt.Sprintf("g%d", i), Verdict: "pass"})
	}
	gates[7].Verdict, gates[8].Verdict = "fail", ""
	if got := (Style{}).marks(gates); got != "✗ g7 ✓ 7/9" {
		t.Error(got)
	}
	if got := (Style{}).marks(gates[6:]); got != "✓ g6 ✗ g7 ○ g8" {
		t.Error(got)
	}
}
