package when

import (
	"fmt"
	"strings"
	"time"
)

// Limits of one process tree, where neither workflow nor settings say otherwise: of the
// silence of an agent, of an agent, and of a command of a gate. DefaultIdle is longer
// than the ten minutes after which tools and clients of agents give up by themselves.
const (
	DefaultIdle    = 12 * time.Minute
	DefaultAttempt = 2 * time.Hour
	DefaultGate    = 30 * time.Minute
)

// Unlimited is a limit in milliseconds that is none.
const Unlimited int64 = -1

// maxLimit is the longest limit of one process: workflows have the same.
const maxLimit = 30 * 24 * time.Hour

// LimitMS reads a limit of one process, in milliseconds: a length of time of up to 720h,
// or 0 or off for Unlimited. The error is an ErrNoSpan.
func LimitMS(text string) (int64, error) {
	v := strings.TrimSpace(text)
	if d, err := time.ParseDuration(v); v == "off" || err == nil && d == 0 {
		return Unlimited, nil
	}
	d, err := Span(v)
	if err == nil && (d < time.Millisecond || d > maxLimit) {
		err = fmt.Errorf("%q is %w", text, ErrNoSpan)
	}
	return d.Milliseconds(), err
}

// LimitText is a limit in milliseconds as a person writes it.
func LimitText(ms int64) string {
	if ms < 0 {
		return "off"
	}
	return Text(time.Duration(ms) * time.Millisecond)
}

// Text is a length of time as a person writes it: 2h, not 2h0m0s.
func Text(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
