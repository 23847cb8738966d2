package wire_test

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

// Seeds Q20 and 2.1.4: the source counted "3" and true as numbers; here a malformed
// report is no report.
func TestAReportOfASessionIsReadToTheLetter(t *testing.T) {
	t.Parallel()
	with := func(old, now string) string { return strings.Replace(wire.SessionReportForm, old, now, 1) }
	for name, tt := range map[string]struct{ src, says string }{
		"as the example":             {wire.SessionReportForm, ""},
		"a number as text":           {with(`"spiral":0`, `"spiral":"0"`), "spiral"},
		"true":                       {with(`"failed":0`, `"failed":true`), "failed"},
		"null":                       {with(`"failed":0`, `"failed":null`), "lacks agent_summary.failed"},
		"a fraction":                 {with(`"carryover":0`, `"carryover":0.5`), "carryover"},
		"an exponent":                {with(`"carryover":0`, `"carryover":1e3`), "carryover"},
		"less than none":             {with(`"failed":0`, `"failed":-1`), "agent_summary.failed of session is -1"},
		"more than can be":           {with(`"failed":0`, `"failed":1000001`), "want 0 to 1000000"},
		"a number that is missing":   {with(`"partial":0,`, ``), "lacks agent_summary.partial"},
		"half of it":                 {`{"agent_summary":{"complete":1,"partial":0,"failed":0,"spiral":0}}`, "lacks agent_summary or effectiveness"},
		"a member that is not known": {with(`"partial":0`, `"partial":0,"skipped":1`), "unknown member"},
		"a member twice":             {with(`"spiral":0`, `"spiral":1,"spiral":0`), "twice"},
		"a list":                     {`[]`, "cannot be read"},
		"nothing":                    {``, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := wire.ReadSessionReport([]byte(tt.src))
			switch {
			case tt.says == "" && (err != nil || r != events.SessionReport{V: 1, Complete: 3, Planned: 3, Completed: 3}):
				t.Errorf("%+v %v", r, err)
			case tt.says != "" && (err == nil || !strings.Contains(err.Message, tt.says)):
				t.Errorf("got %v, want %q", err, tt.says)
			case tt.says != "" && r != events.SessionReport{}:
				t.Errorf("with an error there is %+v", r)
			}
		})
	}
}
