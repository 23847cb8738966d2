package orchestrator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Mode is what a session is for.
type Mode string

// The modes that can be selected.
const (
	Housekeeping Mode = "housekeeping"
	Feature      Mode = "feature"
	Deep         Mode = "deep"
	Discovery    Mode = "discovery"
	Evolve       Mode = "evolve"
	PlanRetro    Mode = "plan-retro"
)

// Selectable lists the modes in their order, in which equal alternatives stay.
func Selectable() []Mode {
	return []Mode{Housekeeping, Feature, Deep, Discovery, Evolve, PlanRetro}
}

// Known says that a mode can be selected.
func (m Mode) Known() bool { return slices.Contains(Selectable(), m) }

// reads says that a session of this mode builds nothing: it is suggested, never
// promoted over a mode that was recommended (S2).
func (m Mode) reads() bool { return m == Discovery || m == PlanRetro }

// tierModes are the modes that the tiers of a project are made for.
var tierModes = map[string]Mode{"fast": Housekeeping, "standard": Feature, "deep": Deep}

// Signals are what a mode is selected by. A number that is NaN is unknown.
type Signals struct {
	Recommended Mode
	Completion  float64 // of the session before, 0 to 1
	Carryover   float64 // of the session before, share of its plan
	Priorities  int     // issues at the top of the next session
	Prioritised bool    // priorities are known
	Task        string  // text of the next task
	Tier        string  // of the project
	HasTier     bool    // the project says what it is made for
	Sessions    []Session
	Learnings   []Learning
}

// Session is what a ledger says of one session that has ended.
type Session struct {
	Mode       Mode
	Completion float64 // NaN where it does not say
	Planned    float64
	Carryover  float64
	Effective  bool // it has a block of effectiveness
}

// Learning is a note of sessions before.
type Learning struct{ Type, Subject string }

// Choice is a mode with its confidence from 0 to 0.9, two decimals.
type Choice struct {
	Mode       Mode    `json:"mode"`
	Confidence float64 `json:"confidence"`
}

// Selection is the mode of the next session.
type Selection struct {
	Mode         Mode     `json:"mode"`
	Rationale    string   `json:"rationale"` // at most 120 characters
	Confidence   float64  `json:"confidence"`
	Alternatives []Choice `json:"alternatives"` // at most 3, the best first
	Pressure     Pressure `json:"context_pressure"`
}

const (
	mostConfident = 0.9
	startScore    = 0.5
	leastShown    = 0.1 // of an alternative
	mostShown     = 3
	mostRationale = 120
)

// Select selects the mode of the next session. No signals at all are nil. It is total:
// what is unknown adds nothing.
//
// Source: session-orchestrator, seeds 2.3, S1, S2, S33; Q18: a spiral and a carryover
// never reach the published threshold.
func Select(s *Signals) Selection {
	if s == nil {
		return Selection{Mode: Feature, Rationale: "no signals: the default", Alternatives: []Choice{}, Pressure: Signals{}.Pressure()}
	}
	out := Selection{Pressure: s.Pressure()}
	switch {
	case known(s.Completion) && s.Completion < 0.5:
		out.Mode, out.Confidence, out.Rationale = PlanRetro, 0.8, "low completion: look back first"
		out.Alternatives = []Choice{{Feature, 0.3}, {Discovery, 0.25}}
	case known(s.Carryover) && s.Carryover >= 0.3:
		out.Mode, out.Confidence = Deep, 0.75
		out.Rationale = fmt.Sprintf("carryover %.0f%%: clear it in depth", math.Min(s.Carryover*100, 1e6))
		out.Alternatives = []Choice{{Feature, 0.3}, {PlanRetro, 0.2}}
	case s.Recommended.Known():
		s.weigh(&out)
	default:
		out.Mode, out.Rationale, out.Alternatives = Feature, "no valid recommendation: the default", []Choice{}
	}
	return out
}

// weigh takes the recommended mode, or an alternative that all signals speak for more.
func (s Signals) weigh(out *Selection) {
	out.Mode, out.Confidence = s.Recommended, s.score(s.Recommended)
	out.Rationale = "recommended by the session before: " + string(s.Recommended)
	out.Alternatives = shown(s.alternatives())
	best := slices.IndexFunc(out.Alternatives, func(c Choice) bool { return !c.Mode.reads() })
	if best >= 0 && out.Alternatives[best].Confidence > out.Confidence {
		over := out.Alternatives[best]
		rest := slices.Delete(out.Alternatives, best, best+1)
		out.Rationale = fmt.Sprintf("%s (%s) outranks the recommended %s (%s)", over.Mode, number(over.Confidence), out.Mode, number(out.Confidence))
		out.Alternatives = shown(append([]Choice{{out.Mode, out.Confidence}}, rest...))
		out.Mode, out.Confidence = over.Mode, over.Confidence
	}
	if out.Pressure.Level != PressureLow {
		out.Rationale += fmt.Sprintf("; pressure:%s(%s)", out.Pressure.Level, number(out.Pressure.Score))
	}
	out.Rationale = out.Rationale[:min(len(out.Rationale), mostRationale)]
}

// alternatives are the other modes by their score, if anything speaks for one.
func (s Signals) alternatives() []Choice {
	var out []Choice
	if len(s.Learnings) == 0 && len(s.Sessions) == 0 && !s.HasTier {
		return []Choice{}
	}
	for _, m := range Selectable() {
		if m != s.Recommended {
			out = append(out, Choice{m, s.score(m)})
		}
	}
	slices.SortStableFunc(out, better)
	return out
}

// shown keeps the best of the alternatives.
func shown(all []Choice) []Choice {
	all = slices.DeleteFunc(slices.Clone(all), func(c Choice) bool { return c.Confidence < leastShown })
	slices.SortStableFunc(all, better)
	return append([]Choice{}, all[:min(len(all), mostShown)]...)
}

func better(a, b Choice) int { return cmp.Compare(b.Confidence, a.Confidence) }

// score is how much the signals speak for a mode.
func (s Signals) score(m Mode) float64 {
	v := startScore
	if last, ok := s.trend(); ok {
		strong := completion(s.Sessions[len(s.Sessions)-3:]) >= 0.9
		switch {
		case last == m && strong:
			v += 0.15
		case last == m:
			v += 0.075
		case strong && last.Known():
			v -= 0.10
		}
	}
	switch of, ok := tierModes[s.Tier]; {
	case ok && of == m:
		v += 0.10
	case ok:
		v -= 0.10
	}
	v += min(0.10, 0.05*float64(s.hints(m)))
	if known(s.Carryover) && s.Carryover >= 0.2 && m != Deep {
		v -= 0.10
	}
	v += s.pressing(m)
	return round2(min(max(v, 0), mostConfident))
}

// trend is the mode of the last three sessions, if it is one.
func (s Signals) trend() (Mode, bool) {
	if len(s.Sessions) < 3 {
		return "", false
	}
	last := s.Sessions[len(s.Sessions)-3:]
	return last[0].Mode, last[0].Mode != "" && last[0].Mode == last[1].Mode && last[1].Mode == last[2].Mode
}

// completion is the average completion; one that is unknown counts as 0.
func completion(of []Session) (sum float64) {
	for _, s := range of {
		if known(s.Completion) {
			sum += s.Completion
		}
	}
	return sum / float64(len(of))
}

// hints counts the learnings that name the mode.
func (s Signals) hints(m Mode) (n int) {
	for _, l := range s.Learnings {
		if (l.Type == "effective-sizing" || l.Type == "scope-guidance") && strings.Contains(strings.ToLower(l.Subject), string(m)) {
			n++
		}
	}
	return n
}

// Populated says that a source had something to say: a confidence of 0 beside that is
// a fault of the source, and not of nothing to go by.
func (s Signals) Populated() bool {
	return s.Recommended != "" || known(s.Completion) || known(s.Carryover) || s.Prioritised || len(s.Sessions) > 0 || len(s.Learnings) > 0 || s.HasTier
}

// round2 is a number with two decimals. What a sum of decimals lacks for a half counts as
// there.
func round2(v float64) float64 { return math.Round(v*100+1e-9) / 100 }

// Use is what a caller makes of a confidence.
type Use string

// The uses.
const (
	Decline    Use = "decline"
	Suggest    Use = "suggest"
	Preselect  Use = "preselect"
	Autonomous Use = "autonomous"
)

// UseOf says what a confidence is good for.
//
// Source: session-orchestrator, seeds 2.3 consumer thresholds.
func UseOf(confidence float64) Use {
	switch {
	case !(confidence > 0):
		return Decline
	case confidence < 0.5:
		return Suggest
	case confidence < 0.85:
		return Preselect
	}
	return Autonomous
}
