package wire_test

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

const delivered = `{"v":1,"effect":"E1","phase":"build","iteration":2,"claim":"done","summary":"it is built","evidence":[{"evidence_ref":"out.txt:3","detail":"green"}]}`

func TestADeliveryIsReadToTheLetter(t *testing.T) {
	t.Parallel()
	if s, err := wire.ParseSubmission(delivered); err != nil || s.Effect != "E1" || s.Iteration != 2 || s.Evidence[0].Ref != "out.txt:3" {
		t.Fatalf("%+v %v", s, err)
	}
	for name, tt := range map[string]struct{ old, new, says string }{
		"a member twice":               {`"v":1`, `"v":1,"claim":"progress"`, "twice"},
		"a member twice within":        {`"detail":"green"`, `"detail":"green","detail":"red"`, "twice"},
		"a member that nobody knows":   {`"v":1`, `"v":1,"verdict":"pass"`, "unknown member"},
		"one in another case":          {`"claim"`, `"Claim"`, "unknown member"},
		"no object":                    {delivered, `[]`, "cannot be read"},
		"nothing":                      {delivered, ``, "cannot be read"},
		"two objects":                  {delivered, delivered + delivered, "cannot be read"},
		"another version":              {`"v":1`, `"v":2`, "v is 2"},
		"no version":                   {`"v":1,`, ``, "v is 0"},
		"no effect":                    {`"effect":"E1",`, ``, "effect is missing"},
		"no phase":                     {`"phase":"build",`, ``, "phase is missing"},
		"no iteration":                 {`"iteration":2,`, ``, "iteration is missing"},
		"an iteration that is none":    {`"iteration":2`, `"iteration":-1`, "iteration is missing"},
		"an iteration that is a text":  {`"iteration":2`, `"iteration":"2"`, "cannot be read"},
		"no claim":                     {`"claim":"done",`, ``, `claim is ""`},
		"a claim that is null":         {`"claim":"done"`, `"claim":null`, `claim is ""`},
		"a claim that is a verdict":    {`"claim":"done"`, `"claim":"pass"`, `claim is "pass"`},
		"blocked without a reason":     {`"claim":"done"`, `"claim":"blocked"`, "reason is missing"},
		"a reason without being so":    {`"claim":"done"`, `"claim":"done","reason":"x"`, "claim blocked only"},
		"evidence without a reference": {`"evidence_ref":"out.txt:3",`, ``, "evidence 1 has no evidence_ref"},
		"evidence with a blank one":    {`"out.txt:3"`, `"  "`, "evidence 1 has no evidence_ref"},
		"a text that no prompt takes":  {`it is built`, `it is\u0000built`, "NUL byte"},
		"a report that is a text":      {`"v":1`, `"v":1,"session":"fine"`, "cannot be read"},
		"a report that lacks a number": {`"v":1`, `"v":1,"session":{"agent_summary":{},"effectiveness":{}}`, "lacks agent_summary.complete"},
		"a red row without a commit":   {`"v":1`, `"v":1,"red":[{"at_file":"a"}]`, "commit of row 1 in red"},
		"more than is taken":           {`it is built`, strings.Repeat("x", wire.MaxSubmission), "the limit is"},
	} {
		_, err := wire.ParseSubmission(strings.Replace(delivered, tt.old, tt.new, 1))
		if err == nil || err.Code != wire.Usage || !strings.Contains(err.Message, tt.says) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
}

func FuzzParseSubmission(f *testing.F) {
	for _, seed := range []string{delivered, `{}`, `{"v":1,"v":1}`, `{"evidence":[{}]}`, "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := wire.ParseSubmission(text)
		if err == nil && (s.Effect == "" || s.Phase == "" || s.Iteration < 1 || s.V != 1) {
			t.Errorf("taken without what it belongs to: %+v", s)
		}
	})
}
