package stream

import (
	"slices"
	"strings"
)

// Guess is what an output may be of.
type Guess struct {
	Format Format // most likely; Text where it is of no stream
	// Candidates are the formats that it may be of too, Format first; empty where one
	// is sure.
	Candidates []Format
}

// seen are the types and the members of the objects of an output.
type seen struct{ types, members map[string]int }

func seenIn(output []byte) seen {
	s := seen{map[string]int{}, map[string]int{}}
	note := func(_ *Reader, o object) {
		s.types[o.word("type")]++
		for _, m := range o.m {
			s.members[string(m.key)]++
		}
	}
	r := New(Text, nil)
	r.line = note
	_, _ = r.Write(output) // takes all
	r.End()
	return s
}

// evidence counts the types of a format that were seen and its marks, each once, and
// the objects of other types. A mark says more: other programs have no such member.
func (f form) evidence(s seen) (fields, score int) {
	for typ, n := range s.types {
		if f.has(typ) {
			fields, score = fields+1, score+min(n, 3)
		} else {
			score -= min(n, 2)
		}
	}
	for mark := range strings.FieldsSeq(f.marks) {
		if s.members[mark] > 0 {
			fields, score = fields+1, score+4
		}
	}
	return fields, score
}

// has says that lines of a format have that type.
func (f form) has(typ string) bool {
	for t := range strings.FieldsSeq(f.types) {
		if t == typ || strings.HasSuffix(t, ".") && strings.HasPrefix(typ, t) {
			return true
		}
	}
	return false
}

// leastFields is how many types and marks have to be of a format for one to be sure.
const leastFields = 2

// Detect finds the format of an output by the types of its objects and by the members
// that only one program has.
func Detect(output []byte) Guess {
	s := seenIn(output)
	type scored struct {
		format        Format
		fields, score int
	}
	var all []scored
	for _, f := range forms() {
		if f.line == nil {
			continue
		}
		fields, score := f.evidence(s)
		if marked := slices.ContainsFunc(strings.Fields(f.marks), func(m string) bool { return s.members[m] > 0 }); f.like && !marked {
			continue
		}
		if fields > 0 && score > 0 {
			all = append(all, scored{f.format, fields, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return b.score - a.score })
	if len(all) == 0 || all[0].fields < leastFields {
		if f := byLines(output, s); f != Text || len(all) == 0 {
			return Guess{Format: f}
		}
	}
	g := Guess{Format: all[0].format}
	for _, other := range all[1:] {
		if 3*other.score > 2*all[0].score || all[0].fields < leastFields {
			g.Candidates = append(g.Candidates, other.format)
		}
	}
	if len(g.Candidates) > 0 || all[0].fields < leastFields {
		g.Candidates = append([]Format{g.Format}, g.Candidates...)
	}
	return g
}

// byLines finds a program by the lines of text that it is known by.
func byLines(output []byte, s seen) Format {
	switch {
	case Read(Aider, output).Known > 0:
		return Aider
	case len(s.types) == 0 && Read(Opencode, output).Known > 0:
		return Opencode
	}
	return Text
}
