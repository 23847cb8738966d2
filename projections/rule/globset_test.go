package rule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPinsAmongManyFilesAreThoseOfEach(t *testing.T) {
	t.Parallel()
	words := []string{"a", "test", "tests", "fixtures", "a_test.go", "a.test.ts", "x.spec.js", "pytest.ini", "Lib.Tests", "src", "it", "go.mod", ".npmrc", "__pycache__", "x.pyc", ".autopilot", "Makefile", ".cargo", "config.toml", "a[1]", "keep"}
	pins := defaults().With(Pins{Paths: []string{"Makefile"}, Protect: []string{"keep/**", "/src/a"}, Allow: []string{"src/tests", `a\[1\]`}, Parts: map[string]Part{"src/Makefile": {}}})
	rapid.Check(t, func(t *rapid.T) {
		var files []string
		for range 20 {
			files = append(files, join([]string{"."}, joinWords(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(t, "path")))...)
		}
		want := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !pins.Pinned(f) })
		got := pins.Among(files)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func joinWords(words []string) string {
	out := words[0]
	for _, w := range words[1:] {
		out += "/" + w
	}
	return out
}

func BenchmarkPinsAmong(b *testing.B) {
	var files []string
	for i := range 10_000 {
		files = append(files, joinWords([]string{"src", string(rune('a' + i%26)), string(rune('a'+i%7)) + "_" + string(rune('a'+i%23)) + ".go"}))
	}
	pins := defaults()
	for b.Loop() {
		pins.Among(files)
	}
}
