package snapshot

import (
	"encoding/binary"
	"iter"

	"autopilot/projections/run"
)

// Spent is what the agents of a run used, in few bytes: a sum over ten thousand
// runs looks at what is of its time only, and decodes no state.
type Spent struct {
	First, Last int64  // quarters: of nothing when packed is empty
	packed      string // entries, one behind the other
}

// Pack makes the short form of a list.
func Pack(list []run.Spend) Spent {
	if len(list) == 0 {
		return Spent{}
	}
	out := Spent{First: list[0].Quarter, Last: list[0].Quarter}
	var b []byte
	var before run.Spend
	for _, s := range list {
		out.First, out.Last = min(out.First, s.Quarter), max(out.Last, s.Quarter)
		b = binary.AppendVarint(b, s.Quarter-before.Quarter)
		b = appendChange(b, before.Model, s.Model)
		b = appendChange(b, before.Agent, s.Agent)
		for _, n := range numbers(&s) {
			b = binary.AppendVarint(b, *n)
		}
		for _, n := range counts(&s) {
			b = binary.AppendVarint(b, int64(*n))
		}
		before = s
	}
	out.packed = string(b)
	return out
}

// appendChange writes a text only where it differs from the one before.
func appendChange(b []byte, before, text string) []byte {
	if text == before {
		return binary.AppendUvarint(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(text))+1)
	return append(b, text...)
}

func (r *reader) change(before string) string {
	if n := r.uint(); n > 0 {
		return r.bytes(n - 1)
	}
	return before
}

func numbers(s *run.Spend) [6]*int64 {
	u := &s.Usage
	return [6]*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.Output, &u.MicroUSD, &s.ActiveMS}
}

func counts(s *run.Spend) [5]*int {
	return [5]*int{&s.Usage.Turns, &s.Agents, &s.NoTokens, &s.NoCost, &s.Computed}
}

// Within says that some of it may be of the quarters from first up to last.
func (p Spent) Within(first, last int64) bool {
	return p.packed != "" && p.First <= last && p.Last >= first
}

// All is the list. What cannot be read ends it: the index that it comes from is
// proven by a checksum.
func (p Spent) All() iter.Seq[run.Spend] {
	return func(yield func(run.Spend) bool) {
		r := reader{b: []byte(p.packed)}
		var s run.Spend
		for len(r.b) > 0 {
			quarter := s.Quarter + r.int()
			s = run.Spend{Quarter: quarter, Model: r.change(s.Model), Agent: r.change(s.Agent)}
			for _, n := range numbers(&s) {
				*n = r.int()
			}
			for _, n := range counts(&s) {
				*n = int(r.int())
			}
			if r.err != nil || !yield(s) {
				return
			}
		}
	}
}

// append writes it into an index.
func (p Spent) append(b []byte) []byte {
	b = appendText(b, p.packed)
	if p.packed == "" {
		return b
	}
	b = binary.AppendVarint(b, p.First)
	return binary.AppendUvarint(b, uint64(p.Last-p.First))
}

func (r *reader) spent() (p Spent) {
	if p.packed = r.text(); p.packed == "" {
		return p
	}
	p.First = r.int()
	p.Last = p.First + int64(r.uint())
	return p
}
