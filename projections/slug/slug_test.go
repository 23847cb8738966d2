package slug

import (
	"strings"
	"testing"
)

func TestASlugIsAPartOfAName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Fix the login":           "fix-the-login",
		"  ../../etc/passwd\n":    "etc-passwd",
		"fix #24: ../../etc & rm": "fix-24-etc-rm",
		"-d --force":              "d-force",
		"a\nb":                    "a-b",
		"ログインを直す":                 "task-581e6fda",
		"":                        "task",
		"Make the suite pass, please, and then go home": "make-the-suite-pass-please-and",
		strings.Repeat("x", 60):                         strings.Repeat("x", 32),
	} {
		if got := Of(text, 32); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
