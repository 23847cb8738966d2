package config

import (
	"autopilot/daemon/strictyaml"
	"autopilot/events/stored"
	"autopilot/projections/when"
)

// Timeout is a limit of one process in milliseconds; in a file 20m, or 0 or off for
// none, which is when.Unlimited. Zero is not set.
type Timeout int64

// DecodeYAML implements strictyaml.Decoder.
func (t *Timeout) DecodeYAML(v strictyaml.Value) error {
	if !scalar(v) {
		return v.Mismatch("a length of time such as 20m or 2h, or off")
	}
	ms, err := when.LimitMS(v.Plain())
	if err != nil {
		return v.Errorf("write 20m, 90s, 2h or off", "%q is not a time limit", v.Plain())
	}
	*t = Timeout(ms)
	return nil
}

// The keys of limits of single processes.
const (
	keyIdle    = "limits.idle"
	keyAttempt = "limits.iteration_timeout"
	keyGate    = "limits.gate_timeout"
)

// timeoutOf are those keys, with where a file and a spec have them.
var timeoutOf = []struct {
	key string
	of  func(Limits) int64
	in  func(*stored.Timeouts) *int64
}{
	{keyIdle, func(l Limits) int64 { return int64(l.Idle) }, func(t *stored.Timeouts) *int64 { return &t.IdleMS }},
	{keyAttempt, func(l Limits) int64 { return int64(l.IterationTimeout) }, func(t *stored.Timeouts) *int64 { return &t.AttemptMS }},
	{keyGate, func(l Limits) int64 { return int64(l.GateTimeout) }, func(t *stored.Timeouts) *int64 { return &t.GateMS }},
}

// timeouts fills in what was not typed of the limits of single processes.
func (a *application) timeouts() {
	for _, t := range timeoutOf {
		if to := t.in(&a.out.Order.Spec.Timeouts); *to == 0 {
			*to = a.number(t.key, t.of, when.LimitMS)
			a.use(t.key)
		}
	}
}

// Trusted are the limits that the files alone say, of two the lower one. A chat can
// keep to less, and to no more.
//
// Source: DESIGN 8: a run that a session starts may only lower limits.
func (l Layers) Trusted() stored.Timeouts {
	var out stored.Timeouts
	for _, t := range timeoutOf {
		to := t.in(&out)
		if l.Project != nil {
			*to = t.of(l.Project.Limits)
		}
		if l.User != nil {
			*to = stored.Lower(*to, t.of(l.User.Limits))
		}
	}
	return out
}

// Kept are the limits of a run that a chat has asked for: where it said nothing, the
// trusted ones.
func Kept(asked, filled, trusted stored.Timeouts, environment map[string]string) stored.Timeouts {
	for _, t := range timeoutOf {
		if _, set := environment[t.key]; *t.in(&asked) == 0 && !set {
			*t.in(&filled) = *t.in(&trusted)
		}
	}
	return filled
}

// timeouts checks the limits in time of a file.
func (f *faults) timeouts(l Limits) {
	if l.GateTimeout < 0 {
		f.add(keyGate, "write 24h, or another length of time", "without a limit a gate that hangs holds the run for ever")
	}
}

// badTimeout says what is wrong with one in a variable; nothing is wrong without want.
func badTimeout(key, text string) (want, what string) {
	switch ms, err := when.LimitMS(text); {
	case err != nil:
		return "write 20m, 90s, 2h or off", "%q is not a time limit"
	case ms < 0 && key == keyGate:
		return "write 24h, or another length of time", "%q: a gate that hangs would hold the run for ever"
	}
	return "", ""
}
