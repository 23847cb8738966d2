package render

import (
	"testing"
	"time"
)

func TestDurationsShowTwoUnits(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0s": -1, "0ms": 0, "12ms": 12 * time.Millisecond, "1s": time.Second, "4.2s": 4299 * time.Millisecond, "59s": 59900 * time.Millisecond,
		"4m12s": 252 * time.Second, "4m": 240 * time.Second, "3h5m": 3*time.Hour + 5*time.Minute + 59*time.Second, "2d4h": 52 * time.Hour,
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", int64(d), got, want)
		}
	}
	for want, d := range map[string]time.Duration{"0s": 900 * time.Millisecond, "9s": 9900 * time.Millisecond, "1m1s": 61 * time.Second} {
		if got := Age(d); got != want {
			t.Errorf("age %v: %q, want %q", d, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]int64{"0 B": 0, "1023 B": 1023, "1.0 KiB": 1024, "1.5 MiB": 3 << 19, "2.0 GiB": 2 << 30, "3.0 TiB": 3 << 40} {
		if got := Size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestTextIsCutByCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abcdef", 4, "abc…"}, {"abcd", 4, "abcd"}, {"漢字漢字", 5, "漢字…"}, {"漢字漢字", 4, "漢…"}, {"e\u0301e\u0301e", 3, "e\u0301e\u0301e"}, {"abc", 0, "abc"},
	} {
		if got := (Style{}).cut(c.in, c.n); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestHashesAreShort(t *testing.T) {
	t.Parallel()
	if got := Hash("3f2a9c1b7788aa55"); got != "3f2a9c1b77" {
		t.Error(got)
	}
	if got := Hash(""); got != "" {
		t.Error(got)
	}
}
