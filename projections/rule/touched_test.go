package rule

import "testing"

func TestATouchOfAPinnedFileIsSeenBeforeItIsDone(t *testing.T) {
	t.Parallel()
	pinned := []string{"Makefile", "a_test.go", "app/[id]/page_test.go", "package.json", "tests/b.sh", "tests/deep/c.sh"}
	pins := Pins{
		Globs: []string{"*_test.go", "tests/**"}, Paths: []string{"Makefile"}, Absent: []string{"GNUmakefile"},
		Manifests: []string{"package.json"},
	}
	for name, tt := range map[string]struct {
		touches []Touch
		want    []string
	}{
		"written":                  {wrote("a_test.go"), []string{"a_test.go"}},
		"written, by another name": {wrote("./a_test.go"), []string{"a_test.go"}},
		"a new test":               {wrote("new_test.go", "tests/new.sh"), nil},
		"a file of its own":        {wrote("main.go"), nil},
		"what would go first":      {wrote("GNUmakefile"), []string{"GNUmakefile"}},
		"pinned in part":           {wrote("package.json"), nil},
		"and taken away":           {gone("package.json"), []string{"package.json"}},
		"a folder":                 {gone("tests"), []string{"tests/b.sh", "tests/deep/c.sh"}},
		"a folder, written":        {wrote("tests"), nil},
		"everything":               {gone("."), pinned},
		"a glob":                   {gone("tests/*.sh"), []string{"tests/b.sh"}},
		"a glob of folders":        {gone("te*"), []string{"tests/b.sh", "tests/deep/c.sh"}},
		"braces":                   {wrote("{a,b}_test.go"), []string{"a_test.go"}},
		"a name that is no glob":   {wrote("app/[id]/page_test.go"), []string{"app/[id]/page_test.go"}},
		"a name elsewhere":         {gone("sub/a_test.go", "b.sh"), nil},
		"the same twice":           {append(wrote("a_test.go"), gone("a_test.go", "Makefile")...), []string{"Makefile", "a_test.go"}},
		"a broken glob":            {gone("[a"), nil},
		"none":                     {nil, nil},
	} {
		equal(t, name, pins.Touched(pinned, tt.touches), tt.want)
	}
	pins.Allow = []string{"a_test.go"} // then it is none of the pinned files, as the run lists them
	equal(t, "allowed", pins.Touched(pinned[2:], wrote("a_test.go")), []string(nil))
}
