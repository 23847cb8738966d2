package explain_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/explain"
)

// A run that must not wait for the machine says what one that waits says.
func TestAHaltInsteadOfAWaitForTheMachineNamesItsSignal(t *testing.T) {
	t.Parallel()
	stalls := events.Pressure{Of: "stall_memory_percent", Value: 41, Limit: 20}
	memory := events.Pressure{Of: "memory_available_bytes", Value: 2 << 30, Limit: 1 << 30}
	for _, tt := range []struct {
		halt events.RunHalted
		l    events.Language
		want string
	}{
		{
			events.RunHalted{Bound: "verdict", Used: 3, Limit: 2, Signal: stalls},
			events.English,
			"halted: the machine has no resources for more agents now (3 of 2 slots in use: memory stalls 41 %, limit 20 %), and the run must not wait",
		},
		{
			events.RunHalted{Bound: "memory", Used: 1, Limit: 1, Signal: memory},
			events.English,
			"halted: the machine has no resources for more agents now (1 of 1 slots in use: one more needs 1.0 GiB of memory above what stays free, and 2.0 GiB are available), and the run must not wait",
		},
		{
			events.RunHalted{Bound: "project", Used: 2, Limit: 2},
			events.English,
			"halted: the project's limit of agents is reached (2 of 2 agents of its project are at work, as resources.project.agents says), and the run must not wait",
		},
		{events.RunHalted{}, events.English, "halted: the machine has no resources for more agents now (other runs come first), and the run must not wait"},
		{
			events.RunHalted{Bound: "verdict", Used: 3, Limit: 2, Signal: stalls},
			events.Japanese,
			"停止: マシンに今これ以上のエージェントを動かす余裕がない (枠 3 / 2 使用中: メモリ待ち 41 %(基準 20 %))。待たない設定です",
		},
		{
			events.RunHalted{Bound: "project", Used: 2, Limit: 2},
			events.Japanese,
			"停止: プロジェクトのエージェント数の上限に到達 (プロジェクトのエージェント 2 / 2 稼働中(resources.project.agents))。待たない設定です",
		},
	} {
		tt.halt.Reason, tt.halt.Value = events.HaltLimit, string(events.LimitResources)
		s := halted(tt.halt)
		s.Facts.Language = tt.l
		if _, because := explain.Why(s); because != tt.want {
			t.Errorf("got  %s\nwant %s", because, tt.want)
		}
		if next := explain.Next(s); len(next) != 2 || next[0].Command != "apctl probe" || next[1].Command != "apctl resume k3xq" {
			t.Errorf("%+v", next)
		}
	}
}
