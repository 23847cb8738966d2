package probe

import (
	"strconv"
	"strings"

	"autopilot/probe/judge"
)

// What programs of macOS print of its memory. They are read here on every system,
// so that every system tests it.

// freePercent reads the line "System-wide memory free percentage: 63%" of
// memory_pressure -Q.
func freePercent(out string) judge.Num {
	for line := range strings.Lines(out) {
		label, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || !strings.HasSuffix(label, "free percentage") {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), "%"), 64)
		if err != nil || v > 100 {
			return judge.Num{}
		}
		return judge.Known(v)
	}
	return judge.Num{}
}

// available sums the pages of vm_stat that programs can have at once: free and
// inactive ones, and where they are told speculative and purgeable ones. Those
// that back files are none.
//
// Source: session-orchestrator, seeds 2.2.1 (S10).
func available(out string) judge.Num {
	size, pages := pageSize(out), map[string]float64{}
	for line := range strings.Lines(out) {
		label, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if n, err := strconv.ParseUint(strings.Trim(value, " ."), 10, 63); ok && err == nil {
			pages[label] = float64(n)
		}
	}
	free, ok := pages["Pages free"]
	inactive, known := pages["Pages inactive"]
	if !ok || !known || size == 0 {
		return judge.Num{}
	}
	return judge.Known(size * (free + inactive + pages["Pages speculative"] + pages["Pages purgeable"]))
}

// pageSize is in the first line of vm_stat: "(page size of 16384 bytes)". 0 is
// unknown.
func pageSize(out string) float64 {
	_, rest, _ := strings.Cut(out, "page size of ")
	text, _, _ := strings.Cut(rest, " bytes")
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return float64(n)
}
