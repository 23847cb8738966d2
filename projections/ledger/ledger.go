// Package ledger sums what agents used: by day, project, agent, model and run.
//
// It is a pure fold of what the states of runs have of it, so no restart changes
// a sum. Each agent is in it once, with what its own process used, and counts
// where it ended. A sum keeps how many of its agents told no tokens or no cost,
// so that what is not known is never read as nothing. Zone and present are
// arguments.
package ledger

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Entry is what one model used in one quarter of an hour, and for whom.
type Entry struct {
	Run     string // what rows of runs are called by
	Project string
	Agent   string
	run.Spend
}

// By says what the rows of a report are.
type By string

// The ways to divide a report.
const (
	ByDay     By = "day"
	ByProject By = "project"
	ByAgent   By = "agent"
	ByModel   By = "model"
	ByRun     By = "run"
)

// Ways are all of them.
func Ways() []By { return []By{ByDay, ByProject, ByAgent, ByModel, ByRun} }

// Unknown is the key of what nobody named.
const Unknown = "unknown"

// Add adds to a sum.
func Add(sum wire.UsageSum, s run.Spend) wire.UsageSum {
	u := s.Usage
	sum.Input += u.Input
	sum.CacheRead += u.CacheRead
	sum.CacheWrite += u.CacheWrite
	sum.Output += u.Output
	sum.Tokens += u.Tokens()
	sum.MicroUSD += u.MicroUSD
	sum.Turns += u.Turns
	sum.ActiveMS += s.ActiveMS
	sum.Agents += s.Agents
	sum.NoTokens += s.NoTokens
	sum.NoCost += s.NoCost
	sum.Computed += s.Computed
	return sum
}

// Sum adds everything.
func Sum(all iter.Seq[run.Spend]) (sum wire.UsageSum) {
	for s := range all {
		sum = Add(sum, s)
	}
	return sum
}

// Report divides what ended since a moment. Days are those of the zone, in their
// order; every other row comes by its cost, then by its tokens.
func Report(all iter.Seq[Entry], since time.Time, zone *time.Location, by By) (rows []wire.UsageRow, total wire.UsageSum) {
	sums := map[string]*wire.UsageSum{}
	days := dayNames{zone: zone, known: map[int64]string{}}
	for e := range all {
		if e.At().Before(floor(since)) {
			continue
		}
		key := cmp.Or(e.key(by, &days), Unknown)
		sum := sums[key]
		if sum == nil {
			sum = &wire.UsageSum{}
			sums[key] = sum
		}
		*sum = Add(*sum, e.Spend)
		total = Add(total, e.Spend)
	}
	for key, sum := range sums {
		rows = append(rows, wire.UsageRow{Key: key, UsageSum: *sum})
	}
	slices.SortFunc(rows, func(a, b wire.UsageRow) int {
		if by == ByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.MicroUSD, a.MicroUSD), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Key, b.Key))
	})
	return rows, total
}

// floor is the beginning of the quarter: what ended in it cannot be told apart.
func floor(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Truncate(run.Quarter)
}

func (e Entry) key(by By, days *dayNames) string {
	switch by {
	case ByDay:
		return days.name(e.Quarter)
	case ByProject:
		return e.Project
	case ByAgent:
		return e.Agent
	case ByModel:
		return e.Model
	case ByRun:
		return e.Run
	}
	return ""
}

// dayNames remembers the day of each quarter.
type dayNames struct {
	zone  *time.Location
	known map[int64]string
}

func (d *dayNames) name(quarter int64) string {
	t, ok := d.known[quarter]
	if !ok {
		t = run.Spend{Quarter: quarter}.At().In(d.zone).Format(time.DateOnly)
		d.known[quarter] = t
	}
	return t
}
