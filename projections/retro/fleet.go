package retro

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// MaxRows is how many runs a Fleet lists.
const MaxRows = 200

// Fleet sums runs, in whatever order they are added.
type Fleet struct {
	since  time.Time
	zone   *time.Location
	out    wire.RetroFleet
	rows   []row
	states counts
	halts  counts
	waits  counts
	green  []int // iterations of done runs
	days   map[string]*wire.RetroDay
}

// row is a run with its task not yet read.
type row struct {
	wire.RetroRow
	id   string
	task events.Ref
}

type counts map[string]*wire.RetroCount

func (c counts) add(key string, n int, ms int64) {
	e := c[key]
	if e == nil {
		e = &wire.RetroCount{Key: key}
		c[key] = e
	}
	e.Count += n
	e.Length += ms
}

// list is the most frequent first.
func (c counts) list() []wire.RetroCount {
	out := make([]wire.RetroCount, 0, len(c))
	for _, e := range c {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b wire.RetroCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Length, a.Length), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// NewFleet begins a sum over the runs since a moment; days are those of the
// zone.
func NewFleet(since time.Time, zone *time.Location) *Fleet {
	return &Fleet{since: since, zone: zone, states: counts{}, halts: counts{}, waits: counts{}, days: map[string]*wire.RetroDay{}}
}

// Unread counts a run whose events cannot be read.
func (l *Fleet) Unread() { l.out.Unread++ }

// Add adds a run as it is by now.
func (l *Fleet) Add(f *Fold) {
	l.add(f.View(nil), f.facts.Task)
}

func (l *Fleet) add(r wire.RetroRun, task events.Ref) {
	o := &l.out
	o.Runs++
	o.Unknown += r.Unknown
	o.Time, o.Usage = plus(o.Time, r.Time), Sum(o.Usage, r.Usage)
	l.states.add(r.State, 1, 0)
	switch events.End(r.State) {
	case events.EndDone, events.EndAlreadyGreen:
		o.Passed++
		o.Closed++
	case events.EndGraceful, events.EndFailed, rule.StateHalted:
		o.Closed++
	case events.EndCancelled, events.EndRefused: // a person's word, or none of the agent's
	}
	iterations := max(0, len(r.Iterations)-1)
	if r.State == string(events.EndDone) {
		l.done(r.Usage, iterations)
	}
	if r.Repeated != nil {
		o.Repeats += r.Repeated.Iterations
		o.Repeated = Sum(o.Repeated, r.Repeated.Usage)
	}
	l.stops(r)
	l.day(r)
	l.rows = append(l.rows, row{rowOf(r, iterations), r.ID, task})
}

func (l *Fleet) done(u wire.UsageSum, iterations int) {
	l.out.Done++
	l.out.DoneUSD += u.MicroUSD
	if u.NoCost > 0 {
		l.out.DonePart++
	}
	l.green = append(l.green, iterations)
}

// stops counts halts and waits.
func (l *Fleet) stops(r wire.RetroRun) {
	for _, d := range r.Decisions {
		if !strings.HasPrefix(d.Kind, "stop-") {
			l.halts.add(d.Kind, 1, d.Took)
		}
	}
	for _, s := range r.Spans {
		if s.Kind == Waiting {
			l.waits.add(s.Cause, 1, s.Length)
		}
	}
}

func (l *Fleet) day(r wire.RetroRun) {
	key := r.Started.In(l.zone).Format(time.DateOnly)
	d := l.days[key]
	if d == nil {
		d = &wire.RetroDay{Day: key}
		l.days[key] = d
	}
	d.Runs++
	if Passed(r.State) {
		d.Passed++
	}
	d.MicroUSD += r.Usage.MicroUSD
	d.Tokens += r.Usage.Tokens
}

// Passed says that a state proves that the gates pass.
func Passed(state string) bool {
	return state == string(events.EndDone) || state == string(events.EndAlreadyGreen)
}

func rowOf(r wire.RetroRun, iterations int) wire.RetroRow {
	halts := 0
	for _, d := range r.Decisions {
		if !strings.HasPrefix(d.Kind, "stop-") {
			halts++
		}
	}
	return wire.RetroRow{
		Handle: r.Handle, State: r.State, Reason: r.Reason, Started: r.Started, Iterations: iterations,
		Halts: halts, Length: Work(r.Time), Tokens: r.Usage.Tokens, MicroUSD: r.Usage.MicroUSD,
		NoCost: r.Usage.NoCost, NoTokens: r.Usage.NoTokens,
	}
}

// list is the newest runs with the first lines of their tasks.
func (l *Fleet) list(texts Texts) (out []wire.RetroRow, more int) {
	slices.SortFunc(l.rows, func(a, b row) int { return cmp.Compare(b.id, a.id) })
	n := min(len(l.rows), MaxRows)
	out = make([]wire.RetroRow, 0, n)
	for _, r := range l.rows[:n] {
		r.Task, _, _ = strings.Cut(strings.TrimSpace(texts.read(r.task)), "\n")
		out = append(out, r.RetroRow)
	}
	return out, len(l.rows) - n
}

// View is the sum by now.
func (l *Fleet) View(texts Texts) wire.RetroFleet {
	v := l.out
	v.Since = l.since
	v.States, v.Halts, v.Waits = l.states.list(), l.halts.list(), l.waits.list()
	v.Rows, v.More = l.list(texts)
	sorted := slices.Sorted(slices.Values(l.green))
	v.ToGreen = []wire.RetroCount{}
	for _, n := range sorted {
		k := strconv.Itoa(n)
		if e := len(v.ToGreen) - 1; e >= 0 && v.ToGreen[e].Key == k {
			v.ToGreen[e].Count++
			continue
		}
		v.ToGreen = append(v.ToGreen, wire.RetroCount{Key: k, Count: 1})
	}
	if len(sorted) > 0 {
		v.Median = sorted[(len(sorted)-1)/2]
	}
	v.Days = make([]wire.RetroDay, 0, len(l.days))
	for _, d := range l.days {
		v.Days = append(v.Days, *d)
	}
	slices.SortFunc(v.Days, func(a, b wire.RetroDay) int { return cmp.Compare(a.Day, b.Day) })
	return v
}
