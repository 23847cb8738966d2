package meter

import (
	"cmp"
	"strings"

	"autopilot/daemon/agent/stream"
	"autopilot/events"
)

// usage is what this process used, by source.
func (m *Meter) usage(s stream.Summary) events.Usage {
	u := events.Usage{
		Input: s.Usage.Input, CacheRead: s.Usage.CacheRead, CacheWrite: s.Usage.CacheWrite, Output: s.Usage.Output,
		TokensFrom: events.Source(s.UsageFrom), MicroUSD: s.MicroUSD, CostFrom: events.Source(s.CostFrom), Turns: s.Turns,
	}
	if s.Cumulative {
		u = less(u, m.cfg.Before)
	}
	if u.TokensFrom != events.Reported && u.CostFrom != events.Reported && idle(s) && !m.partial {
		u.TokensFrom, u.CostFrom = events.Guessed, events.Guessed
		return u
	}
	if u.CostFrom != events.Reported && u.TokensFrom == events.Reported && m.cfg.Price != nil {
		if cost, date, ok := m.cfg.Price(s.Model, tokens(u)); ok {
			u.MicroUSD, u.CostFrom, u.Prices = cost, events.Computed, date
		}
	}
	if m.partial && !s.Totals() {
		// The numbers are a lower bound, and no limit is kept to by those.
		u.TokensFrom, u.CostFrom = events.SourceUnknown, events.SourceUnknown
	}
	return u
}

// idle says that an agent did nothing. The silence of a program without a
// stream says nothing.
func idle(s stream.Summary) bool {
	return !s.Worked() && s.Last == "" && (!s.Format.Lined() || s.Lines == 0 && s.Format != stream.Text)
}

func tokens(u events.Usage) stream.Usage {
	return stream.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}
}

// less takes off what was used before, of each number that was told.
func less(u, before events.Usage) events.Usage {
	if u.TokensFrom == events.Reported {
		u.Input = max(u.Input-before.Input, 0)
		u.CacheRead = max(u.CacheRead-before.CacheRead, 0)
		u.CacheWrite = max(u.CacheWrite-before.CacheWrite, 0)
		u.Output = max(u.Output-before.Output, 0)
	}
	if u.CostFrom == events.Reported {
		u.MicroUSD = max(u.MicroUSD-before.MicroUSD, 0)
	}
	return u
}

// summary is that of the whole output: of what was read, after what a
// checkpoint has.
func (m *Meter) summary() stream.Summary {
	s := m.reader.Summary()
	if !m.based {
		return s
	}
	return join(m.base, s)
}

// join is the summary of two parts of one output.
func join(a, b stream.Summary) stream.Summary {
	out := b
	if b.Known == 0 { // nothing of the stream came since
		out = a
		out.RepeatNow, out.Stale = b.RepeatNow, b.Stale
	}
	joinUsage(&out, a, b)
	joinTexts(&out, a, b)
	if out.Limited == (stream.Limits{}) {
		out.Limited = a.Limited
	}
	if out.Repeat = b.Repeat; a.Repeat.Count > b.Repeat.Count {
		out.Repeat = a.Repeat
	}
	out.Claims = a.Claims || b.Claims
	out.Tools, out.Denied, out.Retries, out.Pending = a.Tools+b.Tools, a.Denied+b.Denied, a.Retries+b.Retries, a.Pending+b.Pending
	out.Lines, out.Long = a.Lines+b.Lines, a.Long+b.Long
	out.Known, out.Unknown, out.Junk = a.Known+b.Known, a.Unknown+b.Unknown, a.Junk+b.Junk
	return out
}

// plainBytes bounds the end of what is not of the stream.
const plainBytes = 8 << 10

func joinTexts(out *stream.Summary, a, b stream.Summary) {
	out.Session, out.Model = cmp.Or(b.Session, a.Session), cmp.Or(b.Model, a.Model)
	out.Last, out.Plain = cmp.Or(b.Last, a.Last), a.Plain+b.Plain
	if n := len(out.Plain); n > plainBytes {
		out.Plain = strings.ToValidUTF8(out.Plain[n-plainBytes:], "")
	}
	if out.Format.Lined() {
		out.Last = out.Plain
	}
}

// joinUsage adds what lines say. A total stands alone, if it is one: it is at
// least as much as was known before.
func joinUsage(out *stream.Summary, a, b stream.Summary) {
	switch {
	case b.UsageFrom != stream.Reported:
		out.Usage, out.UsageFrom = a.Usage, a.UsageFrom
	case b.Totals() && total(b.Usage) >= total(a.Usage):
		out.Usage, out.UsageFrom = stream.Usage{
			Input: max(a.Usage.Input, b.Usage.Input), CacheRead: max(a.Usage.CacheRead, b.Usage.CacheRead),
			CacheWrite: max(a.Usage.CacheWrite, b.Usage.CacheWrite), Output: max(a.Usage.Output, b.Usage.Output),
		}, b.UsageFrom
	default:
		out.Usage, out.UsageFrom = stream.Usage{
			Input: a.Usage.Input + b.Usage.Input, CacheRead: a.Usage.CacheRead + b.Usage.CacheRead,
			CacheWrite: a.Usage.CacheWrite + b.Usage.CacheWrite, Output: a.Usage.Output + b.Usage.Output,
		}, b.UsageFrom
	}
	switch {
	case b.CostFrom != stream.Reported:
		out.MicroUSD, out.CostFrom = a.MicroUSD, a.CostFrom
	case b.Format.Steps():
		out.MicroUSD, out.CostFrom = a.MicroUSD+b.MicroUSD, b.CostFrom
	default:
		out.MicroUSD, out.CostFrom = max(a.MicroUSD, b.MicroUSD), b.CostFrom
	}
	if out.Turns = a.Turns + b.Turns; b.Totals() && (b.Format == stream.Claude || b.Format == stream.Qwen) {
		out.Turns = max(a.Turns, b.Turns)
	}
}

func total(u stream.Usage) int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }
