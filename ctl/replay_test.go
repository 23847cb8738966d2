package ctl

import (
	"testing"
	"time"
)

func TestPositionsOfAReplay(t *testing.T) {
	t.Parallel()
	a := &app{World: World{Now: func() time.Time { return noon }, Zone: time.UTC}}
	for _, c := range []struct{ in, want, err string }{
		{in: "", want: ""},
		{in: "17", want: "17"},
		{in: "iteration:2", want: "iteration:2"},
		{in: "11:59", want: "2026-01-02T11:59:00Z"},
		{in: "11:59:30", want: "2026-01-02T11:59:30Z"},
		{in: "12:01", want: "2026-01-01T12:01:00Z"},
		{in: "2026-01-01 03:12", want: "2026-01-01T03:12:00Z"},
		{in: "2026-01-01T03:12:00+09:00", want: "2026-01-01T03:12:00+09:00"},
		{in: "last night", err: "is not a position"},
	} {
		got, err := a.position(c.in)
		if wantErr(t, err, c.err) {
			continue
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestThePaceOfAReplay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in      string
		tty     bool
		speed   float64
		longest time.Duration
		err     string
	}{
		{in: "", tty: true, speed: defaultSpeed, longest: longestPause},
		{in: "", speed: 0, longest: longestPause},
		{in: "10", speed: 10},
		{in: "2.5x", speed: 2.5},
		{in: "0", tty: true, speed: 0},
		{in: "-1", err: "is not a number"},
		{in: "fast", err: "is not a number"},
		{in: "NaN", err: "is not a number"},
		{in: "Inf", err: "is not a number"},
	} {
		p := player{refresh: c.tty, longest: longestPause}
		got, err := p.pace(c.in)
		if wantErr(t, err, c.err) {
			continue
		}
		if got != c.speed || p.longest != c.longest {
			t.Errorf("%q: %v and %v, want %v and %v", c.in, got, p.longest, c.speed, c.longest)
		}
	}
}
