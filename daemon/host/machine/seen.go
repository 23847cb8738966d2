package machine

import (
	"fmt"
	"strconv"
	"strings"

	"autopilot/daemon/config"
	"autopilot/probe/judge"
)

// seen is what was seen of the machine up to a moment. It does not change.
type seen struct {
	reading judge.Reading
	sized   judge.Reading // the latest in which memory was known
	bands   map[judge.Policy]judge.Band
}

// judged is the verdict of a policy, steadied, with the cap that it has, and how
// many agents may be at work by it. Those that have just begun are still expected
// to need the memory of one more: else each start would make room for the next.
// Where nobody looks at the machine, the bound that a person has set holds alone.
func (v seen) judged(b bound, c config.Resources, at []agentAt) (judge.Judgement, int, judge.Reason) {
	l := judge.Defaults()
	if c.Policy == config.NoResources {
		j := judge.Judgement{Verdict: judge.Green, Cap: judge.NoCap}
		room, by := judge.Room(judge.Reading{}, j, l, judge.Demand{Max: c.Agents})
		return j, room, by
	}
	j := judge.Judge(v.reading, b.policy, l)
	if band := v.bands[b.policy]; band.Verdict != "" {
		j = j.As(band.Verdict, b.policy, l)
	}
	r := v.reading
	if age := r.Time.Sub(v.sized.Time); age >= 0 && age < judge.Calm { // one look that does not find memory is no leave to begin them all
		r.MemoryAvailable = v.sized.MemoryAvailable
	}
	room, by := judge.Room(r, j, l, judge.Demand{Max: c.Agents, Running: grown(at, v.reading.Time), RAM: float64(b.ram)})
	return j, room, by
}

// bound is by what a run is held to the machine: how that is judged, and the memory
// that one more of its agents is expected to need.
type bound struct {
	policy judge.Policy
	ram    int64
}

// name is what the line calls it.
func (b bound) name() string { return fmt.Sprintf("%s/%d", b.policy, b.ram) }

// boundOf is that of a name.
func boundOf(name string) bound {
	policy, ram, _ := strings.Cut(name, "/")
	n, _ := strconv.ParseInt(ram, 10, 64) // it was written by name
	return bound{judge.Policy(policy), n}
}
