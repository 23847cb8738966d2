package meter

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/agent/stream"
)

// TestTwoPartsOfAnOutputJoinToTheWhole cuts samples between any two lines.
func TestTwoPartsOfAnOutputJoinToTheWhole(t *testing.T) {
	t.Parallel()
	for _, f := range stream.Formats() {
		src, err := os.ReadFile(filepath.Join("../stream/testdata", "ok."+string(f)))
		if err != nil {
			continue // text has no sample of its own
		}
		want := stream.Read(f, src)
		for i, c := range src {
			if c != '\n' {
				continue
			}
			got := join(stream.Read(f, src[:i+1]), stream.Read(f, src[i+1:]))
			if got.Usage != want.Usage || got.MicroUSD != want.MicroUSD || got.UsageFrom != want.UsageFrom || got.Lines != want.Lines {
				t.Errorf("%s cut at line %d: %+v of %d lines, %d, want %+v of %d, %d", f, bytes.Count(src[:i+1], []byte("\n")),
					got.Usage, got.Lines, got.MicroUSD, want.Usage, want.Lines, want.MicroUSD)
			}
			if got.Session != want.Session || got.Model != want.Model || got.Ended != want.Ended || got.Failed != want.Failed ||
				!strings.HasSuffix(want.Last, got.Last) { // a text may come in pieces
				t.Errorf("%s cut at line %d:\n%+v\nwant\n%+v", f, bytes.Count(src[:i+1], []byte("\n")), got, want)
			}
		}
	}
}
