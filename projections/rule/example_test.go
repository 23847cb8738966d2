package rule_test

import (
	"fmt"

	"autopilot/projections/rule"
)

func ExampleFailing() {
	ids, parser := rule.Failing([]byte(`--- FAIL: TestParse (0.00s)
    --- FAIL: TestParse/empty (0.00s)
        parse_test.go:12: got 1, want 0
FAIL
FAIL	example.com/calc	0.004s
`))
	fmt.Println(parser, ids)
	// Output: go [example.com/calc.TestParse/empty]
}

func ExampleViolations() {
	gates := []rule.Command{{Text: "./check.sh && go test ./..."}}
	reached, _ := rule.Follow(gates, rule.Source{Files: []string{"calc.go", "calc_test.go", "check.sh"}})
	pins := rule.Pins{Globs: rule.DefaultPins()}.With(reached)
	fmt.Println(rule.Violations([]rule.Change{
		{Path: "calc.go", Kind: rule.Changed},
		{Path: "calc_test.go", Kind: rule.Removed},
		{Path: "more_test.go", Kind: rule.Added},
		{Path: "check.sh", Kind: rule.Changed},
	}, pins))
	// Output: [calc_test.go check.sh]
}

func ExampleHistory_Stuck() {
	h := rule.NewHistory(3, 5)
	for i, fingerprint := range []string{"a", "b", "a"} {
		h = h.Add(rule.Failure{Iteration: i + 1, Fingerprint: fingerprint})
	}
	match, stuck := h.Stuck(3)
	fmt.Println(stuck, match.Iterations)
	// Output: true [1 3]
}
