package orchestrator

import "math"

// Options bound a row of sessions.
//
// Source: session-orchestrator, seeds 2.1.1.
type Options struct {
	MaxSessions int
	MaxHours    float64
	Confidence  float64 // the least of a mode that is run without a person
	MaxTokens   float64 // 0 is no budget
	DryRun      bool
}

// Bound is the range of one option.
type Bound struct {
	Flag              string
	Min, Max, Default float64
	Whole             bool
	set               func(*Options, float64)
}

// Bounds are the options that are numbers.
//
// Source: session-orchestrator, seeds 2.1.1 and 2.1.2. Tokens are off by default there
// too, whatever its table says (Q3).
var Bounds = []Bound{
	{"max-sessions", 1, 50, 5, true, func(o *Options, v float64) { o.MaxSessions = int(v) }},
	{"max-hours", 0.5, 24, 4, false, func(o *Options, v float64) { o.MaxHours = v }},
	{"confidence-threshold", 0, 1, 0.85, false, func(o *Options, v float64) { o.Confidence = v }},
}

// DefaultOptions are the options of a run that sets none.
func DefaultOptions() Options {
	var o Options
	for _, b := range Bounds {
		b.set(&o, b.Default)
	}
	return o
}

// Clamp brings a number into the bounds, and says whether it had to. What is no number
// is the default.
func (b Bound) Clamp(v float64) (clamped float64, moved bool) {
	if math.IsNaN(v) {
		return b.Default, false
	}
	c := min(max(v, b.Min), b.Max)
	if b.Whole {
		c = math.Floor(c)
	}
	return c, c != v
}

// FindBound is the range of an option, by the name of its flag.
func FindBound(flag string) (Bound, bool) {
	for _, b := range Bounds {
		if b.Flag == flag {
			return b, true
		}
	}
	return Bound{}, false
}

// LowThreshold is the confidence below which a threshold is warned of: nearly any mode
// would run without a person.
const LowThreshold = 0.5
