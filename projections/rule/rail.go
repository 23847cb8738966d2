package rule

import (
	"iter"
	"slices"
)

// MinWindow is the least window in which a repeat can be seen: atdd-kit accepts
// 0 and 1, and then never fires.
const MinWindow = 2

// leastKept is how many failures a history keeps at least.
const leastKept = 5

// Failure is a failed iteration as the rails see it.
type Failure struct {
	Iteration   int    `json:"iteration"`
	Fingerprint string `json:"fingerprint"`
	Signature   string `json:"signature"`

	// Notes is what the tree with notes was, where the fingerprint knows it without
	// them. An equal failure with other notes has thought about it: it is told once,
	// and no repeat before it comes back again. Empty does not count.
	Notes string `json:"notes,omitzero"`
}

// History is the last failed iterations of one phase, oldest first, as many as
// the rails look at. Passed iterations and no-ops are not in it, so they break
// nothing. It is a value: Add and Resume return another one and leave the first
// as it is. The zero value keeps enough for the default rails.
type History struct {
	Keep  int       `json:"keep,omitzero"`  // at least 5
	Older []Failure `json:"older,omitzero"` // before Fails
	Fails []Failure `json:"fails,omitzero"` // the newest, few enough to be copied with each Add

	// Judged is how many, from the oldest, a person has seen: a repeat among them
	// alone fires nothing again.
	Judged int `json:"judged,omitzero"`
}

// recent is how many failures Fails holds before they become older ones.
const recent = 8

// Len is how many failures are kept.
func (h History) Len() int { return len(h.Older) + len(h.Fails) }

// NewHistory keeps what a stuck window and a number of equal signatures need.
func NewHistory(window, signatures int) History {
	return History{Keep: max(window, signatures, leastKept)}
}

// Add appends a failed iteration. Its cost does not grow with the run: it copies
// the few newest, and all that are kept only once in a while.
func (h History) Add(f Failure) History {
	if len(h.Fails) >= recent {
		keep := max(h.Keep, leastKept)
		drop := max(0, h.Len()+1-keep)
		old := min(drop, len(h.Older))
		h.Older = slices.Concat(h.Older[old:], h.Fails[drop-old:])
		h.Fails, h.Judged = nil, max(0, h.Judged-drop)
	}
	fails := make([]Failure, 0, len(h.Fails)+1)
	h.Fails = append(append(fails, h.Fails...), f)
	return h
}

// Anew forgets what failed before: a person has found something that was not
// known then, so what follows is compared with itself alone.
func (h History) Anew() History { return History{Keep: h.Keep} }

// Unnoted is the history without notes, for fingerprints that know no tree.
func (h History) Unnoted() History {
	for _, list := range []*[]Failure{&h.Older, &h.Fails} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Notes = ""
		}
	}
	return h
}

// Resume marks that a person has seen the history and let the run go on. The
// history stays: the same failure once more fires at once, an older repeat does
// not.
func (h History) Resume() History {
	h.Judged = h.Len()
	return h
}

// Match is the evidence of a rail: the iterations that are equal, oldest first,
// and the value that they share.
type Match struct {
	Iterations []int
	Value      string
}

// Sameness fires if the last two failed iterations are equal; a pass between
// them breaks nothing (atdd-kit: check_sameness). With other notes the first
// return is let off.
func (h History) Sameness() (Match, bool) {
	m, fired := h.allEqual(2, fingerprintOf)
	return m, fired && !h.letOff(m, 2)
}

// Stuck fires if any fingerprint repeats within the last window failed
// iterations, and there are that many (atdd-kit: check_stuck). A window under
// MinWindow never fires.
func (h History) Stuck(window int) (Match, bool) {
	last, ok := h.last(window)
	if !ok || window < MinWindow {
		return Match{}, false
	}
	// The newest repeat is the one that a person wants to see.
	for i := len(last) - 1; i > 0; i-- {
		if !h.fresh(len(last) - i) {
			break
		}
		m := matching(last[:i+1], last[i].Fingerprint, fingerprintOf)
		if len(m.Iterations) > 1 && !h.letOff(m, window) {
			return m, true
		}
	}
	return Match{}, false
}

// Return is the repeat that the last failed iteration is and that is let off, as
// it came back with other notes: the next agent is told that once more halts.
func (h History) Return(window int) (Match, bool) {
	window = max(window, MinWindow)
	last, ok := h.last(min(window, h.Len()))
	if !ok || !h.fresh(1) {
		return Match{}, false
	}
	m := matching(last, last[len(last)-1].Fingerprint, fingerprintOf)
	return m, len(m.Iterations) > 1 && h.letOff(m, window)
}

// letOff says that a repeat is the first return of a failure, with notes that it
// had at none of the times before in the window. A failure that returned before was
// told so, and is not let off again.
func (h History) letOff(m Match, window int) bool {
	returned := m.Iterations[len(m.Iterations)-1]
	var before []place
	at := 0
	for f := range h.all() {
		at++
		switch {
		case f.Fingerprint != m.Value:
		case f.Iteration == returned:
			return f.Notes != "" && !slices.ContainsFunc(before, func(p place) bool {
				return p.returned || at-p.at < window && (p.notes == "" || p.notes == f.Notes)
			})
		default:
			n := len(before)
			before = append(before, place{at, f.Notes, n > 0 && at-before[n-1].at < window})
		}
	}
	return false
}

// Successive says that the last failures of all are those of a match.
func (h History) Successive(m Match) bool {
	last, ok := h.last(len(m.Iterations))
	return ok && last[0].Iteration == m.Iterations[0]
}

// place is where a failure is in a history.
type place struct {
	at       int
	notes    string
	returned bool // an equal one was in the window before it
}

// all goes through the failures, oldest first.
func (h History) all() iter.Seq[Failure] {
	return func(yield func(Failure) bool) {
		for _, list := range [][]Failure{h.Older, h.Fails} {
			for _, f := range list {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// SameSignature fires if the last n failed iterations have one signature.
func (h History) SameSignature(n int) (Match, bool) {
	return h.allEqual(n, signatureOf)
}

// WarnAt is after how many equal signatures the next agent is told of them, where so
// many halt.
func WarnAt(halts int) int { return max(MinWindow, halts-2) }

func fingerprintOf(f Failure) string { return f.Fingerprint }
func signatureOf(f Failure) string   { return f.Signature }

func (h History) allEqual(n int, value func(Failure) string) (Match, bool) {
	last, ok := h.last(n)
	if !ok || n < 2 || !h.fresh(1) {
		return Match{}, false
	}
	m := matching(last, value(last[n-1]), value)
	return m, len(m.Iterations) == n
}

// fresh reports whether the failure that is back from the end, 1 for the last,
// came after the last resume.
func (h History) fresh(back int) bool { return h.Len()-back >= h.Judged }

func (h History) last(n int) ([]Failure, bool) {
	switch k := n - len(h.Fails); {
	case n < 1 || h.Len() < n:
		return nil, false
	case k > 0:
		return slices.Concat(h.Older[len(h.Older)-k:], h.Fails), true
	}
	return h.Fails[len(h.Fails)-n:], true
}

// matching lists the failures with a value. An empty value is unknown, and
// equal to nothing.
func matching(fails []Failure, want string, value func(Failure) string) Match {
	m := Match{Value: want}
	for _, f := range fails {
		if want != "" && value(f) == want {
			m.Iterations = append(m.Iterations, f.Iteration)
		}
	}
	return m
}

// Exhausted reports whether a budget of iterations is used up: current < limit
// goes on, so a limit of 8 means 8 recorded iterations, and one of 0 means none
// (atdd-kit: check_max_iterations). A run without a limit is not asked.
func Exhausted(current, limit int) bool { return current >= limit }

// Equal reports whether two histories hold the same failures.
func (h History) Equal(o History) bool {
	return h.Keep == o.Keep && h.Judged == o.Judged && h.Len() == o.Len() &&
		slices.Equal(slices.Concat(h.Older, h.Fails), slices.Concat(o.Older, o.Fails))
}
