package retro

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
)

// Bounds of what is looked at: findings that are listed, and bytes of lists of
// failing tests that are read.
const (
	maxFindings = 1000
	maxLists    = 32 << 20
)

// key names a finding; without a test it is the gate.
type key struct {
	gate events.Name
	test string
}

// findings follows gates and tests from red to green.
type findings struct {
	texts        Texts
	list         []wire.RetroFinding
	open         map[key]int                // to its place in list, -1 for one that is only counted
	lists        map[events.Name]events.Ref // of tests that fail now
	bytes        int
	more, unread int
}

func (l *findings) judge(j judgement, iteration int) {
	for _, r := range j.results {
		switch r.Verdict {
		case events.Pass:
			l.settleAll(r.Gate, iteration, j.at)
		case events.Fail, events.Unverifiable:
			l.see(key{gate: r.Gate}, string(r.Reason), iteration, j.at)
			l.tests(r, iteration, j.at)
		case events.Skipped, events.Open:
		}
	}
}

// tests compares the tests that fail with those that failed before. A list that
// is not known settles nothing.
func (l *findings) tests(r events.GateResult, iteration int, at int64) {
	if l.texts == nil || r.FailingIDs == "" || l.lists[r.Gate] == r.FailingIDs {
		return
	}
	text, ok := "", false
	if l.bytes < maxLists {
		text, ok = l.texts(r.FailingIDs)
	}
	if !ok {
		l.unread++
		return
	}
	l.bytes += len(text)
	l.lists[r.Gate] = r.FailingIDs
	fails := map[string]bool{}
	for test := range strings.SplitSeq(text, "\n") {
		if test != "" && !fails[test] {
			fails[test] = true
			l.see(key{r.Gate, test}, "", iteration, at)
		}
	}
	for k := range l.open {
		if k.gate == r.Gate && k.test != "" && !fails[k.test] {
			l.settle(k, iteration, at)
		}
	}
}

// see begins a finding, unless it is there.
func (l *findings) see(k key, reason string, iteration int, at int64) {
	if _, known := l.open[k]; known {
		return
	}
	if len(l.list) >= maxFindings {
		l.more++
		l.open[k] = -1
		return
	}
	l.open[k] = len(l.list)
	l.list = append(l.list, wire.RetroFinding{
		Gate: string(k.gate), Test: k.test, Reason: reason, Seen: iteration, At: at, Open: true,
	})
}

func (l *findings) settle(k key, iteration int, at int64) {
	if i := l.open[k]; i >= 0 {
		f := &l.list[i]
		f.Settled, f.Until, f.Open = iteration, at, false
	}
	delete(l.open, k)
}

func (l *findings) settleAll(gate events.Name, iteration int, at int64) {
	for k := range l.open {
		if k.gate == gate {
			l.settle(k, iteration, at)
		}
	}
	delete(l.lists, gate)
}
