package phrase

import (
	"fmt"
	"strings"

	"autopilot/events"
)

// Amount is a quantity in the unit of a limit.
func Amount(l events.Language, of events.Halt, n int64) string {
	switch of {
	case events.HaltCost:
		return USD(n)
	case events.HaltTokens:
		return Tokens(l, n)
	case events.HaltTurns:
		return Say(l, "%d turns", "%d ターン", n)
	default:
		return fmt.Sprint(n)
	}
}

// Count is a number with its noun: 1 pass, 3 files, 2 entries.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Counted is a number with its noun, or its counter: 1 file, 3 files, 3 ファイル.
func Counted(l events.Language, n int, noun, ja string) string {
	if l == events.Japanese {
		return fmt.Sprintf("%d %s", n, ja)
	}
	return Count(n, noun)
}

// USD is an amount of money in millionths of a dollar: to the cent, and finer
// below ten of them.
func USD(micro int64) string {
	digits := 2
	if micro > -100_000 && micro < 100_000 && micro%10_000 != 0 {
		digits = 4
	}
	return fmt.Sprintf("$%.*f", digits, float64(micro)/1e6)
}

// Tokens is a number of tokens: 950, 12.3k, 1.2M.
func Tokens(l events.Language, n int64) string {
	return Say(l, "%s tokens", "%s トークン", Number(n))
}

// Number is a large number in few digits: 950, 12.3k, 1.2M.
func Number(n int64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if float64(n) >= u.of*0.9995 {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/u.of), ".0") + u.name
		}
	}
	return fmt.Sprint(n)
}
