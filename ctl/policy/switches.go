package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"autopilot/projections/orchestrator"
)

var switchFunctions = []Function{
	{"kill-switches", "nothing", "all switches in their order, with moment and hint", killSwitches},
	{"kill-pre", "aborted, iterationsCompleted, maxSessions, elapsedMs, maxHoursMs, cumulativeTokensUsed, maxTokens, resourceVerdict, peerCount, peerAbortThreshold", "the switch that fires before a session, or null", killPre},
	{"kill-post", "sessionResult, stall {progressed, stallSeconds}, stallTimeoutSeconds, carryoverThreshold", "the switch that fires after a session, or null", killPost},
	{"kill-stale", "loops [{id, status, lastActivityMs}], nowMs, staleSeconds", "the loop that is idle for too long, or null", killStale},
	{"admit", "recommendation {mode, confidence}, threw, threshold, iterationsCompleted", "whether a selected mode runs, goes to a person, or ends the run", admit},
	{"flags", "argv", "what the flags of a run say, with notes on what was clamped", flags},
	{"stall", "mtimeMs, nowMs, error", "how long nothing has moved", stall},
	{"tokens", "session", "the tokens that a session's record counts", func(in input) (any, error) { return in.get("session").record().Tokens(), nil }},
	{"run-id", "branch, startedAt, suffix", "the name of a run", runID},
}

func killSwitches(input) (any, error) {
	type row struct {
		Name     string `json:"name"`
		Moment   string `json:"moment"`
		Graceful bool   `json:"graceful"`
		Hint     string `json:"hint"`
	}
	var out []row
	for _, f := range orchestrator.Switches() {
		out = append(out, row{string(f.Name), string(f.Moment), f.Graceful, f.Hint})
	}
	return out, nil
}

// kill is a switch, or null.
func kill(k orchestrator.Kill) any {
	if !k.Fired() {
		return nil
	}
	return k
}

func killPre(in input) (any, error) {
	return kill(orchestrator.CheckBefore(orchestrator.Before{
		Abort: in.get("aborted").truthy(), Sessions: in.number("iterationsCompleted"), MaxSessions: in.number("maxSessions"),
		Hours: in.number("elapsedMs") / 3_600_000, MaxHours: in.number("maxHoursMs") / 3_600_000,
		Tokens: in.number("cumulativeTokensUsed"), MaxTokens: in.number("maxTokens"),
		Verdict: in.text("resourceVerdict"), Peers: in.number("peerCount"), PeerLimit: in.numberOr("peerAbortThreshold", orchestrator.PeerLimitDefault),
	})), nil
}

func killPost(in input) (any, error) {
	r := in.get("sessionResult").record()
	if r == nil {
		return nil, nil
	}
	o := orchestrator.Record.Ended(r)
	if s, ok := in.object("stall"); ok {
		o.Stall = orchestrator.Stall{Silent: seconds(s.number("stallSeconds"), 0), Progressed: s.is("progressed")}
	}
	return kill(orchestrator.CheckAfter(o, orchestrator.After{
		Stall:     seconds(in.number("stallTimeoutSeconds"), orchestrator.StallDefault),
		Carryover: in.numberOr("carryoverThreshold", orchestrator.CarryoverDefault),
	})), nil
}

// seconds turns a number of seconds into a time; NaN gives other.
func seconds(f float64, other time.Duration) time.Duration {
	if math.IsNaN(f) {
		return other
	}
	return time.Duration(math.Max(math.Min(f, 1e9), -1e9) * float64(time.Second))
}

func killStale(in input) (any, error) {
	list, _ := in.list("loops")
	now := in.number("nowMs")
	var loops []orchestrator.Loop
	for _, v := range list {
		l, ok := v.object()
		if !ok {
			continue
		}
		last := l.number("lastActivityMs")
		loops = append(loops, orchestrator.Loop{
			ID: l.text("id"), Running: l.text("status") == "running",
			Idle: seconds((now-last)/1000, 0), Unknown: shown(last) == nil || shown(now) == nil,
		})
	}
	return kill(orchestrator.CheckStale(loops, seconds(in.number("staleSeconds"), orchestrator.StaleLimit))), nil
}

func admit(in input) (any, error) {
	r, _ := in.object("recommendation")
	a := orchestrator.Admit(r.text("mode"), r.number("confidence"), in.numberOr("threshold", orchestrator.DefaultOptions().Confidence),
		int(in.numberOr("iterationsCompleted", 0)), in.text("threw"))
	return struct {
		Run    bool   `json:"run"`
		Manual bool   `json:"fallback_to_manual"`
		Kill   any    `json:"kill"`
		Detail string `json:"detail,omitzero"`
	}{a.Run, a.Manual, kill(a.Kill), a.Detail}, nil
}

// flags reads the flags of a run as session-orchestrator does: --key=value, the last of
// one counts, what is unknown is passed over. An empty value is refused (Q4), and what is
// clamped is said.
func flags(in input) (any, error) {
	argv, _ := in.list("argv")
	o := struct {
		MaxSessions int      `json:"maxSessions"`
		MaxHours    float64  `json:"maxHours"`
		Confidence  float64  `json:"confidenceThreshold"`
		MaxTokens   float64  `json:"maxTokens"`
		DryRun      bool     `json:"dryRun"`
		Notes       []string `json:"notes"`
	}{Notes: []string{}}
	given := map[string]string{}
	for _, arg := range texts(argv) {
		key, text, has := strings.Cut(arg, "=")
		switch {
		case arg == "--dry-run" || arg == "--dryRun":
			o.DryRun = true
		case has && strings.HasPrefix(key, "--"):
			given[key[2:]] = text
		}
	}
	values := map[string]float64{}
	for _, b := range orchestrator.Bounds {
		v, note, err := bounded(b, given)
		if err != nil {
			return nil, err
		}
		if values[b.Flag] = v; note != "" {
			o.Notes = append(o.Notes, note)
		}
	}
	tokens, err := flagNumber("max-tokens", given)
	if err != nil {
		return nil, err
	}
	if shown(tokens) != nil && tokens > 0 {
		o.MaxTokens = tokens
	}
	o.MaxSessions, o.MaxHours, o.Confidence = int(values["max-sessions"]), values["max-hours"], values["confidence-threshold"]
	return o, nil
}

func bounded(b orchestrator.Bound, given map[string]string) (v float64, note string, err error) {
	v, err = flagNumber(b.Flag, given)
	if err != nil {
		return 0, "", err
	}
	if math.IsInf(v, 0) {
		v = math.NaN() // the default counts, as for any text
	}
	c, moved := b.Clamp(v)
	if moved {
		note = fmt.Sprintf("--%s: clamped %s to %s", b.Flag, plain(v), plain(c))
	}
	return c, note, nil
}

func flagNumber(flag string, given map[string]string) (float64, error) {
	text, there := given[flag]
	if there && strings.TrimSpace(text) == "" {
		return 0, refuse("--%s has no value", flag)
	}
	if !there {
		return math.NaN(), nil
	}
	return orchestrator.CoerceText(text), nil
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func stall(in input) (any, error) {
	now, last := in.number("nowMs"), in.number("mtimeMs")
	there := shown(now) != nil && shown(last) != nil
	marker := "autopilot.jsonl:mtime"
	switch failed := in.text("error"); {
	case failed == "ENOENT" || failed == "" && !there:
		marker, there = "missing", false
	case failed != "":
		marker, there = "invalid", false
	}
	s := orchestrator.Sample(msec(last), msec(now), there)
	out := struct {
		Progressed bool     `json:"progressed"`
		Seconds    float64  `json:"stallSeconds"`
		Last       *float64 `json:"lastMarker"`
		Marker     string   `json:"marker"`
	}{s.Progressed, s.Silent.Seconds(), nil, marker}
	if there {
		out.Last = shown(last)
	}
	return out, nil
}

func msec(f float64) time.Time {
	if math.IsNaN(f) || math.Abs(f) > 1e15 {
		return time.Time{}
	}
	return time.UnixMicro(int64(f * 1000))
}

func runID(in input) (any, error) {
	at := orchestrator.When(in.text("startedAt"))
	if at.IsZero() {
		return nil, refuse("startedAt is no time such as 2026-01-02T07:00:00Z")
	}
	return orchestrator.RunID(in.text("branch"), at, in.text("suffix")), nil
}
