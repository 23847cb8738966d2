package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"autopilot/events/wire"
)

// Seeds 3.2, lessons A14 and A22: no list, an empty list, and a finding without evidence
// are refused, each in its own words.
func TestFindingsThatAreNone(t *testing.T) {
	t.Parallel()
	one := `{"evidence_ref":"a:1"}`
	for name, tt := range map[string]struct{ text, says string }{
		"no text":                     {``, "cannot be read"},
		"null":                        {`null`, "the list of findings is empty"},
		"false":                       {`false`, "cannot be read"},
		"a text":                      {`"a:1"`, "cannot be read"},
		"an object":                   {one, "cannot be read"},
		"an empty list":               {`[]`, "the list of findings is empty"},
		"two lists":                   {`[` + one + `][` + one + `]`, "cannot be read"},
		"a list that is cut":          {`[` + one, "cannot be read"},
		"a finding that is null":      {`[` + one + `,null]`, "finding 2 is not a JSON object"},
		"a finding that is a text":    {`["a:1"]`, "finding 1 is not a JSON object"},
		"no evidence_ref":             {`[{"detail":"x"}]`, "finding 1 has no evidence_ref"},
		"an evidence_ref of null":     {`[{"evidence_ref":null}]`, "finding 1 has no evidence_ref"},
		"an empty evidence_ref":       {`[{"evidence_ref":""}]`, "finding 1 has no evidence_ref"},
		"a blank evidence_ref":        {`[{"evidence_ref":" \t"}]`, "finding 1 has no evidence_ref"},
		"a number as evidence_ref":    {`[{"evidence_ref":12}]`, "finding 1 has no evidence_ref"},
		"the second one lacks it":     {`[` + one + `,{}]`, "finding 2 has no evidence_ref"},
		"a member twice":              {`[{"evidence_ref":"a","evidence_ref":"b"}]`, "appears twice"},
		"a member that nobody knows":  {`[{"evidence_ref":"a","verdict":"pass"}]`, "verdict"},
		"a detail that is no text":    {`[{"evidence_ref":"a","detail":1}]`, "detail of finding 1 is not a text"},
		"a number that nobody can be": {`[{"evidence_ref":"a","priority":1e999}]`, "out of range"},
		"a NUL":                       {"[{\"evidence_ref\":\"a\x00\"}]", "NUL byte"},
		"too many":                    {`[` + strings.Repeat(one+`,`, wire.MostFindings) + one + `]`, "there are 51 findings"},
		"too long":                    {`[{"evidence_ref":"` + strings.Repeat("a", wire.MaxFindings) + `"}]`, "the limit is 32768"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := wire.ParseFindings(tt.text); err == nil || err.Code != wire.Usage || !strings.Contains(err.Message, tt.says) || got != nil {
				t.Errorf("%v %v, want %q", got, err, tt.says)
			}
		})
	}
}

// Seeds 3.2: a number is kept, else the first digits of its text count, else it
// blocks.
func TestThePriorityOfAFinding(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		``: 0, `,"priority":0`: 0, `,"priority":3`: 3, `,"priority":1.5`: 1.5, `,"priority":-1`: -1,
		`,"priority":"2"`: 2, `,"priority":"P1 of 3"`: 1, `,"priority":"high-12"`: 12, `,"priority":"blocker"`: 0,
		`,"priority":""`: 0, `,"priority":null`: 0, `,"priority":true`: 0, `,"priority":["P4"]`: 4, `,"priority":{}`: 0,
		`,"priority":"\u0037"`: 7,
	} {
		got, err := wire.ParseFindings(fmt.Sprintf(`[{"evidence_ref":"a:1","detail":" as it\nis "%s}]`, text))
		if err != nil || len(got) != 1 || got[0] != (wire.Found{Ref: "a:1", Detail: " as it\nis ", Priority: want}) {
			t.Errorf("%s: %+v %v", text, got, err)
		}
	}
}
