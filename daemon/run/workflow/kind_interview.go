package workflow

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/projections/phrase"
)

var kindInterview = Kind{
	Kind: events.GateInterview, Must: []string{"role", "rounds", "ambiguity", "weights"},
	Help:  "Passes when the answers of a person make the task clear enough.",
	check: (*problems).interview,
	Shows: func(g Gate) string {
		return fmt.Sprintf("%s, at most %s, until at most %d %% is unclear", byRole(g), phrase.Count(g.Rounds, "round"), g.Ambiguity)
	},
	Tells: tellLooks,
	Form: func(g Gate) string {
		var dims []string
		for _, e := range g.Weights {
			dims = append(dims, fmt.Sprintf("%q:70", e.Key))
		}
		return `{"v":1,"clarity":{` + strings.Join(dims, ",") + `},"question":"the one question that would clarify most","about":"the dimension of the question","changes":"what its answer would change"}`
	},
}

func (p *problems) interview(at string, g Gate) {
	p.number(at+".rounds", g.Rounds, 1, 100)
	p.number(at+".ambiguity", g.Ambiguity, 1, 99)
	sum := 0
	for _, e := range g.Weights {
		p.name(at+".weights."+e.Key, "dimension", e.Key)
		p.number(at+".weights."+e.Key, e.Value, 1, 100)
		sum += e.Value
	}
	if sum != 100 {
		p.add(at+".weights", "let them add up to 100", "the weights add up to %d", sum)
	}
}
