package run

import (
	"slices"
	"time"

	"autopilot/events"
)

// Quarter is how time is divided for what agents used: fine enough for a day
// in any time zone, and for one of 23 or 25 hours.
const Quarter = 15 * time.Minute

// Spend is what one agent used with one model in one quarter of an hour. An agent counts where
// it ended.
type Spend struct {
	Quarter  int64  // since the epoch, in units of Quarter
	Model    string // as the program said; empty is not known
	Agent    string // profile, of a role whose agents the workflow names; empty is the run's own
	Usage    events.Usage
	ActiveMS int64
	Agents   int
	NoTokens int // of Agents, those that worked and told no tokens
	NoCost   int // whose cost is not known
	Computed int // whose cost was computed from a table of prices
}

// At is the beginning of the quarter.
func (s Spend) At() time.Time { return time.Unix(s.Quarter*int64(Quarter/time.Second), 0).UTC() }

// Spending is a list of what was used, in order of time. It is shared with
// earlier states, so it is never changed in place.
type Spending struct {
	Older []Spend // before Newer
	Newer []Spend // few enough to be copied with each agent
}

// newer is how many Newer holds before they become older ones.
const newer = 16

// List is all of it.
func (l Spending) List() []Spend { return slices.Concat(l.Older, l.Newer) }

// add adds the end of an agent. Its cost does not grow with the run: it copies
// the few newest, and all only once in a while.
func (l Spending) add(at time.Time, agent events.Name, d events.AgentEnded) Spending {
	s := SpendOf(d.Usage)
	s.Agent = string(agent)
	s.Quarter, s.Model, s.ActiveMS, s.Agents = at.Unix()/int64(Quarter/time.Second), d.Model, d.DurationMS, 1
	last := len(l.Newer) - 1
	switch {
	case last >= 0 && l.Newer[last].Quarter == s.Quarter && l.Newer[last].Model == s.Model && l.Newer[last].Agent == s.Agent:
		l.Newer = slices.Clone(l.Newer)
		l.Newer[last] = l.Newer[last].plus(s)
		return l
	case last+1 >= newer:
		l.Older, l.Newer = l.List(), nil
	}
	l.Newer = append(slices.Clip(l.Newer), s)
	return l
}

// SpendOf is what one agent told, with the parts that it did not tell counted.
// It is no agent that ended: Agents is for whoever knows that.
func SpendOf(u events.Usage) Spend {
	s := Spend{Usage: u}
	switch u.CostFrom {
	case events.Computed:
		s.Computed = 1
	case events.Reported, events.Guessed:
	case events.SourceUnknown, "":
		s.NoCost = 1
	}
	if !known(u.TokensFrom) {
		s.NoTokens = 1
	}
	s.Usage.TokensFrom, s.Usage.CostFrom, s.Usage.Prices = "", "", ""
	return s
}

// known says that a number has a source.
func known(s events.Source) bool { return s != "" && s != events.SourceUnknown }

// plus adds what was used elsewhere; quarter, model and agent stay.
func (s Spend) plus(t Spend) Spend {
	s.Usage = Sum(s.Usage, t.Usage)
	s.ActiveMS += t.ActiveMS
	s.Agents += t.Agents
	s.NoTokens += t.NoTokens
	s.NoCost += t.NoCost
	s.Computed += t.Computed
	return s
}

// Sum adds numbers; where they come from is not kept.
func Sum(a, b events.Usage) events.Usage {
	return events.Usage{
		Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
		Output: a.Output + b.Output, MicroUSD: a.MicroUSD + b.MicroUSD, Turns: a.Turns + b.Turns,
	}
}
