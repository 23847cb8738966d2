package phrase_test

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/phrase"
)

const gib = 1 << 30

// TestWhatHoldsAnAgentBackIsNamed is of field reports B.4, 67: how many of how many
// slots, and the signal with its value.
func TestWhatHoldsAnAgentBackIsNamed(t *testing.T) {
	t.Parallel()
	low := events.Pressure{Of: "memory_available_bytes", Value: 3 * gib / 2, Limit: 2 * gib}
	for _, tt := range []struct {
		name        string
		held        phrase.Held
		says, short string
		ja, briefly string
	}{
		{
			"stalls",
			phrase.Held{By: "verdict", Used: 3, Slots: 6, Signal: events.Pressure{Of: "stall_memory_percent", Value: 41, Limit: 20}},
			"3 of 6 slots in use: memory stalls 41 %, limit 20 %", "3/6 slots: memory stalls 41 %",
			"枠 3 / 6 使用中: メモリ待ち 41 %(基準 20 %)", "枠 3/6: メモリ待ち 41 %",
		},
		{
			"a critical machine",
			phrase.Held{By: "verdict", Signal: low},
			"it is critical: memory available 1.5 GiB, limit 2.0 GiB", "critical: memory available 1.5 GiB",
			"危険な状態: 利用可能メモリ 1.5 GiB(基準 2.0 GiB)", "危険な状態: 利用可能メモリ 1.5 GiB",
		},
		{
			"one that was critical a moment ago",
			phrase.Held{By: "verdict"},
			"it is critical, until the machine is calm for a minute", "critical", "危険な状態。1分間安定するまで", "危険な状態",
		},
		{
			"memory for no more",
			phrase.Held{By: "memory", Used: 4, Slots: 4, Signal: events.Pressure{Of: "memory_available_bytes", Value: 5 * gib / 2, Limit: gib}},
			"4 of 4 slots in use: one more needs 1.0 GiB of memory above what stays free, and 2.5 GiB are available", "4/4 slots: memory",
			"枠 4 / 4 使用中: 追加にはメモリ 1.0 GiB が必要、利用可能は 2.5 GiB", "枠 4/4: メモリ",
		},
		{
			"a bound of the user",
			phrase.Held{By: "max", Used: 2, Slots: 2},
			"2 of 2 slots in use, as resources.agents says", "2/2 slots", "枠 2 / 2 使用中(resources.agents)", "枠 2/2",
		},
		{
			"one of the project",
			phrase.Held{By: "project", Used: 1, Slots: 1},
			"1 of 1 agents of its project are at work, as resources.project.agents says", "1/1 agents of the project",
			"プロジェクトのエージェント 1 / 1 稼働中(resources.project.agents)", "プロジェクトの枠 1/1",
		},
		{"others", phrase.Held{}, "other runs come first", "resources", "先に待っている実行あり", "リソース"},
		{"slots alone, as an older version stored it", phrase.Held{Used: 2, Slots: 2}, "2 of 2 slots in use", "2/2 slots", "枠 2 / 2 使用中", "枠 2/2"},
	} {
		english, japanese := events.English, events.Japanese
		for _, c := range [][2]string{{tt.held.Says(english), tt.says}, {tt.held.Short(english), tt.short}, {tt.held.Says(japanese), tt.ja}, {tt.held.Short(japanese), tt.briefly}} {
			if c[0] != c[1] {
				t.Errorf("%s: %q, want %q", tt.name, c[0], c[1])
			}
		}
	}
}

// TestEachSignalHasWords: of every policy, in both languages.
func TestEachSignalHasWords(t *testing.T) {
	t.Parallel()
	bad := judge.Reading{
		Cores: judge.Known(1), Load1: judge.Known(9), Load5: judge.Known(9), MemoryAvailable: judge.Known(1), SwapUsed: judge.Known(9 * gib), StallMemory: judge.Known(99),
		StallMemoryFull: judge.Known(0), StallIOFull: judge.Known(99), OpenFiles: judge.Known(99), OpenFilesLimit: judge.Known(100),
		DiskStore: judge.Known(0), DiskWork: judge.Known(0), Peers: judge.Known(9),
	}
	worse, worst := bad, bad
	worse.MemoryFreePercent, worse.StallMemoryFull, worse.Load5, worse.Peers, worse.Agents = judge.Known(1), judge.Known(99), judge.Known(8), judge.Num{}, judge.Known(99)
	worst.MemoryAvailable, worst.MemoryFree = judge.Num{}, judge.Known(1)
	seen := map[string]bool{}
	for _, r := range []judge.Reading{bad, worse, worst} {
		for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
			for _, s := range judge.Judge(r, p, judge.Defaults()).Signals {
				seen[s.Of] = true
				for _, l := range []events.Language{events.English, events.Japanese} {
					text := phrase.Signal(l, events.Pressure{Of: events.Name(s.Of), Value: int64(s.Value), Limit: int64(s.Limit)})
					if strings.Contains(text, "_") || s.Unit == judge.Bytes != strings.Contains(text, "B") || s.Unit == judge.Percent != strings.Contains(text, "%") {
						t.Errorf("%s in %s: %q", s.Of, l, text)
					}
				}
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("%d signals were seen: %v", len(seen), seen)
	}
}
