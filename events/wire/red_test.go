package wire_test

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

// Seeds 3.5 record_red_evidence: only letters, digits and . _ : - pass. A malformed row
// is refused, and nothing of it is kept. A60: nothing begins like an option.
func TestARedRowIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ src, says string }{
		"a commit and a test":        {`[{"commit":"c0ffee","at_file":"tests/a test"}]`, ""},
		"with the work, and a gate":  {`[{"gate":"red","commit":"c0ffee","impl_sha":"sha256:De-caf_0.1","at_file":"a"}]`, ""},
		"no row":                     {`[]`, ""},
		"no commit":                  {`[{"at_file":"a"}]`, "commit of row 1"},
		"a commit with a space":      {`[{"commit":"a b","at_file":"a"}]`, `"a b"`},
		"a commit of a shell":        {`[{"commit":"$(id)","at_file":"a"}]`, "commit of row 1"},
		"a commit with a slash":      {`[{"commit":"a/b","at_file":"a"}]`, "commit of row 1"},
		"a commit like an option":    {`[{"commit":"--all","at_file":"a"}]`, "commit of row 1"},
		"a commit of other letters":  {`[{"commit":"é","at_file":"a"}]`, "commit of row 1"},
		"a commit that is long":      {`[{"commit":"` + strings.Repeat("a", 65) + `","at_file":"a"}]`, "commit of row 1"},
		"a work that is none":        {`[{"commit":"a","impl_sha":"a;b","at_file":"a"}]`, "impl_sha of row 1"},
		"no test":                    {`[{"commit":"a"}]`, "no at_file"},
		"a blank test":               {`[{"commit":"a","at_file":" "}]`, "no at_file"},
		"the second one":             {`[{"commit":"a","at_file":"a"},{"commit":"","at_file":"a"}]`, "commit of row 2"},
		"a gate that is no name":     {`[{"gate":"A b","commit":"a","at_file":"a"}]`, "not a valid name"},
		"a member that is not known": {`[{"commit":"a","at_file":"a","red":true}]`, "unknown member"},
		"a member twice":             {`[{"commit":"a","commit":"b","at_file":"a"}]`, "twice"},
		"too many":                   {`[` + strings.Repeat(`{"commit":"a","at_file":"a"},`, wire.MostRedRows) + `{"commit":"a","at_file":"a"}]`, "the limit is 20"},
		"no list":                    {`{"commit":"a","at_file":"a"}`, "cannot be read"},
	} {
		rows, err := wire.ReadRedRows([]byte(tt.src))
		if (err == nil) != (tt.says == "") || err != nil && (rows != nil || !strings.Contains(err.Message, tt.says)) {
			t.Errorf("%s: %+v %v, want %q", name, rows, err, tt.says)
		}
	}
}
