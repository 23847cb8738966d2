package workflow

import (
	"fmt"
	"strings"

	"autopilot/events"
)

var kindInterview = Kind{
	Kind: events.GateInterview, Entry: true, Must: []string{"role", "rounds", "ambiguity", "weights"},
	Help:  "Passes when the answers of a person make the task clear enough.",
	check: (*problems).interview,
	Shows: func(g Gate) string {
		return fmt.Sprintf("%s, at most %s rounds, until at most %s %% is unclear", byRole(g), numberText(g.Rounds), numberText(g.Ambiguity))
	},
	Tells: tellLooks,
	Form: func(g Gate) string {
		var dims []string
		for _, e := range g.Weights.Value {
			dims = append(dims, fmt.Sprintf("%q:70", e.Key))
		}
		return `{"v":1,"clarity":{` + strings.Join(dims, ",") + `},"question":"the one question that would clarify most","about":"the dimension of the question","changes":"what its answer would change"}`
	},
}

func (p *problems) interview(at string, g Gate) {
	g.Rounds.each(at+".rounds", func(at string, n int) { p.number(at, n, 1, 100) })
	g.Ambiguity.each(at+".ambiguity", func(at string, n int) { p.number(at, n, 1, 99) })
	g.Weights.each(at+".weights", func(at string, w Weights) {
		sum := 0
		for _, e := range w {
			p.name(at+"."+e.Key, "dimension", e.Key)
			p.number(at+"."+e.Key, e.Value, 1, 100)
			sum += e.Value
		}
		if sum != 100 {
			p.add(at, "let them add up to 100", "the weights add up to %d", sum)
		}
	})
}
