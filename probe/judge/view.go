package judge

import "autopilot/events/wire"

// View is a judgement by a policy in the form of the wire, with the cap of the
// verdict that counts. Slots are that cap, as far as nothing else bounds them.
func (b Band) View(p Policy, j Judgement, l Limits) wire.ProbePolicy {
	steady := j
	if b.Verdict != "" {
		steady = j.As(b.Verdict, p, l)
	}
	v := wire.ProbePolicy{
		Policy: string(p), Band: string(b.Verdict), Since: b.Since.UTC(), Verdict: string(j.Verdict), Cap: steady.Cap, Slots: steady.Cap,
		Signals: []wire.ProbeSignal{}, Unknown: []string{},
	}
	for _, s := range j.Signals {
		v.Signals = append(v.Signals, wire.ProbeSignal{
			Axis: string(s.Axis), Level: string(s.Level), Of: s.Of, Value: s.Value, Limit: s.Limit, Unit: string(s.Unit),
		})
	}
	for _, a := range j.Unknown {
		v.Unknown = append(v.Unknown, string(a))
	}
	return v
}
