package strictyaml_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/strictyaml"
)

const written = `# what runs here
agent: claude  # the usual one

gates:         # in this order
  test: go test ./...   # all of it
  # slow
  vet: {run: "go vet ./...", role: invariant}
  docs:
    run: |
      # not a comment
      make docs
    role: goal
protect:
- "api/**"
- b   # why

limits: {iterations: 10, for: 8h}  # a night
# the end
`

func TestAnEditKeepsWhatItDoesNotChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, value, old, new string }{
		"a value":                  {"agent", "codex", "claude  #", "codex  #"},
		"a value inside":           {"gates.test", "make test", "test: go test ./...   # all", "test: make test  # all"},
		"in braces":                {"gates.vet.role", "goal", `{run: "go vet ./...", role: invariant}`, "{run: go vet ./..., role: goal}"},
		"new in braces":            {"limits.until", `"07:00"`, "for: 8h}", `for: 8h, until: "07:00"}`},
		"a block":                  {"gates.docs", "make docs", "docs:\n    run: |\n      # not a comment\n      make docs\n    role: goal\n", "docs: make docs\n"},
		"the end of a block":       {"gates.docs.role", "invariant", "role: goal", "role: invariant"},
		"a list":                   {"protect", "[c]", "protect:\n- \"api/**\"\n- b   # why\n", "protect: [c]\n"},
		"a new one":                {"setup", "npm ci", "a night\n", "a night\nsetup: npm ci\n"},
		"a new one inside":         {"gates.lint", "make lint", "    role: goal\n", "    role: goal\n  lint: make lint\n"},
		"a new one with a mapping": {"agents.claude.model", "opus", "a night\n", "a night\nagents:\n  claude:\n    model: opus\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, eol := range []string{"\n", "\r\n"} {
				lines := func(s string) string { return strings.ReplaceAll(s, "\n", eol) }
				got, err := strictyaml.Set([]byte(lines(written)), strings.Split(c.path, "."), c.value)
				if err != nil {
					t.Fatal(err)
				}
				want := lines(strings.Replace(written, c.old, c.new, 1))
				if diff := cmp.Diff(want, string(got)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestWhatIsTakenOutLeavesNoEmptyMapping(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, path, want string }{
		"one":                  {"a: 1\n# b\nb: 2\n", "a", "# b\nb: 2\n"},
		"the only one inside":  {"a:\n  b:\n    c: 1\nd: 2\n", "a.b.c", "d: 2\n"},
		"the only one":         {"# x\na: 1\n", "a", "# x\n"},
		"in braces":            {"a: {b: 1, c: 2} # x\n", "a.b", "a: {c: 2} # x\n"},
		"the only in braces":   {"a: {b: 1}\nc: 1\n", "a.b", "c: 1\n"},
		"one that is not":      {"a: 1\n", "b.c", "a: 1\n"},
		"without a line's end": {"a: 1\nb: 2", "a", "b: 2"},
	} {
		got, err := strictyaml.Unset([]byte(c.src), strings.Split(c.path, "."))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestAFileThatHoldsNothingGetsItsFirstEntry(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"": "a:\n  b: 1\n", "# x": "# x\na:\n  b: 1\n", "\uFEFF# x\n": "\uFEFF# x\na:\n  b: 1\n",
		"c: 1": "c: 1\na:\n  b: 1\n", "{}\n": "{a: {b: 1}}\n", "a: {}\n": "a: {b: 1}\n",
	} {
		got, err := strictyaml.Set([]byte(src), []string{"a", "b"}, "1")
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v; want %q", src, got, err, want)
		}
	}
}

func TestALayoutThatIsNotKnownIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"a: {\n  b: 1, # x\n  c: 2\n}\n", "a: {b: 1,\n  c: 2}\n", "- a\n", "a: [1\n]\n"} {
		if _, err := strictyaml.Set([]byte(src), []string{"a", "b"}, "3"); err == nil {
			t.Errorf("%q was changed", src)
		}
	}
	if _, err := strictyaml.Set([]byte("a: {\n b: 1}\n"), []string{"a", "b"}, "2"); !errors.Is(err, strictyaml.ErrLayout) {
		t.Error(err)
	}
}

// An edit either fails, or does what it says and nothing else.
func TestACommentWithinWhatIsReplacedIsKeptByAPerson(t *testing.T) {
	t.Parallel()
	if out, err := strictyaml.Set([]byte("g:\n# note\n  c: x"), []string{"g"}, "1"); !errors.Is(err, strictyaml.ErrLayout) {
		t.Errorf("%q %v", out, err)
	}
}

func TestAnEditDoesWhatItSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a: 1", "b:", "  c: x", "  d: {e: 1, f: [a, b]}", "# note", "", "g:", "  - x", "- y", "h: 'q # r'", "i: |", "   text", "    more # text"})
		src := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "\n")
		path := strings.Split(rapid.SampledFrom([]string{"a", "b.c", "b.d.e", "b.n", "g", "h", "i", "n.m"}).Draw(t, "path"), ".")
		value := rapid.SampledFrom([]string{"1", "text", "[a, b]", "{k: v}", `"q # r"`}).Draw(t, "value")
		out, err := strictyaml.Set([]byte(src), path, value)
		if err != nil {
			return
		}
		doc, err := strictyaml.ParseOptional(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
		v, _ := doc.Lookup(path...)
		want, _ := strictyaml.ParseOptional([]byte("v: " + value))
		if w, _ := want.Lookup("v"); !cmp.Equal(v, w) {
			t.Fatalf("%q became %q", src, out)
		}
		if strings.Count(string(out), "# note") != strings.Count(src, "# note") {
			t.Fatalf("%q became %q: a comment is gone", src, out)
		}
	})
}
