package strictyaml_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/strictyaml"
)

type inner struct {
	Wall  time.Duration `yaml:"wall"`
	Tries int           `yaml:"tries"`
}

type file struct {
	Name   string            `yaml:"name"`
	Phases []string          `yaml:"phases"`
	Limit  inner             `yaml:"limit"`
	On     bool              `yaml:"on"`
	Files  map[string]string `yaml:"files"`
	Note   *string           `yaml:"note"`
	Result any               `yaml:"result"`
	Hidden string
}

func decode(src string, into *file) error {
	doc, err := strictyaml.Parse([]byte(src))
	if err != nil {
		return err
	}
	return doc.Decode(into)
}

func TestDecodeFillsEveryKindAndKeepsDefaults(t *testing.T) {
	t.Parallel()
	got := file{Name: "default", Limit: inner{Wall: time.Hour, Tries: 3}, Phases: []string{"old"}}
	err := decode("\uFEFFphases: [a, 'b']\r\nlimit: {tries: 0x10}\non: true\nfiles:\n  a.txt: |\n    one\n    two\n  3: x\nnote: \"\\e[1m\"\n"+
		"result: {v: 1, f: 1.5, big: 18446744073709551615, list: [null, true, s], deep: {}}\n", &got)
	if err != nil {
		t.Fatal(err)
	}
	note := "\x1b[1m"
	want := file{
		Name: "default", Phases: []string{"a", "b"}, Limit: inner{Wall: time.Hour, Tries: 16}, On: true,
		Files: map[string]string{"a.txt": "one\ntwo\n", "3": "x"}, Note: &note,
		Result: map[string]any{"v": uint64(1), "f": 1.5, "big": uint64(18446744073709551615), "list": []any{nil, true, "s"}, "deep": map[string]any{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestMistakesAreNamedWithPlaceAndFix(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		src          string
		line, column int
		msg, fix     string
	}{
		"unknown key with a near one":  {"name: a\nphase: [x]\n", 2, 1, `unknown key "phase"`, `did you mean "phases"?`},
		"unknown key with none near":   {"limit:\n  frobnicate: 1\n", 2, 3, `unknown key "frobnicate"`, "allowed: wall, tries"},
		"field without a tag":          {"Hidden: x\n", 1, 1, `unknown key "Hidden"`, "allowed: "},
		"number for text":              {"name: 12\n", 1, 7, "name: want text, found a number", "put it in quotes"},
		"nothing for text":             {"name:\n", 1, 7, "name: want text, found nothing", ""},
		"text for number":              {"limit: {tries: many}\n", 1, 16, "limit.tries: want a whole number, found text", ""},
		"fraction for number":          {"limit: {tries: 1.5}\n", 1, 16, "want a whole number", ""},
		"number beyond int":            {"limit: {tries: 18446744073709551615}\n", 1, 16, "want a whole number", ""},
		"text for a switch":            {"on: yes\n", 1, 5, "on: want true or false, found text", ""},
		"bad duration":                 {"limit: {wall: 2 hours}\n", 1, 15, `"2 hours" is not a duration`, "write 30s"},
		"negative duration":            {"limit: {wall: -1s}\n", 1, 15, "is not a duration", "write 30s"},
		"bare number for duration":     {"limit: {wall: 30}\n", 1, 15, "want a duration", ""},
		"text for a list":              {"phases: a\n", 1, 9, "phases: want a list, found text", ""},
		"list for a mapping":           {"limit: [1]\n", 1, 8, "limit: want a mapping", ""},
		"mapping for an item":          {"phases:\n  - a: b\n", 2, 5, "phases.0: want text, found a mapping", ""},
		"list for the file":            {"- a\n", 1, 1, "file: want a mapping", ""},
		"infinite number":              {"result: .inf\n", 1, 9, "want a value", ""},
		"key given twice":              {"name: a\nname: b\n", 2, 1, "already defined", ""},
		"complex key":                  {"files:\n  ? k\n  : v\n", 2, 3, "not a plain key", "write key: value"},
		"second document":              {"name: a\n---\nname: b\n", 2, 1, "a second document begins here", "keep one"},
		"second document that is void": {"name: a\n---\n", 2, 1, "a second document begins here", "keep one"},
		"anchor":                       {"name: &x a\n", 1, 7, "an anchor (&) is not read here", "write the value out"},
		"alias":                        {"name: *x\n", 1, 7, "an alias (*) is not read here", "write the value out"},
		"tag":                          {"name: !!str a\n", 1, 7, "a tag (!) is not read here", "write the value out"},
		"merge key":                    {"<<: {name: a}\n", 1, 1, "a merge key (<<) is not read here", "write the value out"},
		"directive":                    {"%YAML 1.2\n---\nname: a\n", 1, 1, "a directive (%) is not read here", ""},
		"tab as indent":                {"limit:\n\ttries: 1\n", 2, 1, "cannot start any token", ""},
		"wrong indent":                 {"limit:\n  wall: 1s\n tries: 2\n", 3, 2, "not allowed in this context", ""},
		"empty":                        {"", 1, 1, "file is empty", ""},
		"only a comment":               {"# hello\n", 1, 1, "file is empty", ""},
		"not UTF-8":                    {"name: a\nphases: [\xff]\n", 2, 10, "text is not UTF-8", "save the file as UTF-8"},
		"escape":                       {"name: \x1b[2J\n", 1, 7, "control character U+001B", `write it as "\u001B"`},
		"NUL":                          {"name: \x00\n", 1, 7, "control character U+0000", ""},
		"deep flow":                    {"result: " + strings.Repeat("[", 40000), 1, 41, "more than 32 levels of nesting", ""},
		"deep after closing brackets":  {"result: " + strings.Repeat("]", 99) + strings.Repeat("{a: ", 9000), 1, 0, "more than 32 levels of nesting", ""},
		"deep dashes":                  {"result:\n" + strings.Repeat("- ", 40000), 2, 65, "more than 32 levels of nesting", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var e *strictyaml.Error
			if err := decode(tt.src, new(file)); !errors.As(err, &e) {
				t.Fatalf("got %v, want a *strictyaml.Error", err)
			}
			if e.Line != tt.line || (tt.column != 0 && e.Column != tt.column) {
				t.Errorf("place is %d:%d, want %d:%d (%s)", e.Line, e.Column, tt.line, tt.column, e.Msg)
			}
			if !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Fix, tt.fix) {
				t.Errorf("got %q, fix %q; want %q, fix %q", e.Msg, e.Fix, tt.msg, tt.fix)
			}
		})
	}
}

func TestErrorShowsTheLine(t *testing.T) {
	t.Parallel()
	err := decode("name: 日本\nphase: [x]\n", new(file))
	want := "line 2, column 1: unknown key \"phase\": did you mean \"phases\"?\n" +
		"  1 | name: 日本\n" +
		"> 2 | phase: [x]\n" +
		"    | ^"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Fatal(diff)
	}
	long := decode("name: [\""+strings.Repeat("x", 5000)+"\"]\n", new(file))
	if n := len(long.Error()); n > 400 {
		t.Fatalf("an error about a long line has %d bytes", n)
	}
}

func TestNothingOfTheFileBreaksTheLinesOfAnError(t *testing.T) {
	t.Parallel()
	doc, err := strictyaml.Parse([]byte("\"a\\nb\": 1 # \u202ex\u2028y\rz: 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := doc.Errorf("", "", "%s is unknown", "a\nb\x1b[2J\u202e").Error()
	want := "line 1, column 1: a\\nb\\x1b[2J\\u202e is unknown\n" +
		"> 1 | \"a\\nb\": 1 # \ufffdx\ufffdy\ufffdz: 2\n" +
		"    | ^"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestErrorfPointsAtTheNearestValueThatExists(t *testing.T) {
	t.Parallel()
	doc, err := strictyaml.Parse([]byte("name: a\nlimit:\n  tries: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Decode(new(file)); err != nil {
		t.Fatal(err)
	}
	for path, line := range map[string]int{"limit.tries": 3, "limit.wall": 2, "limit": 2, "phases.0": 1, "": 1} {
		if e := doc.Errorf(path, "", "x"); e.Line != line {
			t.Errorf("%q is at line %d, want %d", path, e.Line, line)
		}
	}
}

func TestTooLongAFileIsRefused(t *testing.T) {
	t.Parallel()
	if err := decode(strings.Repeat("#", strictyaml.MaxBytes+1), new(file)); err == nil || !strings.Contains(err.Error(), "at most 1048576") {
		t.Fatal(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"name: a\nphases: [a, b]\nlimit: {wall: 2h}\n", "- a\n", "a: |\n  x\n", "? k\n: v\n", "{a: [}", "a: 'b", "---\n...\n---", "result: {a: [1, {b: .nan}]}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		err := decode(src, new(file))
		var e *strictyaml.Error
		if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Msg == "") {
			t.Fatalf("%v", err)
		}
	})
}

// exact is a value that keeps how it is written.
type exact string

func (e *exact) DecodeYAML(v strictyaml.Value) error {
	*e = exact(v.Plain())
	return nil
}

func TestANumberIsGivenAsItIsWritten(t *testing.T) {
	t.Parallel()
	var got struct {
		A []exact `yaml:"a"`
	}
	doc, err := strictyaml.Parse([]byte("a: [0.30, 7, -1, \"$5\", text, true, [1]]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if want := []exact{"0.30", "7", "-1", "$5", "text", "", ""}; !slices.Equal(got.A, want) {
		t.Errorf("%q", got.A)
	}
}
