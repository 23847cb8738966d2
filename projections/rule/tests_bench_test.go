package rule

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkReadTests reads 5 MB of each runner. The floor is a look at each of its
// lines, as any reader has to take.
func BenchmarkReadTests(b *testing.B) {
	for _, file := range []string{"go_v.txt", "go_json.txt", "jest_v_color.txt", "pytest_v.txt", "cargo.txt", "node_tap.txt", "maven.txt"} {
		one := sampleOf(b, file)
		output := bytes.Repeat(one, 5<<20/len(one)+1)
		name := strings.TrimSuffix(file, ".txt")
		b.Run(name+"/read", func(b *testing.B) {
			b.SetBytes(int64(len(output)))
			for b.Loop() {
				ReadTests(output)
			}
		})
		b.Run(name+"/floor", func(b *testing.B) {
			b.SetBytes(int64(len(output)))
			for b.Loop() {
				n := 0
				for line := range strings.Lines(StripEscapes(string(output))) {
					if strings.Contains(line, "FAIL") {
						n++
					}
				}
				if n < 0 {
					b.Fatal(n)
				}
			}
		})
	}
}

// BenchmarkJudgeTests compares two readings of many tests, of which some have names
// that differ from run to run.
func BenchmarkJudgeTests(b *testing.B) {
	var out strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&out, "=== RUN   TestA%d\n--- PASS: TestA%d (0.00s)\n", i, i)
	}
	out.WriteString("PASS\nok  \tm/p\t0.1s\n")
	tests := ReadTests([]byte(out.String()))
	for b.Loop() {
		JudgeTests(tests, tests, false, nil)
	}
}
