package probe

import "testing"

const vmStat = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               12094.
Pages active:                            343208.
Pages inactive:                          331246.
Pages speculative:                        11206.
Pages throttled:                              0.
Pages wired down:                        129023.
Pages purgeable:                           8012.
"Translation faults":                 829413942.
Pages copy-on-write:                   40122731.
File-backed pages:                       201552.
Anonymous pages:                         484108.
Swapins:                                      0.
`

// TestSeeds221WhatMacOSHasLeft is seeds 2.2.1: free, inactive, speculative and
// purgeable pages; without free or inactive ones nothing is known.
func TestSeeds221WhatMacOSHasLeft(t *testing.T) {
	t.Parallel()
	const head = "Mach Virtual Memory Statistics: (page size of 4096 bytes)\n"
	for _, tt := range []struct {
		name, out string
		want      float64 // in bytes; less than 0 is unknown
	}{
		{"S10: few free pages and many that can be had", vmStat, 16384 * (12094 + 331246 + 11206 + 8012)},
		{"no speculative and no purgeable ones", head + "Pages free: 100.\nPages inactive: 50.\n", 4096 * 150},
		{"file-backed pages are none", head + "Pages free: 1.\nPages inactive: 1.\nFile-backed pages: 999999.\n", 4096 * 2},
		{"no free ones", head + "Pages inactive: 50.\n", -1},
		{"no inactive ones", head + "Pages free: 100.\n", -1},
		{"text for a number", head + "Pages free: many.\nPages inactive: 50.\n", -1},
		{"a negative number", head + "Pages free: -5.\nPages inactive: 50.\n", -1},
		{"no page size", "Pages free: 100.\nPages inactive: 50.\n", -1},
		{"a page size that is none", "(page size of x bytes)\nPages free: 100.\nPages inactive: 50.\n", -1},
		{"nothing", "", -1},
	} {
		if v, ok := available(tt.out).Get(); ok != (tt.want >= 0) || ok && v != tt.want {
			t.Errorf("%s: %v, known %v; want %v", tt.name, v, ok, tt.want)
		}
	}
}

// TestSeeds221ThePressureOfMacOS: its summary line, as it is printed.
func TestSeeds221ThePressureOfMacOS(t *testing.T) {
	t.Parallel()
	const head = "The system has 17179869184 (1048576 pages with a page size of 16384).\n"
	for _, tt := range []struct {
		name, out string
		want      float64 // less than 0 is unknown
	}{
		{"as it is printed", head + "System-wide memory free percentage: 63%\n", 63},
		{"without an end of line", head + "System-wide memory free percentage: 7%", 7},
		{"with spaces", "  System-wide memory free percentage:  0% \n", 0},
		{"more than all", "System-wide memory free percentage: 163%\n", -1},
		{"less than nothing", "System-wide memory free percentage: -3%\n", -1},
		{"no number", "System-wide memory free percentage: low%\n", -1},
		{"not a number", "System-wide memory free percentage: NaN%\n", -1},
		{"no summary", head, -1},
		{"nothing", "", -1},
	} {
		if v, ok := freePercent(tt.out).Get(); ok != (tt.want >= 0) || ok && v != tt.want {
			t.Errorf("%s: %v, known %v; want %v", tt.name, v, ok, tt.want)
		}
	}
}
