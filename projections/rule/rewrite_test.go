package rule

import "testing"

func TestGatesThatRewriteRecordedFilesAreRefused(t *testing.T) {
	t.Parallel()
	tracked := func(name string) bool { return name != "report.xml" }
	for name, c := range map[string]struct {
		once, twice []string
		want        Rewritten
		refused     bool
	}{
		"nothing":                         {nil, nil, Rewritten{}, false},
		"a source, once":                  {[]string{"a.go"}, nil, Rewritten{Tracked: []string{"a.go"}}, true},
		"a report that git does not know": {[]string{"report.xml"}, nil, Rewritten{Others: []string{"report.xml"}}, true},
		"a lock file that is settled":     {[]string{"Cargo.lock", "web/package-lock.json", ".idea/workspace.xml"}, nil, Rewritten{}, false},
		"a lock file, twice":              {[]string{"Cargo.lock"}, []string{"Cargo.lock"}, Rewritten{Tracked: []string{"Cargo.lock"}}, true},
		"both":                            {[]string{"a.go", "Cargo.lock"}, []string{"a.go"}, Rewritten{Tracked: []string{"a.go"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, refused := Unsettled(c.once, c.twice, tracked)
			equal(t, "rewritten", got, c.want)
			equal(t, "refused", refused, c.refused)
		})
	}
}
