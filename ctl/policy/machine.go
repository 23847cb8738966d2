package policy

import (
	"math"
	"strconv"

	"autopilot/probe/judge"
)

var machineFunctions = []Function{
	{"evaluate", "snapshot, thresholds, heavyRepo, agentsPerWave", "the verdict on a machine by its signals", evaluate},
	{"tiers", "snapshot, agentsPerWave", "the verdict by the published table of tiers", tiers},
	{"wave-gate", "agents, snapshot, probeError, thresholds, resourceAwareness, heavyRepo, agentsPerWave", "how many agents of a wave may begin", waveGate},
}

const (
	gib = 1 << 30
	mib = 1 << 20
)

// reading is a snapshot as the probe of this program has it: percents of load are loads of
// a hundred cores.
func reading(in input) judge.Reading {
	num := func(name string, by float64) judge.Num {
		f := in.number(name)
		if math.IsNaN(f) {
			return judge.Num{}
		}
		return judge.Known(f * by)
	}
	return judge.Reading{
		Cores: judge.Known(100), Load1: num("cpu_load_pct", 1), Load5: num("cpu_load_5m_pct", 1),
		MemoryAvailable: num("ram_available_gb", gib), MemoryFree: num("ram_free_gb", gib), MemoryFreePercent: num("memory_pressure_pct_free", 1),
		SwapUsed: num("swap_used_mb", mib), Peers: num("peer_sessions_count", 1), Agents: num("claude_processes_count", 1),
	}
}

// limits are the thresholds of a configuration, the published ones where it has none.
func limits(in input) judge.Limits {
	l := judge.Defaults()
	t, _ := in.object("thresholds")
	l.MemorySoft = t.numberOr("ram-free-min-gb", l.MemorySoft/gib) * gib
	l.MemoryHard = t.numberOr("ram-free-critical-gb", l.MemoryHard/gib) * gib
	l.CPUSoft = t.numberOr("cpu-load-max-pct", l.CPUSoft)
	l.SessionsSoft = t.numberOr("concurrent-sessions-warn", l.SessionsSoft)
	l.AgentsSoft = 6 * l.SessionsSoft
	return l
}

// Verdict is the answer of evaluate and tiers.
type Verdict struct {
	Verdict string   `json:"verdict"`
	Reasons []string `json:"reasons"`
	Cap     *int     `json:"recommended_agents_per_wave_cap"`
	Signals struct {
		Hard []string `json:"hard"`
		Soft []string `json:"soft"`
	} `json:"signals"`
	Unknown []string `json:"unknown"` // axes that gave no signal, as nothing is known of them (Q19)
}

func verdict(j judge.Judgement) Verdict {
	v := Verdict{Verdict: string(j.Verdict), Reasons: []string{}, Cap: capOf(j.Cap), Unknown: []string{}}
	v.Signals.Hard, v.Signals.Soft = []string{}, []string{}
	for _, s := range j.Signals {
		text := string(s.Axis) + ": " + s.Of + " " + amount(s.Value, s.Unit) + ", limit " + amount(s.Limit, s.Unit)
		v.Reasons = append(v.Reasons, text)
		switch s.Level {
		case judge.Hard:
			v.Signals.Hard = append(v.Signals.Hard, string(s.Axis))
		case judge.Soft:
			v.Signals.Soft = append(v.Signals.Soft, string(s.Axis))
		case judge.Info:
		}
	}
	for _, a := range j.Unknown {
		if a == judge.Memory || a == judge.CPU || a == judge.Session || a == judge.Swap {
			v.Unknown = append(v.Unknown, string(a))
		}
	}
	return v
}

func amount(f float64, u judge.Unit) string {
	switch u {
	case judge.Bytes:
		return strconv.FormatFloat(math.Round(f/gib*100)/100, 'f', -1, 64) + " GiB"
	case judge.Percent:
		return strconv.FormatFloat(f, 'f', -1, 64) + " %"
	default:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
}

// capOf is a cap, null for none.
func capOf(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// perWave is the number of agents of a wave: a number, or the default of an object (S16).
// 0 stands for a missing or unusable number.
func perWave(in input) int {
	f := in.number("agentsPerWave")
	if o, ok := in.object("agentsPerWave"); ok {
		f = o.number("default")
	}
	if shown(f) == nil || f < 1 {
		return 0
	}
	return int(math.Min(f, 1<<20))
}

// heavy is the bound of a heavy repository, 0 for none.
func heavy(in input) int {
	if !in.is("heavyRepo") {
		return 0
	}
	return perWave(in)
}

func evaluate(in input) (any, error) {
	s, ok := in.object("snapshot")
	if !ok {
		return nil, refuse("snapshot is no object")
	}
	j := judge.Judge(reading(s), judge.Signals, limits(in))
	j.Cap = judge.Lower(j.Cap, heavy(in))
	return verdict(j), nil
}

func tiers(in input) (any, error) {
	s, ok := in.object("snapshot")
	if !ok {
		return nil, refuse("snapshot is no object")
	}
	j := judge.Judge(reading(s), judge.Tiers, judge.Defaults())
	if j.Verdict == judge.Green {
		j.Cap = judge.Lower(j.Cap, perWave(in))
	}
	return verdict(j), nil
}

func waveGate(in input) (any, error) {
	planned := in.number("agents")
	if shown(planned) == nil || planned < 0 || planned > 1<<20 {
		return nil, refuse("agents is no number of agents")
	}
	out := struct {
		Decision string  `json:"decision"`
		Agents   int     `json:"agents"`
		Verdict  *string `json:"verdict"`
		Reason   string  `json:"reason"`
	}{Decision: string(judge.Proceed), Agents: int(planned)}
	if a := in.get("resourceAwareness"); a.raw.Kind() == 'f' {
		out.Reason = "resource-awareness is off"
		return out, nil
	}
	j, why := looked(in)
	w := judge.Plan(int(planned), j, judge.Signals, heavy(in))
	out.Decision, out.Agents, out.Reason = string(w.Decision), w.Agents, why
	if j.Verdict != "" {
		v := string(j.Verdict)
		out.Verdict, out.Reason = &v, "verdict "+v
	}
	if w.By == judge.ByProject {
		out.Reason = "agents-per-wave of a heavy repository"
	}
	return out, nil
}

// looked is the judgement of a machine, if it could be looked at.
func looked(in input) (j judge.Judgement, why string) {
	if p := in.get("probeError"); p.truthy() {
		return j, "the probe failed, and is ignored"
	}
	if _, ok := in.object("thresholds"); !ok {
		return j, "no thresholds are configured"
	}
	s, ok := in.object("snapshot")
	if !ok {
		return j, "there is no snapshot"
	}
	return judge.Judge(reading(s), judge.Signals, limits(in)), ""
}
