package render

import (
	"strings"
	"testing"
)

// What is asked is read on a terminal; what it is asked about stays as it is.
func TestAQuestionIsPutIntoLinesAndItsFilesAreNot(t *testing.T) {
	t.Parallel()
	text := "Gate g: approve it?\nok approves both, and the fix begins. no sends both back.\n\n  a/b.md\n\na/b.md\n\n   1  " + strings.Repeat("word ", 12) + "\n"
	if got := (Style{Width: 30}).asked(text); !strings.HasPrefix(got, "Gate g: approve it?\nok approves both, and the fix\nbegins. no sends both back.\n\n  a/b.md\n") || !strings.Contains(got, strings.Repeat("word ", 12)) {
		t.Errorf("in lines:\n%s", got)
	}
	if got := (Style{}).asked(text); got != text {
		t.Errorf("without a terminal:\n%s", got)
	}
}
