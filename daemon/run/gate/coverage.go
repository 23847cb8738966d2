package gate

import (
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// criterion is how a file names a criterion of acceptance: AC1, AC-2 or AC3.1.
var criterion = regex.New(`\bAC-?[0-9]+(\.[0-9]+)*\b`)

// Criteria lists the criteria that a text names, each once, in its order.
func Criteria(text string) []string {
	var out []string
	for _, id := range criterion.FindAllString(text, -1) {
		if !slices.ContainsFunc(out, func(o string) bool { return sameCriterion(o, id) }) {
			out = append(out, id)
		}
	}
	return out
}

// plainCriterion is an id in the one form that all ways to write it have: another
// session writes it otherwise.
func plainCriterion(id string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(id), "-", ""))
}

func sameCriterion(a, b string) bool { return plainCriterion(a) == plainCriterion(b) }

// Of adds the criteria that are approved and that the result does not list: what
// it is silent on is not covered.
//
// Source: atdd-kit, seeds 3.4 stage 3 and 3.6 AL-3: every criterion.
func (o Opinion) Of(approved []string) Opinion {
	listed := o.Criteria
	for _, id := range approved {
		if !slices.ContainsFunc(listed, func(c Criterion) bool { return sameCriterion(c.ID, id) }) {
			o.Criteria = append(slices.Clip(o.Criteria), Criterion{ID: id})
		}
	}
	return o
}
