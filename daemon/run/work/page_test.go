package work

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/stored"
)

// Each file for approval is on show, or named by its hash: never by a reason for its
// absence.
func TestEveryKindOfFileIsShownOrNamedByItsHash(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a plan\n", 6000)
	for name, tt := range map[string]struct {
		content string
		left    int
		kind    stored.OpaqueKind
		shows   string
	}{
		"empty":             {"", setBytes, "", "  (empty: 0 bytes)\n"},
		"white space":       {" \n\t\n", setBytes, "", "  (white space only: 4 bytes)\n   1   \n"},
		"98 KB":             {long + "the end", setBytes, "", "6001  the end\n"},
		"5 MB":              {strings.Repeat(long, 50) + "the end", setBytes, "", "300001  the end\n"},
		"a line of 1 MB":    {strings.Repeat("x", 1<<20) + "!", setBytes, "", "x!\n"},
		"NUL":               {"a\x00b", setBytes, stored.OpaqueBinary, "  (binary, 3 bytes; "},
		"no UTF-8":          {"caf\xe9", setBytes, stored.OpaqueEncoding, "  (no valid UTF-8, 4 bytes; "},
		"over the bound":    {strings.Repeat("x", pageBytes+1), setBytes, stored.OpaqueLarge, "  (too large to be shown as text, 8388609 bytes; "},
		"over what is left": {long, 100, stored.OpaqueLarge, sum(long)},
		"return":            {"safe\rrm -rf\r\n", setBytes, "", "   1  safe\rrm -rf\r\n"},
		"escapes":           {"\x1b[2J", setBytes, "", "   1  \x1b[2J\n"}, // escaped on show
	} {
		p := newPage("docs/plan.md", []byte(tt.content), tt.left)
		if got := shownPage(events.English, p); p.opaque.Kind != tt.kind || !strings.Contains(got, tt.shows) || !strings.HasPrefix(got, "\ndocs/plan.md\n\n") {
			t.Errorf("%s: kind %q, %.200q", name, p.opaque.Kind, got)
		}
		if tt.kind != "" && p.opaque.Hash != sum(tt.content) {
			t.Errorf("%s: %+v", name, p.opaque)
		}
	}
}

func TestAPathIsNeverTakenForSeveral(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"docs/plan.md": "docs/plan.md", "日本語.md": "日本語.md", "a\nb": `"a\nb"`, `"a`: `"\"a"`, "a\u202eb": `"a\u202eb"`, "a b": "a b",
	} {
		if got := pathText(path); got != want {
			t.Errorf("%q is shown as %s", path, got)
		}
	}
}

func TestOnlyTextIsCompared(t *testing.T) {
	t.Parallel()
	then := []page{{path: "b", text: "x"}, newPage("a", []byte("\x00"), 9), newPage("gone", []byte("\x00"), 9)}
	now := []page{{path: "c"}, {path: "b"}, {path: "a", text: "text now"}}
	if got := strings.Join(readable(then, now), " "); got != "b c" {
		t.Errorf("compared: %s", got)
	}
	if got := shownOpaque(events.English, then, now); got != "\na\n\n   1  text now\n\ngone\n\n  (it is gone)\n" {
		t.Errorf("beside that: %q", got)
	}
}
