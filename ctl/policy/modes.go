package policy

import (
	"strconv"
	"strings"

	"autopilot/projections/orchestrator"
)

var modeFunctions = []Function{
	{"mode", "signals {recommendedMode, completionRate, carryoverRatio, topPriorities, taskDescriptionText, bootstrapLock, recentSessions, learnings}", "the mode of the next session", mode},
	{"use", "confidence", "what a confidence is good for", func(in input) (any, error) { return orchestrator.UseOf(in.number("confidence")), nil }},
	{"recommend", "completionRate, carryoverRatio, carriedIssues", "what a session that ends recommends for the next", recommend},
	{"precursors", "completionRate, carryoverRatio, recentSessions, hint", "sessions that are worth it before the next one", precursors},
	{"accuracy", "recommended, chosen, before {confidence}, now", "the learning about a recommendation, or null", accuracy},
	{"suitability", "confidence, confidenceFloor, recentRuns, ci {status}, resourceVerdict", "whether a run may be launched without a person", suitability},
	{"run-history", "text, limit", "the last records of a telemetry file", runHistory},
	{"session-history", "text, limit", "the last sessions of a ledger that somebody ended", sessionHistory},
}

// SignalsOf are the signals of an object; nil for none.
func signalsOf(v value) *orchestrator.Signals {
	if v.none() {
		return nil
	}
	in, _ := v.object()
	s := &orchestrator.Signals{
		Recommended: orchestrator.Mode(in.text("recommendedMode")),
		Completion:  in.number("completionRate"), Carryover: in.number("carryoverRatio"),
		Task: in.text("taskDescriptionText"), Prioritised: !in.get("topPriorities").none(),
	}
	if list, ok := in.list("topPriorities"); ok {
		s.Priorities = len(list)
	}
	if l, ok := in.object("bootstrapLock"); ok {
		s.HasTier, s.Tier = true, l.text("tier")
	}
	list, _ := in.list("recentSessions")
	for _, e := range list {
		s.Sessions = append(s.Sessions, e.record().Session()) // what is no object is a session of no mode
	}
	list, _ = in.list("learnings")
	for _, e := range list {
		if l, ok := e.object(); ok {
			s.Learnings = append(s.Learnings, orchestrator.Learning{Type: l.text("type"), Subject: l.text("subject")})
		}
	}
	return s
}

func mode(in input) (any, error) {
	v, there := in.members["signals"]
	if !there {
		return nil, refuse("signals is missing; null are no signals")
	}
	return orchestrator.Select(signalsOf(value{v})), nil
}

func recommend(in input) (any, error) {
	carried, _ := in.list("carriedIssues")
	var names []string
	for _, v := range carried {
		if s, ok := v.str(); ok {
			names = append(names, s)
		} else if f := shown(v.number()); f != nil {
			names = append(names, strconv.FormatFloat(*f, 'f', -1, 64))
		}
	}
	r, err := orchestrator.Recommend(in.number("completionRate"), in.number("carryoverRatio"), names)
	if err != nil {
		return nil, &Refusal{err.Error()}
	}
	return r, nil
}

func precursors(in input) (any, error) {
	list, _ := in.list("recentSessions")
	return orchestrator.Precursors(in.number("completionRate"), in.number("carryoverRatio"), len(list), in.get("hint").truthy()), nil
}

func accuracy(in input) (any, error) {
	at := orchestrator.When(in.text("now"))
	if at.IsZero() {
		return nil, refuse("now is no time such as 2026-01-02T07:00:00Z")
	}
	var before *orchestrator.Accuracy
	if b, ok := in.object("before"); ok && shown(b.number("confidence")) != nil {
		before = &orchestrator.Accuracy{Confidence: b.number("confidence")}
	}
	a, ok := orchestrator.Judge(orchestrator.Mode(in.text("recommended")), orchestrator.Mode(in.text("chosen")), before, at)
	if !ok {
		return nil, nil
	}
	return map[string]any{"subject": a.Subject, "confidence": a.Confidence, "expires_at": orchestrator.Stamp(a.Expires)}, nil
}

// suitability judges as apctl probe launch does: it ignores a confidence above 1, and counts
// no kill switch for a run that came to its planned end or that a person stopped (Q7).
func suitability(in input) (any, error) {
	ask := orchestrator.LaunchAsk{Confidence: word(in.get("confidence")), Floor: floor(in.get("confidenceFloor")), Resources: word(in.get("resourceVerdict"))}
	if c, ok := in.object("ci"); ok {
		ask.CI = word(c.get("status"))
	}
	if list, ok := in.list("recentRuns"); ok {
		ask.History = &orchestrator.LaunchHistory{Runs: len(list)}
		for _, v := range list {
			k := v.record().Text("kill_switch")
			f, is := orchestrator.Switch(k).Facts()
			if k != "" && (!is || !f.Graceful) {
				ask.History.Fired++
			}
		}
	}
	gates, suitable := orchestrator.Launch(ask)
	out := struct {
		Suitable  bool     `json:"suitable"`
		Rationale string   `json:"rationale"`
		Warnings  []string `json:"warnings"`
		Gates     []any    `json:"gates"`
	}{Suitable: suitable, Warnings: []string{}}
	says := []string{"suitable=" + strconv.FormatBool(suitable)}
	for _, g := range gates {
		out.Gates = append(out.Gates, map[string]any{"name": g.Name, "pass": g.Pass, "omitted": g.Omitted, "reason": g.Reason})
		says = append(says, g.Name+" "+string(g.Reason))
		if g.Warning != "" {
			out.Warnings = append(out.Warnings, g.Name+": "+string(g.Warning))
		}
	}
	out.Rationale = strings.Join(says, "; ")
	return out, nil
}

// word is a text, or a number as one; anything else that is there is no word.
func word(v value) string {
	if s, ok := v.str(); ok {
		return s
	}
	if f := v.number(); v.raw.Kind() == '0' || v.tag() != "" && v.tag() != "undefined" {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	if v.none() {
		return ""
	}
	return "none"
}

// floor is a number, or a text that is one.
func floor(v value) string { return word(v) }

func runHistory(in input) (any, error) {
	return orchestrator.RecentRuns([]byte(in.text("text")), in.get("limit").number()), nil
}

func sessionHistory(in input) (any, error) {
	n := in.numberOr("limit", 10)
	if n < 1 || n > 1<<20 {
		n = 10
	}
	type row struct {
		Mode       orchestrator.Mode `json:"session_type"`
		Completion *float64          `json:"completion_rate"`
	}
	out := []row{}
	for _, s := range orchestrator.RecentSessions([]byte(in.text("text")), int(n)) {
		out = append(out, row{s.Mode, shown(s.Completion)})
	}
	return out, nil
}
