package work

import "testing"

// What others changed too is in the commit as it was judged, and the commit names it.
func TestACommitNamesWhatOthersChangedToo(t *testing.T) {
	t.Parallel()
	others := map[string]bool{"code.go": true, "a\nb": true, "elsewhere": true}
	if got, want := byOthers([]string{"code.go", "own.go", "a\nb"}, others), "\nOther sessions changed these files too:\n  \"code.go\"\n  \"a\\nb\"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := byOthers([]string{"own.go"}, others); got != "" {
		t.Errorf("of nobody: %q", got)
	}
}
