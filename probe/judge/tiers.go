package judge

// row is one line of the table of tiers: a value from Best on is that verdict.
type row struct {
	axis   Axis
	of     string
	value  func(Reading) Num
	unit   Unit
	limits [3]float64 // of warn, degraded, critical
	low    bool       // less is worse, and a limit itself is still the better tier
	equal  [3]bool    // where more is worse: the limit itself is the worse tier
}

// table is published in the skill of session-orchestrator: the most restrictive
// value decides. Source: seeds 2.2.3.
var table = []row{
	{
		axis: Memory, of: "memory_available_bytes", unit: Bytes, low: true,
		value: func(r Reading) Num {
			if _, ok := r.MemoryAvailable.Get(); ok {
				return r.MemoryAvailable
			}
			return r.MemoryFree
		},
		limits: [3]float64{6 * gib, 4 * gib, 2 * gib},
	},
	{
		axis: Swap, of: "swap_used_bytes", unit: Bytes, value: func(r Reading) Num { return r.SwapUsed },
		limits: [3]float64{gib, 2 * gib, 3 * gib}, equal: [3]bool{true, false, false},
	},
	{
		axis: Session, of: "peers", unit: Count, value: func(r Reading) Num { return r.Peers },
		limits: [3]float64{2, 4, 6},
	},
	{
		axis: Memory, of: "memory_free_percent", unit: Percent, low: true, value: func(r Reading) Num { return r.MemoryFreePercent },
		limits: [3]float64{30, 15, 5},
	},
}

// caps are those of the tiers.
var caps = map[Verdict]int{Green: NoCap, Warn: 4, Degraded: 2, Critical: 0}

func tiers(r Reading) Judgement {
	j := Judgement{Verdict: Green}
	known := map[Axis]bool{}
	for _, t := range table {
		v, ok := t.value(r).Get()
		if !ok {
			continue
		}
		known[t.axis] = true
		verdict, limit := t.judge(v)
		if verdict == Green {
			continue
		}
		level := Soft
		if verdict == Critical {
			level = Hard
		}
		j.Signals = append(j.Signals, Signal{Axis: t.axis, Level: level, Of: t.of, Value: v, Limit: limit, Unit: t.unit})
		if verdict.Worse(j.Verdict) {
			j.Verdict = verdict
		}
	}
	for _, a := range []Axis{Memory, Swap, Session} {
		if !known[a] {
			j.Unknown = append(j.Unknown, a)
		}
	}
	j.Cap = caps[j.Verdict]
	return j
}

// judge finds the worst tier whose limit is passed.
func (t row) judge(v float64) (Verdict, float64) {
	for i := 2; i >= 0; i-- {
		l := t.limits[i]
		if t.low && v < l || !t.low && (v > l || v == l && t.equal[i]) {
			return order[i+1], l
		}
	}
	return Green, 0
}
