package render

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWhatSteersATerminalIsTakenOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"text":                  {"a\tb\nc é 漢 👍", "a\tb\nc é 漢 👍"},
		"clear screen":          {"a\x1b[2Jb", "ab"},
		"scroll region":         {"a\x1b[rb", "ab"},
		"colour":                {"\x1b[1;31mred\x1b[0m", "red"},
		"clipboard, BEL":        {"a\x1b]52;c;cm0gLXJmIC8=\x07b", "ab"},
		"clipboard, ST":         {"a\x1b]52;c;cm0gLXJmIC8=\x1b\\b", "ab"},
		"title":                 {"\x1b]0;root@host\x07x", "x"},
		"hyperlink":             {"\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", "here"},
		"DCS":                   {"a\x1bP1$r0m\x1b\\b", "ab"},
		"APC":                   {"a\x1b_G...\x1b\\b", "ab"},
		"C1 CSI as a byte":      {"a\x9b2Jb", "ab"},
		"C1 CSI as a rune":      {"a\u009b2Jb", "ab"},
		"C1 OSC":                {"a\u009d0;t\u009cb", "ab"},
		"other C1":              {"a\u0085b", "ab"},
		"bidi override":         {"a\u202eb\u202c", "ab"},
		"bidi isolate":          {"a\u2066b\u2069", "ab"},
		"direction mark":        {"a\u200fb", "ab"},
		"tags":                  {"a\U000e0041b", "ab"},
		"backspace, bell, del":  {"a\bb\ac\x7fd\x00e", "abcde"},
		"shift out":             {"a\x0eb\x0f", "ab"},
		"charset":               {"\x1b(0lqk\x1b(B", "lqk"},
		"reset":                 {"a\x1bcb", "ab"},
		"overwriting":           {"fail\rpass\r\n", "fail\npass\n"},
		"last return":           {"a\r", "a\n"},
		"line separator":        {"a\u2028b", "a\nb"},
		"html stays":            {"<script>", "<script>"},
		"invalid UTF-8":         {"a\xffb", "a\ufffdb"},
		"cut rune":              {"a\xe6\xbc", "a\ufffd"},
		"unfinished OSC":        {"\x1b]0;never ends\nnext", "\nnext"},
		"unfinished CSI":        {"\x1b[12\nnext", "\nnext"},
		"escape in a sequence":  {"\x1b[\x1b[2Jx", "x"},
		"escape in an OSC":      {"\x1b]0;a\x1b[2Jb\x07x", "x"},
		"double escape":         {"\x1b\x1b[2Jx", "x"},
		"terminal asks back":    {"\x1b[6n\x1b[c\x05x", "x"},
		"bracketed paste":       {"\x1b[?2004hx", "x"},
		"synchronised update":   {"\x1bP=1s\x1b\\x", "x"},
		"paragraph separator":   {"a\u2029b", "a\nb"},
		"private C1 in a tag":   {"a\u0090q\u009cb", "ab"},
		"CSI with a wide final": {"\x1b[漢x", "x"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAStringWithoutAnEndSwallowsLittle(t *testing.T) {
	t.Parallel()
	got := Clean("\x1b]0;" + strings.Repeat("x", 2*maxControl) + " seen")
	if !strings.HasSuffix(got, " seen") || len(got) < maxControl/2 {
		t.Errorf("%d bytes are left", len(got))
	}
}

func TestOutputCutAnywhereIsCleanedTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", "\n", "\r", "\x1b", "[", "]", "2J", "\x07", "\\", "\x9b", "\xe6", "\xbc", "漢", "\u202e", "\u009b", ";", "m", "\x00",
		})
		in := []byte(strings.Join(rapid.SliceOf(piece).Draw(t, "in"), ""))
		at := rapid.IntRange(0, len(in)).Draw(t, "at")
		var whole, parts Cleaner
		want := whole.Clean(in)
		want = append(want, whole.Flush()...)
		got := append(parts.Clean(in[:at]), parts.Clean(in[at:])...)
		got = append(got, parts.Flush()...)
		if !bytes.Equal(got, want) {
			t.Fatalf("cut at %d: %q, whole: %q", at, got, want)
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[2Jb", "\x1b]52;c;x\x07", "\x9b2J", "a\u202eb", "\r\n", "\xe6\xbc"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := Clean(string(in))
		if !utf8.ValidString(out) {
			t.Errorf("%q is not UTF-8", out)
		}
		for _, r := range out {
			if r != '\n' && r != '\t' && steers(r) {
				t.Errorf("%q holds %U", out, r)
			}
		}
		if again := Clean(out); again != out {
			t.Errorf("cleaned twice: %q, once: %q", again, out)
		}
		if columns(out) > 2*len(in) {
			t.Errorf("%q is too wide", out)
		}
	})
}
