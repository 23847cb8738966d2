package policy

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// row is a call and its answer; want is JSON, of which objects need to be a part of the
// answer. "!" before it is a refusal that has the rest in its reason.
type row struct{ name, fn, in, want string }

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			out, err := Call(r.fn, []byte(r.in))
			if says, refused := strings.CutPrefix(r.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Fatalf("%s, %v; want a refusal with %q", out, err, says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var have, want any
			if json.Unmarshal(out, &have) != nil || json.Unmarshal([]byte(r.want), &want, jsontext.AllowDuplicateNames(true)) != nil {
				t.Fatalf("%s is no JSON, or the wanted %s is none", out, r.want)
			}
			if d := cmp.Diff(want, part(have, want)); d != "" {
				t.Errorf("%s\n%s", out, d)
			}
		})
	}
}

// part leaves of objects only the members that are wanted.
func part(have, want any) any {
	h, ok := have.(map[string]any)
	w, is := want.(map[string]any)
	if !ok || !is {
		return have
	}
	out := map[string]any{}
	for k, v := range w {
		if got, there := h[k]; there {
			out[k] = part(got, v)
		}
	}
	return out
}

// killNone is what is known before a session at which nothing fires.
func before(more string) string {
	return `{"iterationsCompleted":1,"maxSessions":5,"elapsedMs":1000,"maxHoursMs":14400000,"maxTokens":0,"cumulativeTokensUsed":0,"peerAbortThreshold":6` + more + `}`
}

// Seeds 2.1.4 rows 1 to 5, with what is missing; Q2, Q3, Q21.
func TestSeeds214BeforeASession(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"nothing fires", "kill-pre", before(""), `null`},
		{"1: an abort", "kill-pre", before(`,"aborted":true`), `{"kill":"user-abort"}`},
		{"1: before all others", "kill-pre", `{"aborted":true,"iterationsCompleted":5,"maxSessions":5,"elapsedMs":9e9,"maxHoursMs":1}`, `{"kill":"user-abort"}`},
		{"1: missing is open", "kill-pre", before(`,"aborted":{"$":"undefined"}`), `null`},
		{"2: the sessions are used up", "kill-pre", before(`,"iterationsCompleted":5`), `{"kill":"max-sessions-reached","detail":"iterations_completed=5 of max-sessions=5"}`},
		{"2: one is left", "kill-pre", before(`,"iterationsCompleted":4`), `null`},
		{"2: before hours", "kill-pre", before(`,"iterationsCompleted":5,"elapsedMs":9e9`), `{"kill":"max-sessions-reached"}`},
		{"3, Q2: at the limit", "kill-pre", before(`,"elapsedMs":14400000`), `{"kill":"max-hours-exceeded","detail":"elapsed=4h >= max-hours=4h"}`},
		{"3: below it", "kill-pre", before(`,"elapsedMs":14399999`), `null`},
		{"3: a clock that went back", "kill-pre", before(`,"elapsedMs":-5000`), `null`},
		{"3: two decimals", "kill-pre", before(`,"elapsedMs":14443200`), `{"detail":"elapsed=4.01h >= max-hours=4h"}`},
		{"3: before tokens", "kill-pre", before(`,"elapsedMs":14400000,"maxTokens":1,"cumulativeTokensUsed":1`), `{"kill":"max-hours-exceeded"}`},
		{"4: at the limit", "kill-pre", before(`,"maxTokens":100,"cumulativeTokensUsed":100`), `{"kill":"token-budget-exceeded"}`},
		{"4: below it", "kill-pre", before(`,"maxTokens":100,"cumulativeTokensUsed":99`), `null`},
		{"4, Q3: 0 is no budget", "kill-pre", before(`,"maxTokens":0,"cumulativeTokensUsed":99`), `null`},
		{"4: less than nothing is no budget", "kill-pre", before(`,"maxTokens":-1,"cumulativeTokensUsed":99`), `null`},
		{"4: NaN is no budget", "kill-pre", before(`,"maxTokens":{"$":"NaN"},"cumulativeTokensUsed":99`), `null`},
		{"4: Infinity is no budget", "kill-pre", before(`,"maxTokens":{"$":"Infinity"},"cumulativeTokensUsed":{"$":"Infinity"}`), `null`},
		{"4: unknown use is open", "kill-pre", before(`,"maxTokens":100,"cumulativeTokensUsed":{"$":"undefined"}`), `null`},
		{"4: before the machine", "kill-pre", before(`,"maxTokens":1,"cumulativeTokensUsed":1,"resourceVerdict":"critical","peerCount":7`), `{"kill":"token-budget-exceeded"}`},
		{"5: critical, and too many", "kill-pre", before(`,"resourceVerdict":"critical","peerCount":7`), `{"kill":"resource-overload","detail":"verdict=critical, peers=7 > threshold=6"}`},
		{"5: six are not too many", "kill-pre", before(`,"resourceVerdict":"critical","peerCount":6`), `null`},
		{"5: exactly critical", "kill-pre", before(`,"resourceVerdict":"Critical","peerCount":7`), `null`},
		{"5: warn is not critical", "kill-pre", before(`,"resourceVerdict":"warn","peerCount":99`), `null`},
		{"5, Q21: unknown peers are open", "kill-pre", before(`,"resourceVerdict":"critical","peerCount":null`), `null`},
		{"5: a text is no number of peers", "kill-pre", before(`,"resourceVerdict":"critical","peerCount":"7"`), `null`},
		{"5: an unknown verdict is open", "kill-pre", before(`,"resourceVerdict":null,"peerCount":99`), `null`},
	})
}

// Seeds 2.1.4 rows 7 to 10 and their precedence, 2.1.3 row 11, S5; Q20: the truth of what
// is coerced stays.
func TestSeeds214AfterASession(t *testing.T) {
	t.Parallel()
	of := func(members string) string { return `{"sessionResult":{` + members + `}}` }
	stalled := `"stall":{"progressed":false,"stallSeconds":600}`
	check(t, []row{
		{"nothing fires", "kill-post", of(`"agent_summary":{"complete":3,"spiral":0,"failed":0},"effectiveness":{"planned_issues":4,"carryover":2}`), `null`},
		{"no result at all", "kill-post", `{"sessionResult":null,` + stalled + `}`, `null`},
		{"a text for a result", "kill-post", `{"sessionResult":"done",` + stalled + `}`, `null`},
		{"an empty result", "kill-post", of(``), `null`},
		{"7: a stall at its limit", "kill-post", `{"sessionResult":{},` + stalled + `}`, `{"kill":"stall-timeout","detail":"no progress for 600s >= timeout=600s"}`},
		{"7: below it", "kill-post", `{"sessionResult":{},"stall":{"progressed":false,"stallSeconds":599}}`, `null`},
		{"7: a fresh stream has not stalled", "kill-post", `{"sessionResult":{},"stall":{"progressed":true,"stallSeconds":600}}`, `null`},
		{"7: nobody sampled", "kill-post", `{"sessionResult":{}}`, `null`},
		{"7: another limit", "kill-post", `{"sessionResult":{},"stall":{"progressed":false,"stallSeconds":60},"stallTimeoutSeconds":60}`, `{"kill":"stall-timeout"}`},
		{"7 before 8", "kill-post", `{"sessionResult":{"agent_summary":{"spiral":1}},` + stalled + `}`, `{"kill":"stall-timeout"}`},
		{"7 before 9", "kill-post", `{"sessionResult":{"agent_summary":{"failed":1}},` + stalled + `}`, `{"kill":"stall-timeout"}`},
		{"7 before 10", "kill-post", `{"sessionResult":{"effectiveness":{"planned_issues":1,"carryover":1}},` + stalled + `}`, `{"kill":"stall-timeout"}`},
		{"8: one", "kill-post", of(`"agent_summary":{"spiral":1}`), `{"kill":"spiral"}`},
		{"8, Q20: numeric text", "kill-post", of(`"agent_summary":{"spiral":" 2 "}`), `{"kill":"spiral","detail":"agent_summary.spiral=2 > 0"}`},
		{"8, Q20: true", "kill-post", of(`"agent_summary":{"spiral":true}`), `{"kill":"spiral"}`},
		{"8: text that is no number", "kill-post", of(`"agent_summary":{"spiral":"many"}`), `null`},
		{"8: null, lists and objects", "kill-post", of(`"agent_summary":{"spiral":null,"failed":{"n":1}}`), `null`},
		{"8: less than none", "kill-post", of(`"agent_summary":{"spiral":-1}`), `null`},
		{"8: Infinity", "kill-post", of(`"agent_summary":{"spiral":"Infinity"}`), `null`},
		{"8 before 9", "kill-post", of(`"agent_summary":{"spiral":1,"failed":1}`), `{"kill":"spiral"}`},
		{"8 before 10", "kill-post", of(`"agent_summary":{"spiral":1},"effectiveness":{"planned_issues":1,"carryover":1}`), `{"kill":"spiral"}`},
		{"9: one", "kill-post", of(`"agent_summary":{"failed":1}`), `{"kill":"failed-wave"}`},
		{"9 before 10", "kill-post", of(`"agent_summary":{"failed":1},"effectiveness":{"planned_issues":1,"carryover":1}`), `{"kill":"failed-wave"}`},
		{"9: a summary that is a list", "kill-post", of(`"agent_summary":[1]`), `null`},
		{"10: over half", "kill-post", of(`"effectiveness":{"planned_issues":3,"carryover":2}`), `{"kill":"carryover-too-high","detail":"carryover 2 of planned 3: 0.67 > threshold=0.5"}`},
		{"10: half passes", "kill-post", of(`"effectiveness":{"planned_issues":4,"carryover":2}`), `null`},
		{"10: nothing was planned", "kill-post", of(`"effectiveness":{"planned_issues":0,"carryover":2}`), `null`},
		{"10: unknown carryover", "kill-post", of(`"effectiveness":{"planned_issues":1}`), `null`},
		{"10: another limit", "kill-post", `{"sessionResult":{"effectiveness":{"planned_issues":4,"carryover":2}},"carryoverThreshold":0.4}`, `{"kill":"carryover-too-high"}`},
		{"11: idle for longer", "kill-stale", `{"nowMs":601000,"loops":[{"id":"a","status":"running","lastActivityMs":0}]}`, `{"kill":"stale-subagent-min"}`},
		{"11: at the limit", "kill-stale", `{"nowMs":600000,"loops":[{"id":"a","status":"running","lastActivityMs":0}]}`, `null`},
		{"11: not running", "kill-stale", `{"nowMs":9e9,"loops":[{"id":"a","status":"done","lastActivityMs":0}]}`, `null`},
		{"11: nobody knows", "kill-stale", `{"nowMs":9e9,"loops":[{"id":"a","status":"running","lastActivityMs":{"$":"NaN"}},7,null]}`, `null`},
		{"S53: one list has all eleven", "kill-switches", `{}`, `[
			{"name":"user-abort","moment":"pre","graceful":true,"hint":"run it again"},
			{"name":"max-sessions-reached","moment":"pre","graceful":true,"hint":"start another run for more sessions"},
			{"name":"max-hours-exceeded","moment":"pre","graceful":false,"hint":"raise the budget of hours"},
			{"name":"token-budget-exceeded","moment":"pre","graceful":false,"hint":"raise the budget of tokens"},
			{"name":"resource-overload","moment":"pre","graceful":false,"hint":"wait until other sessions have ended"},
			{"name":"low-confidence-fallback","moment":"select","graceful":false,"hint":"lower the threshold, or run one session by hand"},
			{"name":"stall-timeout","moment":"post","graceful":false,"hint":"find what the session waited for"},
			{"name":"spiral","moment":"post","graceful":false,"hint":"triage the wave by hand; it is never tried again by itself"},
			{"name":"failed-wave","moment":"post","graceful":false,"hint":"find the cause, then run it again"},
			{"name":"carryover-too-high","moment":"post","graceful":false,"hint":"plan less for one session"},
			{"name":"stale-subagent-min","moment":"multi","graceful":false,"hint":"look at the loop that shows no sign of life"}]`},
	})
}

// Seeds 2.1.3 rows 5 to 8, with what bad selectors return.
func TestSeeds213SelectedModes(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"5: a selector that throws, at the first", "admit", `{"threw":"boom","iterationsCompleted":0}`, `{"run":false,"fallback_to_manual":false,"kill":{"kill":"low-confidence-fallback","detail":"modeSelector threw: boom"}}`},
		{"6: 7 is no mode", "admit", `{"recommendation":{"mode":7,"confidence":0.9},"iterationsCompleted":0}`, `{"run":false,"fallback_to_manual":true,"kill":null}`},
		{"6: confidence high is 0", "admit", `{"recommendation":{"mode":"deep","confidence":"high"},"iterationsCompleted":1}`, `{"kill":{"kill":"low-confidence-fallback"}}`},
		{"6: no recommendation", "admit", `{"iterationsCompleted":0}`, `{"fallback_to_manual":true}`},
		{"7: low at the first goes to a person", "admit", `{"recommendation":{"mode":"deep","confidence":0.84},"iterationsCompleted":0}`, `{"run":false,"fallback_to_manual":true,"kill":null}`},
		{"8: low later ends it", "admit", `{"recommendation":{"mode":"deep","confidence":0.84},"iterationsCompleted":1}`, `{"run":false,"fallback_to_manual":false,"kill":{"kill":"low-confidence-fallback"}}`},
		{"equal to the threshold runs", "admit", `{"recommendation":{"mode":"deep","confidence":0.85},"iterationsCompleted":1}`, `{"run":true,"kill":null}`},
		{"a threshold of 0 runs any mode", "admit", `{"recommendation":{"mode":"deep","confidence":{"$":"NaN"}},"threshold":0}`, `{"run":true}`},
		{"and none without a mode", "admit", `{"recommendation":{"confidence":0.9},"threshold":0}`, `{"run":false,"fallback_to_manual":true}`},
	})
}

// Seeds 2.1.1 and 2.1.2; Q4: an empty value is refused.
func TestSeeds212Flags(t *testing.T) {
	t.Parallel()
	argv := func(list string) string { return `{"argv":[` + list + `]}` }
	check(t, []row{
		{"defaults", "flags", `{}`, `{"maxSessions":5,"maxHours":4,"confidenceThreshold":0.85,"maxTokens":0,"dryRun":false,"notes":[]}`},
		{"an argv that is no list", "flags", `{"argv":"--max-sessions=3"}`, `{"maxSessions":5}`},
		{"all of them", "flags", argv(`"--max-sessions=7","--max-hours=1.5","--confidence-threshold=0.7","--dry-run"`), `{"maxSessions":7,"maxHours":1.5,"confidenceThreshold":0.7,"dryRun":true,"notes":[]}`},
		{"the other dry run", "flags", argv(`"--dryRun"`), `{"dryRun":true}`},
		{"a value in the next token is ignored", "flags", argv(`"--max-sessions","7"`), `{"maxSessions":5}`},
		{"the last one counts", "flags", argv(`"--max-sessions=7","--max-sessions=9"`), `{"maxSessions":9}`},
		{"a later unusable value resets", "flags", argv(`"--max-sessions=7","--max-sessions=x"`), `{"maxSessions":5}`},
		{"what is unknown is passed over", "flags", argv(`"--nope=3",7,null,"x"`), `{"maxSessions":5}`},
		{"exponents and blanks", "flags", argv(`"--max-sessions= 1e1 "`), `{"maxSessions":10}`},
		{"hex", "flags", argv(`"--max-sessions=0x10"`), `{"maxSessions":16}`},
		{"Infinity is the default", "flags", argv(`"--max-hours=Infinity"`), `{"maxHours":4}`},
		{"over the bound is clamped and said", "flags", argv(`"--max-sessions=99"`), `{"maxSessions":50,"notes":["--max-sessions: clamped 99 to 50"]}`},
		{"under it too", "flags", argv(`"--max-hours=0.1","--confidence-threshold=-1"`), `{"maxHours":0.5,"confidenceThreshold":0,"notes":["--max-hours: clamped 0.1 to 0.5","--confidence-threshold: clamped -1 to 0"]}`},
		{"sessions are floored after that", "flags", argv(`"--max-sessions=3.7"`), `{"maxSessions":3}`},
		{"hours are not", "flags", argv(`"--max-hours=3.7"`), `{"maxHours":3.7,"notes":[]}`},
		{"Q4: an empty value", "flags", argv(`"--max-sessions="`), `!--max-sessions has no value`},
		{"Q4: a blank one", "flags", argv(`"--max-tokens= "`), `!--max-tokens has no value`},
		{"Q3: tokens are read", "flags", argv(`"--max-tokens=500000"`), `{"maxTokens":500000}`},
		{"Q3: and off with an unusable number", "flags", argv(`"--max-tokens=-3"`), `{"maxTokens":0}`},
	})
}

// Seeds 2.1.5 and 2.1.6.
func TestSeeds215StallsTokensAndNames(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"a file that moved lately", "stall", `{"nowMs":30000,"mtimeMs":1000}`, `{"progressed":true,"stallSeconds":29,"lastMarker":1000,"marker":"autopilot.jsonl:mtime"}`},
		{"30 s are no longer fresh", "stall", `{"nowMs":30000,"mtimeMs":0}`, `{"progressed":false,"stallSeconds":30}`},
		{"rounded", "stall", `{"nowMs":61500,"mtimeMs":0}`, `{"progressed":false,"stallSeconds":62}`},
		{"of the future", "stall", `{"nowMs":0,"mtimeMs":90000}`, `{"progressed":true,"stallSeconds":0}`},
		{"no file", "stall", `{"nowMs":90000,"error":"ENOENT"}`, `{"progressed":false,"stallSeconds":0,"lastMarker":null,"marker":"missing"}`},
		{"another error", "stall", `{"nowMs":90000,"mtimeMs":1,"error":"EACCES"}`, `{"progressed":false,"stallSeconds":0,"lastMarker":null,"marker":"invalid"}`},
		{"S3: tokens of the output", "tokens", `{"session":{"usage":{"output_tokens":7,"total_tokens":99}}}`, `7`},
		{"else all", "tokens", `{"session":{"usage":{"total_tokens":99}}}`, `99`},
		{"null is not there", "tokens", `{"session":{"usage":{"output_tokens":null,"total_tokens":99}}}`, `99`},
		{"less than none count as none", "tokens", `{"session":{"usage":{"output_tokens":-7}}}`, `0`},
		{"nor does text", "tokens", `{"session":{"usage":{"output_tokens":"7"}}}`, `0`},
		{"no usage", "tokens", `{"session":{}}`, `0`},
		{"a name", "run-id", `{"branch":"feat/a b","startedAt":"2026-11-30T11:02:43Z"}`, `"feat-a-b-2026-11-30-1102-autopilot"`},
		{"no branch", "run-id", `{"startedAt":"2026-11-30T23:59:59+01:00"}`, `"unknown-2026-11-30-2259-autopilot"`},
		{"Q5: two of one minute", "run-id", `{"branch":"main","startedAt":"2026-11-30T11:02:43Z","suffix":"k3xq"}`, `"main-2026-11-30-1102-autopilot-k3xq"`},
		{"no start", "run-id", `{"branch":"main"}`, `!startedAt is no time`},
	})
}

// Seeds 2.1.6, the reader of the run history; S32, S44.
func TestSeeds216History(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"lines that are no records are dropped", "run-history", `{"text":"{\"a\":1}\nnope\n7\n[1]\nnull\n\"x\"\n{\"a\":2}\n{\"a\":"}`, `[{"a":1},{"a":2}]`},
		{"the last of them, oldest first", "run-history", `{"text":"{\"a\":1}\n{\"a\":2}\n{\"a\":3}","limit":2}`, `[{"a":2},{"a":3}]`},
		{"a limit of 0 is the default", "run-history", `{"text":"{\"a\":1}\n{\"a\":2}","limit":0}`, `[{"a":1},{"a":2}]`},
		{"and so is NaN", "run-history", `{"text":"{\"a\":1}","limit":{"$":"NaN"}}`, `[{"a":1}]`},
		{"nothing", "run-history", `{}`, `[]`},
		{"line ends of Windows and a byte order mark", "run-history", `{"text":"\ufeff{\"a\":1}\r\n{\"a\":2}\r\n"}`, `[{"a":1},{"a":2}]`},
		{"S32: stubs are left out before the window", "session-history", `{"limit":1,"text":"{\"session_id\":\"a\",\"session_type\":\"deep\"}\n{\"session_id\":\"b\",\"status\":\"abandoned\"}"}`, `[{"session_type":"deep","completion_rate":null}]`},
		{"S33: nested first", "session-history", `{"text":"{\"session_id\":\"a\",\"session_type\":\"deep\",\"completion_rate\":0.1,\"effectiveness\":{\"completion_rate\":0.9}}"}`, `[{"session_type":"deep","completion_rate":0.9}]`},
		{"of one session the later record", "session-history", `{"text":"{\"session_id\":\"a\",\"session_type\":\"deep\"}\n{\"session_id\":\"a\",\"session_type\":\"feature\"}"}`, `[{"session_type":"feature","completion_rate":null}]`},
	})
}
