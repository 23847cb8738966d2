package ctl

import (
	"math"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/projections/orchestrator"
)

// series reads the bounds of sessions in a row. A number out of its range is clamped, and
// that is said; what is no number, or empty, is refused.
//
// Source: session-orchestrator, seeds 2.1.2; Q4.
func (o *limitOptions) series(a *app, spec *wire.RunSpec) error {
	for _, f := range []struct {
		flag, text string
		set        func(float64)
	}{
		{"max-sessions", o.sessions, func(v float64) { spec.Series.Sessions = int(v) }},
		{"max-hours", o.hours, func(v float64) { spec.Series.Hours = v }},
		{"confidence-threshold", o.confidence, func(v float64) { spec.Series.Confidence = &v }},
	} {
		if !o.typed(f.flag) {
			continue
		}
		b, _ := orchestrator.FindBound(f.flag)
		v := orchestrator.CoerceText(f.text)
		if strings.TrimSpace(f.text) == "" || math.IsNaN(v) || math.IsInf(v, 0) {
			return render.BadBound(f.flag, f.text, b.Min, b.Max)
		}
		c, moved := b.Clamp(v)
		if moved {
			a.note(render.Clamped(f.flag, v, c))
		}
		if f.flag == "confidence-threshold" && c < orchestrator.LowThreshold {
			a.note(render.LowThreshold(c))
		}
		f.set(c)
	}
	return nil
}
