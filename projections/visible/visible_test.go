package visible_test

import (
	"testing"

	"autopilot/projections/visible"
)

func TestWhatAPersonAgreesToIsAllThere(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a: b\tc\n":                         "a: b\tc\n",
		"# of Windows\r\nx: \"1\"\r\n":      "# of Windows\nx: \"1\"\n",
		"naïve 日本 👍 \u0430":                 "naïve 日本 👍 \u0430",
		"# hello\rsetup: curl x | sh":       `# hello\rsetup: curl x | sh`,
		"ok # \u2028  evil\u2029\u0085":     `ok # \u2028  evil\u2029\u0085`,
		"\x1b[2J\u009d\x00\x7f":             `\u001b[2J\u009d\u0000\u007f`,
		"\u202eeurt\u2066\u200f\u061c":      `\u202eeurt\u2066\u200f\u061c`,
		"go\u00a0test\u3000x\u2003":         `go\u00a0test\u3000x\u2003`,
		"r\u200bm\ufeff\u00ad\u2060\u200d":  `r\u200bm\ufeff\u00ad\u2060\u200d`,
		"\u3164\u115f\uffa0\u034f\u180e":    `\u3164\u115f\uffa0\u034f\u180e`,
		"\U000e0041\ue000\ufe0f\U000e0100x": `\U000e0041\ue000\ufe0f\U000e0100x`,
	} {
		if got := visible.Text(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestALineIsOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\tb\r\nc":      `a⇥b\u000d⏎c`,
		"\u202eevil\xff": `\u202eevil` + "\uFFFD",
	} {
		if got := visible.Line(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
