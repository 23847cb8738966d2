package judge

import (
	"cmp"
	"slices"
)

// Verdict is what a machine can bear, from best to worst.
type Verdict string

// The verdicts. Degraded is one of Tiers only.
const (
	Green    Verdict = "green"
	Warn     Verdict = "warn"
	Degraded Verdict = "degraded"
	Critical Verdict = "critical"
)

var order = []Verdict{Green, Warn, Degraded, Critical}

// Worse says that v leaves less room than o.
func (v Verdict) Worse(o Verdict) bool { return slices.Index(order, v) > slices.Index(order, o) }

// Policy is a way of judging.
type Policy string

// The policies.
const (
	Signals Policy = "signals"
	Tiers   Policy = "tiers"
)

// Axis is what a signal is about.
type Axis string

// The axes. Stall, Files and Disk are of this program: they see what load and
// free memory do not (field reports B.4, 67).
const (
	Memory  Axis = "memory"
	CPU     Axis = "cpu"
	Session Axis = "sessions"
	Swap    Axis = "swap"
	Stall   Axis = "stall"
	Files   Axis = "files"
	Disk    Axis = "disk"
)

// Level is how much a signal weighs.
type Level string

// The levels. Info caps nothing.
const (
	Info Level = "info"
	Soft Level = "soft"
	Hard Level = "hard"
)

// Signal is one value beside the limit that it is compared with, both in Unit.
type Signal struct {
	Axis  Axis    `json:"axis"`
	Level Level   `json:"level"`
	Of    string  `json:"of"` // the member of the reading
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Unit  Unit    `json:"unit"`
}

// Unit is that of a signal.
type Unit string

// The units.
const (
	Bytes   Unit = "bytes"
	Percent Unit = "percent"
	Count   Unit = "count"
)

// Judgement is what was found. Cap is the most agents that may be at work, -1 for
// no cap of the verdict.
type Judgement struct {
	Verdict Verdict  `json:"verdict"`
	Cap     int      `json:"cap"`
	Signals []Signal `json:"signals"`
	Unknown []Axis   `json:"unknown,omitzero"` // axes without a value
}

// NoCap is the cap of a verdict that bounds nothing.
const NoCap = -1

const gib = 1 << 30

// Limits are the thresholds of Signals. Source: seeds 2.2.2; one definition for
// all of the program (S14).
type Limits struct {
	MemorySoft   float64 `json:"memory_soft_bytes"` // available, less is soft
	MemoryHard   float64 `json:"memory_hard_bytes"`
	FreeSoft     float64 `json:"free_soft_percent"` // macOS memory pressure, less is soft
	FreeHard     float64 `json:"free_hard_percent"`
	CPUSoft      float64 `json:"cpu_soft_percent"` // load per core, more is soft
	SessionsSoft float64 `json:"sessions_soft"`    // so many are soft
	AgentsSoft   float64 `json:"agents_soft"`      // processes, where sessions are not known
	SwapSoft     float64 `json:"swap_soft_bytes"`
	SwapHard     float64 `json:"swap_hard_bytes"`
	StallSoft    float64 `json:"stall_soft_percent"` // memory, some: so much is soft
	StallHard    float64 `json:"stall_hard_percent"` // memory, full
	StallIO      float64 `json:"stall_io_percent"`   // all, for the disk: so much is told
	FilesSoft    float64 `json:"files_soft_percent"`
	FilesHard    float64 `json:"files_hard_percent"`
	DiskLow      float64 `json:"disk_low_bytes"` // less is told
	WarnCap      int     `json:"warn_cap"`
}

// Defaults are the published thresholds, and ours for the axes of our own.
func Defaults() Limits {
	return Limits{
		MemorySoft: 4 * gib, MemoryHard: 2 * gib, FreeSoft: 30, FreeHard: 15, CPUSoft: 90,
		SessionsSoft: 5, AgentsSoft: 30, SwapSoft: gib, SwapHard: 3 * gib,
		StallSoft: 20, StallHard: 20, StallIO: 40, FilesSoft: 80, FilesHard: 95,
		DiskLow: 2 * gib, WarnCap: 2,
	}
}

// Judge judges a reading by a policy. The limits are those of Signals; those of
// Tiers are its table.
func Judge(r Reading, p Policy, l Limits) Judgement {
	if p == Tiers {
		return tiers(r)
	}
	return signals(r, l)
}

// sum is the judgement of what was found: one hard signal is critical, two soft
// ones of different axes warn, and a single one caps nothing (S12).
func sum(found []Signal, unknown []Axis, l Limits) Judgement {
	soft, hard := map[Axis]bool{}, false
	for _, s := range found {
		switch s.Level {
		case Hard:
			hard = true
		case Soft:
			soft[s.Axis] = true
		case Info:
		}
	}
	j := Judgement{Verdict: Green, Cap: NoCap, Signals: found, Unknown: unknown}
	switch {
	case hard:
		j.Verdict, j.Cap = Critical, 0
	case len(soft) >= 2:
		j.Verdict, j.Cap = Warn, l.WarnCap
	}
	slices.SortStableFunc(j.Signals, func(a, b Signal) int { return cmp.Compare(weight(b.Level), weight(a.Level)) })
	return j
}

func weight(l Level) int { return slices.Index([]Level{Info, Soft, Hard}, l) }
