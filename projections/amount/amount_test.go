package amount_test

import (
	"errors"
	"testing"

	"autopilot/projections/amount"
)

func TestMoneyIsReadToTheMillionth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"5": 5_000_000, "0.50": 500_000, "$5": 5_000_000, " $12.345678 ": 12_345_678, "0.000001": 1, "007": 7_000_000,
		"1000000000": 1e15,
	} {
		got, err := amount.USD(text)
		if err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", text, got, err, want)
		}
	}
}

func TestWhatIsNoMoneyIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "0", "0.00", "$0", "-5", "+5", "5 USD", "5$", "$$5", "5.", ".5", "1,50", "1_000", "5.0000001", "1e3", "NaN", "inf",
		"1000000001", "99999999999999999999", "٣", "5.0.0", "$ 5",
	} {
		if got, err := amount.USD(text); !errors.Is(err, amount.ErrNoMoney) {
			t.Errorf("%q: %d %v", text, got, err)
		}
	}
}

func TestTokensAreReadInUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"200000": 200_000, "200k": 200_000, "1.5M": 1_500_000, " 2G ": 2e9, "0.001k": 1} {
		got, err := amount.Tokens(text)
		if err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5", "0.0001k", "k", "1K", "1 M", "1e6", "99999999999G", "M1", "1kk"} {
		if got, err := amount.Tokens(text); !errors.Is(err, amount.ErrNoCount) {
			t.Errorf("%q: %d %v", text, got, err)
		}
	}
}

func FuzzAmounts(f *testing.F) {
	for _, seed := range []string{"5", "$0.50", "1.5M", "-1", "999999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := amount.USD(text); err == nil && n <= 0 {
			t.Errorf("%q: %d", text, n)
		}
		if n, err := amount.Tokens(text); err == nil && n <= 0 {
			t.Errorf("%q: %d", text, n)
		}
	})
}
