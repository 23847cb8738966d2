package render

import (
	"flag"
	"testing"

	texts "autopilot/ctl/golden"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// golden compares a text with its file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	texts.Compare(t, *update, name, got)
}
