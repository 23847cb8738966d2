package goals

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestO42TheValueOfAnOptionIsNoneOfTheText(t *testing.T) {
	t.Parallel()
	f := form{flags: []string{"json", "force"}, values: []string{"brief", "goal"}, words: true}
	for args, want := range map[string]options{
		"a b":                       {words: []string{"a", "b"}},
		"--json a --goal x::y b":    {on: map[string]bool{"json": true}, values: map[string][]string{"goal": {"x::y"}}, words: []string{"a", "b"}},
		"--goal=a=b --goal=":        {values: map[string][]string{"goal": {"a=b", ""}}},
		"--brief=--json":            {values: map[string][]string{"brief": {"--json"}}},
		"-- --json --brief":         {words: []string{"--json", "--brief"}},
		"--goal a --goal b --force": {on: map[string]bool{"force": true}, values: map[string][]string{"goal": {"a", "b"}}},
	} {
		got, err := f.read(strings.Fields(args))
		if want.on == nil {
			want.on = map[string]bool{}
		}
		if want.values == nil {
			want.values = map[string][]string{}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", args, err, diff)
		}
	}
	for args, want := range map[string]string{
		"--brief":             "--brief needs a value",
		"--brief --json":      "--brief needs a value",
		"--json=true":         "takes no value",
		"--frobnicate":        "--frobnicate is not known",
		"--brief a --brief b": "--brief is given twice",
	} {
		if _, err := f.read(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := (form{}).read([]string{"word"}); err == nil {
		t.Error("a word where none is taken")
	}
}
