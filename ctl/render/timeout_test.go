package render

import (
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

func TestOnlyLimitsThatAreNotTheDefaultAreSaid(t *testing.T) {
	t.Parallel()
	usual := wire.Timeouts{IdleMS: 720_000, AttemptMS: 7_200_000, GateMS: 1_800_000}
	for want, c := range map[string]struct {
		t      wire.Timeouts
		driver bool
	}{
		"": {t: usual},
		"silence of an agent up to 5m, one agent up to 1h30m, one command of a gate up to 90h":              {t: wire.Timeouts{IdleMS: 300_000, AttemptMS: 5_400_000, GateMS: 324_000_000}},
		"silence of an agent without a limit, one agent without a limit, one command of a gate up to 300ms": {t: wire.Timeouts{IdleMS: -1, AttemptMS: -1, GateMS: 300}},
		"one command of a gate up to 1m": {t: wire.Timeouts{IdleMS: 1, AttemptMS: 1, GateMS: 60_000}, driver: true},
	} {
		if got := (Style{}).timeouts(c.t, c.driver); got != want {
			t.Errorf("%+v: %q, want %q", c.t, got, want)
		}
	}
	if got := (Style{}).timeouts(wire.Timeouts{}, false); got != "" {
		t.Errorf("a run of an older version: %q", got)
	}
	v := wire.RunView{Handle: "k3xq", Workspace: "/w", Iterations: 3, Timeouts: wire.Timeouts{IdleMS: 60_000}, Language: string(events.Japanese)}
	if got, want := (Style{}).Began(v), "k3xq  /w で開始\n  終了: 3 回のイテレーションまで\n  制限: エージェントの無応答は 1m まで\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
