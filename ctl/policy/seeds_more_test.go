package policy

import (
	"fmt"
	"strings"
	"testing"
)

// three are three sessions of a mode, with what they completed.
func three(mode, completion string) string {
	one := fmt.Sprintf(`{"session_type":%q,"effectiveness":{"completion_rate":%s}}`, mode, completion)
	return `"recentSessions":[` + strings.Join([]string{one, one, one}, ",") + `]`
}

// Seeds 2.3, a row each; S1, S2, S33; Q18.
func TestSeeds23Modes(t *testing.T) {
	t.Parallel()
	of := func(members string) string { return `{"signals":{` + members + `}}` }
	alone := `"recommendedMode":"deep"`
	check(t, []row{
		{"no signals", "mode", `{"signals":null}`, `{"mode":"feature","confidence":0,"alternatives":[],"context_pressure":{"level":"low"}}`},
		{"undefined signals", "mode", `{"signals":{"$":"undefined"}}`, `{"mode":"feature","confidence":0}`},
		{"the member is left out", "mode", `{}`, `!signals is missing`},
		{"1: spiral", "mode", of(`"completionRate":0.49,"carryoverRatio":0.9,` + alone), `{"mode":"plan-retro","confidence":0.8,"alternatives":[{"mode":"feature","confidence":0.3},{"mode":"discovery","confidence":0.25}]}`},
		{"1: half a session does not count", "mode", of(`"completionRate":0.5,"carryoverRatio":0.3`), `{"mode":"deep","confidence":0.75,"alternatives":[{"mode":"feature","confidence":0.3},{"mode":"plan-retro","confidence":0.2}]}`},
		{"1: a text is no number", "mode", of(`"completionRate":"0.1"`), `{"mode":"feature","confidence":0}`},
		{"1: nor is NaN", "mode", of(`"completionRate":{"$":"NaN"}`), `{"mode":"feature","confidence":0}`},
		{"2: below", "mode", of(`"carryoverRatio":0.29`), `{"mode":"feature","confidence":0,"alternatives":[]}`},
		{"3: alone", "mode", of(alone), `{"mode":"deep","confidence":0.5,"alternatives":[]}`},
		{"3: an unknown mode", "mode", of(`"recommendedMode":"turbo"`), `{"mode":"feature","confidence":0}`},
		{"3: capital letters", "mode", of(`"recommendedMode":"Deep"`), `{"mode":"feature","confidence":0}`},
		{"3: a mode that is a number", "mode", of(`"recommendedMode":7`), `{"mode":"feature","confidence":0}`},
		{"trend, complete", "mode", of(alone + "," + three("deep", "0.9")), `{"mode":"deep","confidence":0.65}`},
		{"trend, less complete", "mode", of(alone + "," + three("deep", "0.89")), `{"mode":"deep","confidence":0.58}`},
		{"trend, unknown completion counts as 0", "mode", of(alone + "," + three("deep", "null")), `{"mode":"deep","confidence":0.58}`},
		{"two sessions make no trend", "mode", of(alone + `,"recentSessions":[{"session_type":"deep"},{"session_type":"deep"}]`), `{"mode":"deep","confidence":0.5}`},
		{"null in place of a session breaks it", "mode", of(alone + `,"recentSessions":[{"session_type":"deep"},null,{"session_type":"deep"}]`), `{"confidence":0.5}`},
		{"tier that fits", "mode", of(alone + `,"bootstrapLock":{"tier":"deep"}`), `{"mode":"deep","confidence":0.6}`},
		{"tier of another mode; the other one wins", "mode", of(alone + `,"bootstrapLock":{"tier":"fast"}`), `{"mode":"housekeeping","confidence":0.6,"alternatives":[{"mode":"deep","confidence":0.4},{"mode":"feature","confidence":0.4},{"mode":"discovery","confidence":0.4}]}`},
		{"an unknown tier", "mode", of(alone + `,"bootstrapLock":{"tier":"huge"}`), `{"mode":"deep","confidence":0.5}`},
		{"learnings", "mode", of(alone + `,"learnings":[{"type":"effective-sizing","subject":"DEEP works"}]`), `{"mode":"deep","confidence":0.55}`},
		{"learnings, at most 0.1", "mode", of(alone + `,"learnings":[{"type":"effective-sizing","subject":"deep"},{"type":"scope-guidance","subject":"deep"},{"type":"scope-guidance","subject":"deep"}]`), `{"mode":"deep","confidence":0.6}`},
		{"learnings of another type", "mode", of(alone + `,"learnings":[{"type":"note","subject":"deep"},7]`), `{"mode":"deep","confidence":0.5}`},
		{"carryover weighs on all but deep", "mode", of(`"recommendedMode":"evolve","carryoverRatio":0.2`), `{"mode":"evolve","confidence":0.4}`},
		{"and not on deep", "mode", of(alone + `,"carryoverRatio":0.2`), `{"mode":"deep","confidence":0.5}`},
		{"low pressure speaks for feature", "mode", of(`"recommendedMode":"feature","topPriorities":[]`), `{"mode":"feature","confidence":0.55,"context_pressure":{"level":"low","score":0}}`},
		{"medium does not", "mode", of(`"recommendedMode":"feature","topPriorities":[1,2,3,4,5,6]`), `{"mode":"feature","confidence":0.5,"context_pressure":{"level":"medium","score":0.3}}`},
		{"high speaks against it", "mode", of(`"recommendedMode":"feature","topPriorities":[1,2,3,4,5,6,7,8,9],"taskDescriptionText":"a Massive Refactor"`), `{"mode":"feature","confidence":0.35,"context_pressure":{"level":"high","score":0.75},"rationale":"recommended by the session before: feature; pressure:high(0.75)"}`},
		{"and against housekeeping", "mode", of(`"recommendedMode":"housekeeping","topPriorities":[1,2,3,4,5,6,7,8,9],"taskDescriptionText":"repo-wide"`), `{"mode":"housekeeping","confidence":0.4}`},
		{"scope is at most a half", "mode", of(`"topPriorities":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]`), `{"context_pressure":{"level":"medium","score":0.5}}`},
		{"what was carried over, at most a quarter", "mode", of(`"recentSessions":[{"effectiveness":{"planned_issues":2,"carryover":2}}]`), `{"context_pressure":{"level":"low","score":0.25}}`},
		{"no pressure is known", "mode", of(`"recommendedMode":"feature"`), `{"confidence":0.5}`},
		{"S1: the best is the primary", "mode", of(alone + "," + three("feature", "0.95")), `{"mode":"feature","confidence":0.7,"rationale":"feature (0.7) outranks the recommended deep (0.4)"}`},
		{"S1: a tie keeps the recommendation", "mode", of(alone + `,"bootstrapLock":{}`), `{"mode":"deep","confidence":0.5,"alternatives":[{"mode":"housekeeping","confidence":0.5},{"mode":"feature","confidence":0.5},{"mode":"discovery","confidence":0.5}]}`},
		{"S2: what only reads is never promoted", "mode", of(alone + "," + three("discovery", "0.95") + `,"bootstrapLock":{"tier":"fast"}`), `{"mode":"housekeeping","confidence":0.5}`},
		{"S2: it may be recommended", "mode", of(`"recommendedMode":"discovery"`), `{"mode":"discovery","confidence":0.5}`},
		{"Q18: only all of it reaches the threshold", "mode", of(`"recommendedMode":"deep",` + three("deep", "1") + `,"bootstrapLock":{"tier":"deep"},"learnings":[{"type":"scope-guidance","subject":"deep"},{"type":"scope-guidance","subject":"deep"}]`), `{"mode":"deep","confidence":0.85}`},
		{"at most 0.9", "mode", of(`"recommendedMode":"feature",` + three("feature", "1") + `,"bootstrapLock":{"tier":"standard"},"learnings":[{"type":"scope-guidance","subject":"feature"},{"type":"scope-guidance","subject":"feature"}]`), `{"mode":"feature","confidence":0.9}`},
		{"use: 0", "use", `{"confidence":0}`, `"decline"`},
		{"use: none", "use", `{"confidence":{"$":"NaN"}}`, `"decline"`},
		{"use: little", "use", `{"confidence":0.49}`, `"suggest"`},
		{"use: half", "use", `{"confidence":0.5}`, `"preselect"`},
		{"use: the threshold", "use", `{"confidence":0.85}`, `"autonomous"`},
		{"at the end: low completion", "recommend", `{"completionRate":0.4,"carryoverRatio":0.9,"carriedIssues":[1,2,3,4,5,6]}`, `{"mode":"plan-retro","priorities":["1","2","3","4","5"]}`},
		{"at the end: carryover", "recommend", `{"completionRate":0.5,"carryoverRatio":0.3}`, `{"mode":"deep","priorities":[]}`},
		{"at the end: neither", "recommend", `{"completionRate":0.5,"carryoverRatio":0.29}`, `{"mode":"feature"}`},
		{"at the end: no numbers", "recommend", `{"completionRate":"0.5","carryoverRatio":0.29}`, `!have to be numbers`},
		{"precursors: both", "precursors", `{"completionRate":0.4,"recentSessions":[]}`, `["plan-retro","discovery"]`},
		{"precursors: a hint", "precursors", `{"completionRate":0.9,"carryoverRatio":0.1,"recentSessions":[1],"hint":true}`, `["discovery"]`},
		{"precursors: none", "precursors", `{"completionRate":0.9,"recentSessions":[1]}`, `[]`},
		{"accuracy: the first", "accuracy", `{"recommended":"deep","chosen":"feature","now":"2026-11-30T00:00:00Z"}`, `{"subject":"deep-selected-vs-feature","confidence":0.5,"expires_at":"2026-12-30T00:00:00.000Z"}`},
		{"accuracy: agreement", "accuracy", `{"recommended":"deep","chosen":"deep","before":{"confidence":0.5},"now":"2026-11-30T00:00:00Z"}`, `{"confidence":0.65}`},
		{"accuracy: contradiction", "accuracy", `{"recommended":"deep","chosen":"feature","before":{"confidence":0.5},"now":"2026-11-30T00:00:00Z"}`, `{"confidence":0.3}`},
		{"accuracy: nothing was recommended", "accuracy", `{"chosen":"feature","now":"2026-11-30T00:00:00Z"}`, `null`},
	})
}

// Seeds 2.2.2 to 2.2.4 by the names of their members; S16, Q17, Q19.
func TestSeeds22Machines(t *testing.T) {
	t.Parallel()
	of := func(members string) string { return `{"snapshot":{` + members + `}}` }
	check(t, []row{
		{"Q19: nothing is known", "evaluate", of(``), `{"verdict":"green","recommended_agents_per_wave_cap":null,"unknown":["memory","cpu","sessions","swap"]}`},
		{"no snapshot", "evaluate", `{}`, `!snapshot is no object`},
		{"under 2 GB", "evaluate", of(`"ram_available_gb":1.9`), `{"verdict":"critical","recommended_agents_per_wave_cap":0,"signals":{"hard":["memory"],"soft":[]}}`},
		{"2 GB is soft, and alone", "evaluate", of(`"ram_available_gb":2`), `{"verdict":"green","recommended_agents_per_wave_cap":null,"signals":{"hard":[],"soft":["memory"]}}`},
		{"4 GB is silent", "evaluate", of(`"ram_free_gb":4`), `{"verdict":"green","reasons":[]}`},
		{"S11: pressure outranks free memory", "evaluate", of(`"ram_free_gb":0.5,"ram_available_gb":0.5,"memory_pressure_pct_free":30`), `{"verdict":"green"}`},
		{"pressure under 15", "evaluate", of(`"memory_pressure_pct_free":14`), `{"verdict":"critical"}`},
		{"two soft ones", "evaluate", of(`"ram_available_gb":3,"cpu_load_pct":91`), `{"verdict":"warn","recommended_agents_per_wave_cap":2}`},
		{"S15: the calmer of two averages", "evaluate", of(`"ram_available_gb":3,"cpu_load_pct":99,"cpu_load_5m_pct":50`), `{"verdict":"green"}`},
		{"90 % are not over 90 %", "evaluate", of(`"ram_available_gb":3,"cpu_load_pct":90`), `{"verdict":"green"}`},
		{"S12: 29 processes", "evaluate", of(`"ram_available_gb":3,"peer_sessions_count":null,"claude_processes_count":29`), `{"verdict":"green"}`},
		{"S12: 30 processes", "evaluate", of(`"ram_available_gb":3,"peer_sessions_count":null,"claude_processes_count":30`), `{"verdict":"warn"}`},
		{"sessions before processes", "evaluate", of(`"ram_available_gb":3,"peer_sessions_count":4,"claude_processes_count":99`), `{"verdict":"green"}`},
		{"other thresholds", "evaluate", `{"snapshot":{"ram_available_gb":6,"peer_sessions_count":2},"thresholds":{"ram-free-min-gb":8,"concurrent-sessions-warn":2}}`, `{"verdict":"warn"}`},
		{"S13: zombies are no signal", "evaluate", of(`"ram_available_gb":3,"zombie_processes_count":99`), `{"verdict":"green","signals":{"soft":["memory"]}}`},
		{"swap, where memory is short", "evaluate", of(`"ram_available_gb":3,"swap_used_mb":3073`), `{"verdict":"critical"}`},
		{"swap, where it is not", "evaluate", of(`"ram_available_gb":8,"swap_used_mb":9999`), `{"verdict":"green","signals":{"hard":[],"soft":[]}}`},
		{"S16: a heavy repository", "evaluate", `{"snapshot":{"ram_available_gb":8},"heavyRepo":true,"agentsPerWave":{"default":4,"deep":18}}`, `{"verdict":"green","recommended_agents_per_wave_cap":4}`},
		{"exactly true", "evaluate", `{"snapshot":{"ram_available_gb":8},"heavyRepo":"true","agentsPerWave":4}`, `{"recommended_agents_per_wave_cap":null}`},
		{"it lowers only", "evaluate", `{"snapshot":{"ram_available_gb":3,"cpu_load_pct":95},"heavyRepo":true,"agentsPerWave":4}`, `{"recommended_agents_per_wave_cap":2}`},
		{"Q17: the tiers", "tiers", of(`"ram_available_gb":8,"swap_used_mb":0,"peer_sessions_count":7`), `{"verdict":"critical","recommended_agents_per_wave_cap":0}`},
		{"tiers: green has what the project has", "tiers", `{"snapshot":{"ram_available_gb":8},"agentsPerWave":6}`, `{"verdict":"green","recommended_agents_per_wave_cap":6}`},
		{"tiers: degraded", "tiers", of(`"ram_available_gb":3.9`), `{"verdict":"degraded","recommended_agents_per_wave_cap":2}`},
		{"wave: awareness is off", "wave-gate", `{"agents":6,"resourceAwareness":false,"heavyRepo":true,"agentsPerWave":2,"snapshot":{"ram_available_gb":1},"thresholds":{}}`, `{"decision":"proceed","agents":6,"verdict":null}`},
		{"wave: the probe fails", "wave-gate", `{"agents":6,"probeError":"boom","thresholds":{}}`, `{"decision":"proceed","agents":6}`},
		{"wave: no thresholds", "wave-gate", `{"agents":6,"snapshot":{"ram_available_gb":1}}`, `{"decision":"proceed","agents":6}`},
		{"wave: no thresholds, heavy", "wave-gate", `{"agents":6,"snapshot":{"ram_available_gb":1},"heavyRepo":true,"agentsPerWave":4}`, `{"decision":"reduce","agents":4}`},
		{"wave: critical", "wave-gate", `{"agents":6,"snapshot":{"ram_available_gb":1},"thresholds":{},"heavyRepo":true,"agentsPerWave":4}`, `{"decision":"coordinator-direct","agents":0,"verdict":"critical"}`},
		{"wave: warn", "wave-gate", `{"agents":7,"snapshot":{"ram_available_gb":3,"cpu_load_pct":95},"thresholds":{}}`, `{"decision":"reduce","agents":3,"verdict":"warn"}`},
		{"wave: warn, one is left", "wave-gate", `{"agents":1,"snapshot":{"ram_available_gb":3,"cpu_load_pct":95},"thresholds":{}}`, `{"agents":1}`},
		{"wave: green", "wave-gate", `{"agents":6,"snapshot":{"ram_available_gb":8},"thresholds":{}}`, `{"decision":"proceed","agents":6,"verdict":"green"}`},
		{"wave: nothing raises it", "wave-gate", `{"agents":2,"snapshot":{"ram_available_gb":8},"thresholds":{},"heavyRepo":true,"agentsPerWave":4}`, `{"decision":"proceed","agents":2}`},
		{"wave: no number", "wave-gate", `{"agents":"six"}`, `!agents is no number`},
	})
}

// Seeds 2.4; Q7.
func TestSeeds24Suitability(t *testing.T) {
	t.Parallel()
	of := func(more string) string { return `{"confidence":0.7` + more + `}` }
	runs := func(kills string) string { return `,"recentRuns":[` + kills + `]` }
	check(t, []row{
		{"G1: reached", "suitability", of(`,"confidenceFloor":0.7`), `{"suitable":true}`},
		{"G1: below", "suitability", of(`,"confidenceFloor":0.71`), `{"suitable":false}`},
		{"G1: a floor as text", "suitability", of(`,"confidenceFloor":"0.71"`), `{"suitable":false}`},
		{"G1: an unusable floor counts as 0.5", "suitability", `{"confidence":0.4,"confidenceFloor":7}`, `{"suitable":false}`},
		{"G1: missing is closed", "suitability", `{}`, `{"suitable":false}`},
		{"G1: NaN is closed", "suitability", `{"confidence":{"$":"NaN"}}`, `{"suitable":false}`},
		{"G2: no list is omitted", "suitability", of(`,"recentRuns":"x"`), `{"suitable":true,"warnings":["kill-rate: unread","ci: missing","resources: unknown"]}`},
		{"G2: four say nothing", "suitability", of(runs(`{"kill_switch":"spiral"},{"kill_switch":"spiral"},{"kill_switch":"spiral"},{"kill_switch":"spiral"}`)), `{"suitable":true}`},
		{"G2: one of five is too many", "suitability", of(runs(`{"kill_switch":"spiral"},{},{},{},{}`)), `{"suitable":false}`},
		{"G2: one of six is not", "suitability", of(runs(`{"kill_switch":"spiral"},{},null,7,{},{"kill_switch":7}`)), `{"suitable":true}`},
		{"G2, Q7: planned ends are no faults", "suitability", of(runs(`{"kill_switch":"max-sessions-reached"},{"kill_switch":"user-abort"},{"kill_switch":"max-sessions-reached"},{},{}`)), `{"suitable":true}`},
		{"G3: red", "suitability", of(`,"ci":{"status":"red"}`), `{"suitable":false}`},
		{"G3: malformed is open", "suitability", of(`,"ci":"red"`), `{"suitable":true}`},
		{"G4: critical, in any letters", "suitability", of(`,"resourceVerdict":" CRITICAL "`), `{"suitable":false}`},
		{"G4: no text is open", "suitability", of(`,"resourceVerdict":7`), `{"suitable":true}`},
		{"the dial changes nothing", "suitability", of(`,"autonomy":"off"`), `{"suitable":true}`},
	})
}

// Seeds 2.8.1 to 2.8.3; Q15, Q16.
func TestSeeds28Peers(t *testing.T) {
	t.Parallel()
	beside := func(caller, others string) string {
		return `{"callerMode":"` + caller + `","self":"me","others":[` + others + `]}`
	}
	lock := func(members, more string) string {
		return `{"lock":{"session_id":"a","started_at":"2026-11-30T08:00:00Z",` + members + `},"now":"2026-11-30T12:00:00Z","host":"desk"` + more + `}`
	}
	check(t, []row{
		{"classify", "classify", `{"mode":" housekeeping "}`, `"exclusive"`},
		{"classify: capital letters count", "classify", `{"mode":"Deep"}`, `!unknown mode "Deep"`},
		{"Q16: plan-retro is a plan", "classify", `{"mode":"plan-retro"}`, `"always-ok"`},
		{"0: persistence is off", "exclusivity", `{"callerMode":"deep","persistence":false,"others":[{"session_id":"b","mode":"housekeeping"}]}`, `{"outcome":"SKIPPED"}`},
		{"1: nothing could be looked at", "exclusivity", `{"callerMode":"deep","discoveryError":"boom"}`, `{"outcome":"PASS_THROUGH","reason":"discovery-error"}`},
		{"2: who reads", "exclusivity", beside("discovery", `{"session_id":"b","mode":"housekeeping"}`), `{"outcome":"PASS_THROUGH","reason":"caller-always-ok"}`},
		{"3: alone, or only itself", "exclusivity", beside("deep", `{"session_id":"me","mode":"housekeeping"}`), `{"outcome":"PASS_THROUGH","reason":"no-peers"}`},
		{"4: beside an exclusive one", "exclusivity", beside("deep", `{"session_id":"b","mode":"housekeeping"}`), `{"outcome":"EXCLUSIVE_BLOCKED","blocking_session_id":"b"}`},
		{"5: two that write", "exclusivity", beside("deep", `{"session_id":"b","mode":"feature"}`), `{"outcome":"PROMOTION_OFFER","blocking_session_id":"b"}`},
		{"6: beside one that reads", "exclusivity", beside("deep", `{"session_id":"b","mode":"evolve"}`), `{"outcome":"PASS_THROUGH","reason":"peers-always-ok"}`},
		{"Q15: an exclusive caller waits beside any", "exclusivity", beside("housekeeping", `{"session_id":"b","mode":"feature"}`), `{"outcome":"EXCLUSIVE_BLOCKED","reason":"caller-exclusive"}`},
		{"Q16: an unknown mode is parallel-ok, and said to be", "exclusivity", beside("session", `{"session_id":"b","mode":"feature"}`), `{"outcome":"PROMOTION_OFFER","class":"parallel-ok","class_assumed":true}`},
		{"lock: its heartbeat is fresh, its process gone (S18, S50)", "lock", lock(`"last_heartbeat":"2026-11-30T11:00:00Z","pid":7,"host":"desk"`, `,"pidDead":true`), `{"state":"active","live":true}`},
		{"lock: exactly its time is over", "lock", lock(`"last_heartbeat":"2026-11-30T08:00:00Z","host":"desk"`, `,"pidDead":true`), `{"state":"stale-pid-dead","live":false}`},
		{"lock: without a heartbeat the start counts", "lock", lock(`"host":"desk"`, ``), `{"state":"stale-pid-alive"}`},
		{"lock: of another host", "lock", lock(`"host":"lap"`, `,"pidDead":true`), `{"state":"stale-pid-alive"}`},
		{"lock: a heartbeat that cannot be read", "lock", lock(`"last_heartbeat":"soon","host":"desk"`, ``), `{"live":false}`},
		{"lock: of the future", "lock", lock(`"last_heartbeat":"2027-01-01T00:00:00Z"`, ``), `{"live":true}`},
		{"lock: a longer time", "lock", lock(`"ttl_hours":5`, ``), `{"live":true}`},
		{"lock: no number of hours is 4", "lock", lock(`"ttl_hours":"5"`, ``), `{"live":false}`},
		{"lock: beside an exclusive one", "lock", lock(`"ttl_hours":9,"mode":"housekeeping"`, `,"callerMode":"deep"`), `{"state":"active-incompatible-exclusive"}`},
		{"lock: who only reads", "lock", lock(`"ttl_hours":9,"mode":"housekeeping"`, `,"callerMode":"discovery"`), `{"state":"active-readonly-bypass"}`},
		{"lock: two that write", "lock", lock(`"ttl_hours":9,"mode":"deep"`, `,"callerMode":"feature"`), `{"state":"active-compatible-parallel"}`},
		{"S21: the owner, to the millisecond", "lock", lock(`"pid":7,"host":"desk"`, `,"self":{"pid":7,"host":"desk","started_at":"2026-11-30T08:00:00.000900Z"}`), `{"owner":true}`},
		{"S21: a missing field proves nothing", "lock", lock(`"pid":7`, `,"self":{"pid":7,"host":"","started_at":"2026-11-30T08:00:00Z"}`), `{"owner":false}`},
		{"no lock", "lock", `{"now":"2026-11-30T12:00:00Z"}`, `!lock has to be an object`},
	})
}

// Seeds 2.9; S51, S52.
func TestSeeds29Waves(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"the last STATUS line", "agent-status", `{"output":"STATUS: failed\nmore\n**STATUS:** partial\n"}`, `"partial"`},
		{"no tests needed", "agent-status", `{"output":"STATUS: no-tests-needed"}`, `"done"`},
		{"an unknown status", "agent-status", `{"output":"STATUS: fine","changed":true}`, `"done"`},
		{"no line, and changes", "agent-status", `{"output":"x","changed":true}`, `"done"`},
		{"no line, and errors", "agent-status", `{"output":"x","changed":true,"failed":true}`, `"failed"`},
		{"no line, and cut", "agent-status", `{"output":"x","truncated":true,"failed":true}`, `"partial"`},
		{"a spiral overrides", "agent-status", `{"output":"STATUS: done","spiral":true}`, `"spiral"`},
		{"spiral: three edits of one file", "spiral", `{"steps":[{"file":"a"},{"file":"b"},{"file":"a"},{"file":"a"}]}`, `{"spiral":true,"why":"edits a again and again"}`},
		{"spiral: two steps make no spiral", "spiral", `{"steps":[{"file":"a"},{"file":"a"},{"error":"x"}]}`, `{"spiral":false}`},
		{"spiral: an error again", "spiral", `{"steps":[{"error":"x"},{"error":"y"},{"error":"x"}]}`, `{"spiral":true}`},
		{"spiral: its own work back", "spiral", `{"steps":[{"tree":"1"},{"tree":"2"},{"tree":"1"}]}`, `{"spiral":true}`},
		{"turns: housekeeping", "max-turns", `{"mode":"housekeeping"}`, `8`},
		{"turns: feature", "max-turns", `{"mode":"feature"}`, `15`},
		{"turns: deep", "max-turns", `{"mode":"deep"}`, `25`},
		{"turns: others", "max-turns", `{"mode":"evolve"}`, `null`},
		{"recovery: failed", "recovery", `{"status":"failed"}`, `{"recovery":"re-dispatch","file_issue":true}`},
		{"recovery: partial", "recovery", `{"status":"partial","times":3}`, `{"recovery":"carry-forward","file_issue":false}`},
		{"recovery: spiral", "recovery", `{"status":"spiral"}`, `{"recovery":"revert-and-narrow","file_issue":false}`},
		{"S52: a second spiral is filed", "recovery", `{"status":"spiral","times":2}`, `{"recovery":"escalate","file_issue":true}`},
		{"recovery: done", "recovery", `{"status":"done"}`, `{"recovery":"none"}`},
		{"recovery: an unknown status", "recovery", `{"status":"fine"}`, `!is none of`},
		{"guard: three of five", "loop-guard", `{"calls":["a","b","a","c","a"]}`, `{"warn":true,"call":"a","times":3}`},
		{"guard: three of six", "loop-guard", `{"calls":["a","b","c","a","d","a"]}`, `{"warn":false}`},
		{"guard: bounds are at least 2", "loop-guard", `{"calls":["a"],"times":0,"window":0}`, `{"warn":false}`},
		{"S51: a window is as wide as what it counts", "loop-guard", `{"calls":["a","a","a"],"times":3,"window":2}`, `{"warn":true}`},
		{"isolation: two", "isolation", `{"agents":2,"mode":"deep"}`, `{"isolation":"none","strict_scope":true}`},
		{"isolation: three", "isolation", `{"agents":3,"mode":"deep"}`, `{"isolation":"worktree","strict_scope":false}`},
		{"isolation: four of housekeeping", "isolation", `{"agents":4,"mode":"housekeeping"}`, `{"isolation":"none"}`},
		{"isolation: five of housekeeping", "isolation", `{"agents":5,"mode":"housekeeping"}`, `{"isolation":"worktree"}`},
		{"isolation: switched off", "isolation", `{"agents":2,"mode":"deep","off":true}`, `{"isolation":"none","strict_scope":false}`},
		{"convergence: two waves say nothing", "convergence", `{"waves":[{"diff_lines":9},{"diff_lines":5}]}`, `[]`},
		{"convergence: all three", "convergence", `{"waves":[{"diff_lines":9,"pass_rate":0.8,"velocity":5},{"diff_lines":5,"pass_rate":0.8,"velocity":4},{"diff_lines":1,"pass_rate":0.805,"velocity":1}]}`, `["shrinking-diff","pass-rate-plateau","velocity-drop"]`},
		{"convergence: unknown numbers say nothing", "convergence", `{"waves":[{},{},{}]}`, `[]`},
		{"effectiveness: fewer than twenty", "effectiveness", `{"text":"{\"session_type\":\"deep\",\"completion_rate\":1}"}`, `[]`},
		{"effectiveness: twenty of each", "effectiveness", `{"text":"` + strings.Repeat(`{\"session_type\":\"deep\",\"effectiveness\":{\"completion_rate\":0.5}}\n{\"session_type\":\"deep\",\"autopilot_run_id\":\"r\",\"effectiveness\":{\"completion_rate\":0.75}}\n`, 20) + `"}`, `[{"mode":"deep","manual":20,"autopilot":20,"manual_completion":0.5,"autopilot_completion":0.75,"autopilot_better":true}]`},
	})
}

// Whatever a call is, it has an answer or a refusal.
func FuzzCall(f *testing.F) {
	for _, fn := range Functions() {
		f.Add(fn.Name, `{"agents":1e99,"lock":{},"now":"2026-11-30T12:00:00Z","signals":{"topPriorities":7,"recentSessions":[{"effectiveness":[]}]},"text":"{\"a\""}`)
	}
	f.Fuzz(func(t *testing.T, name, in string) {
		out, err := Call(name, []byte(in))
		if err == nil && len(out) == 0 {
			t.Errorf("%s of %s has no answer", name, in)
		}
	})
}
