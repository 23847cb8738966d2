package installed

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// benchFiles is a large node_modules.
const benchFiles = 100_000

// BenchmarkCompare100k looks at a large node_modules that nothing has touched, as a
// multiple of a plain walk with lstat, measured in turn. Taking it again costs the same
// look, and is reported beside it.
func BenchmarkCompare100k(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "node_modules")
	for i := range benchFiles {
		folder := filepath.Join(dir, fmt.Sprintf("package%04d/lib%d", i/100, i%5))
		if i%20 < 5 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("file%d.js", i%100)), []byte("x"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	roots := []Root{{Dir: dir}}
	start := time.Now()
	list, err := Take(b.Context(), roots, List{}, never)
	if err != nil || len(list.Files) != benchFiles {
		b.Fatal(len(list.Files), err)
	}
	first := time.Since(start)
	var compare, again, floor time.Duration
	for b.Loop() {
		start := time.Now()
		if changes, err := list.Compare(b.Context(), never); err != nil || len(changes) > 0 {
			b.Fatal(len(changes), err)
		}
		compared := time.Now()
		if _, err := Take(b.Context(), roots, list, never); err != nil {
			b.Fatal(err)
		}
		taken := time.Now()
		plainWalk(b, dir)
		compare, again, floor = compare+compared.Sub(start), again+taken.Sub(compared), floor+time.Since(taken)
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
	b.ReportMetric(ms(compare), "compare-ms/op")
	b.ReportMetric(ms(again), "again-ms/op")
	b.ReportMetric(ms(floor), "floor-ms/op")
	b.ReportMetric(float64(compare)/float64(floor), "x-floor")
}

func plainWalk(b *testing.B, dir string) {
	b.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			_, err = e.Info()
			n++
		}
		return err
	})
	if err != nil || n != benchFiles {
		b.Fatal(n, err)
	}
}
