// Package amount reads amounts of money and of tokens as people write them, in
// flags and in files, so that both mean the same.
//
// It is pure and links the standard library only, as apctl pays for all that it
// links at every start. Nothing is rounded or cut to a range: what is not exact
// or not meant is an error.
package amount

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Errors of what means nothing.
var (
	ErrNoMoney = errors.New("not an amount of money")
	ErrNoCount = errors.New("not a number of tokens")
)

// maxUSD bounds an amount of money that is meant, in dollars.
const maxUSD = 1_000_000_000

// USD reads an amount over zero in dollars, as millionths of one: 5, 0.50, $5.
// The error is an ErrNoMoney.
func USD(text string) (int64, error) {
	n, err := Micro(strings.TrimPrefix(strings.TrimSpace(text), "$"))
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is %w", text, ErrNoMoney)
	}
	return n, nil
}

// Micro reads a decimal number of at most six places, as millionths: 0 or more.
// The error is an ErrNoMoney.
func Micro(text string) (int64, error) {
	whole, part, dotted := strings.Cut(text, ".")
	digits := strings.Trim(whole+part, "0123456789") == ""
	if !digits || whole == "" || dotted && (part == "" || len(part) > 6) {
		return 0, fmt.Errorf("%q is %w", text, ErrNoMoney)
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > maxUSD {
		return 0, fmt.Errorf("%q is %w", text, ErrNoMoney)
	}
	m, _ := strconv.ParseInt((part + "000000")[:6], 10, 64) // digits, as was seen
	return n*1e6 + m, nil
}

// Tokens reads a number over zero: 200000, 200k, 1.5M. The error is an
// ErrNoCount.
func Tokens(text string) (int64, error) {
	v, unit := strings.TrimSpace(text), int64(1)
	for suffix, of := range map[string]int64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if number, ok := strings.CutSuffix(v, suffix); ok {
			v, unit = number, of
		}
	}
	micro, err := Micro(v)
	if err != nil || micro == 0 || micro > (1<<62)/unit || micro*unit%1e6 != 0 {
		return 0, fmt.Errorf("%q is %w", text, ErrNoCount)
	}
	return micro * unit / 1e6, nil
}
