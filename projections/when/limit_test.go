package when

import (
	"errors"
	"testing"
	"time"
)

func TestALimitIsALengthOfTimeOrNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"20m": 20 * 60_000, "90s": 90_000, "1h30m": 90 * 60_000, "2d": 48 * 3600_000, " 300ms ": 300, "1ms": 1, "720h": 720 * 3600_000,
		"off": Unlimited, "0": Unlimited, "0s": Unlimited, "0m": Unlimited,
	} {
		if got, err := LimitMS(text); got != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1m", "20", "abc", "on", "none", "1us", "721h", "31d", "Off "} {
		if got, err := LimitMS(text); !errors.Is(err, ErrNoSpan) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

func TestALimitIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	for want, ms := range map[string]int64{"12m": 12 * 60_000, "2h": 7_200_000, "1h30m": 90 * 60_000, "90h0m1s": 90*3600_000 + 1000, "300ms": 300, "off": Unlimited} {
		got := LimitText(ms)
		if back, err := LimitMS(got); got != want || back != ms || err != nil {
			t.Errorf("%d: %q, read as %d: %v; want %q", ms, got, back, err, want)
		}
	}
	if got := Text(30 * time.Minute); got != "30m" {
		t.Error(got)
	}
}
