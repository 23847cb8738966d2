package rule

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzReadTests: whatever is printed, ids are lines, numbers hold the names, and a run
// that is compared with itself lacks nothing but where it fails or runs nothing.
func FuzzReadTests(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("=== RUN   TestA\n--- PASS: TestA (0.00s)\nok  \tp\t0.1s\n"))
	f.Add([]byte("Tests failed: 6\n8/10 tests passed\n"))
	f.Add([]byte(" RUN  v1\n Test Files  1 passed\n      Tests  1 passed (1)\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got := ReadTests(in)
		for _, id := range append(append(append(got.Units, got.PassedIDs...), got.FailedIDs...), got.SkippedIDs...) {
			if id == "" || bytes.ContainsAny([]byte(id), "\n\r\x00") {
				t.Errorf("id %q is no line", id)
			}
		}
		if got.Passed < 0 || got.Failed < 0 || got.Skipped < 0 {
			t.Errorf("numbers below 0: %+v", got)
		}
		if short := JudgeTests(got, got, false, nil); short.Reason != "" && got.Failed+len(got.FailedIDs) == 0 && got.Ran() {
			t.Errorf("compared with itself: %+v of %+v", short, got)
		}
	})
}
