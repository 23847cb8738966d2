package stream_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/agent/stream"
)

// pieces are what text is made of between, before and after objects. None begins an
// object with a type that another may end: what lies in one is a part of it.
var pieces = []string{
	"{", "}", "[", "]", `"`, `\`, ":", ",", " ", "\t", "\r", "\x00", "\x1b[31m", "\x1b[0m", "\x1b]0;a title\x07", "\x1b[", "\xff", "WARN ",
	"npm notice", "null", "7", `{"a":`, `{"a":1,`, `{"a":"`, `{"a":[`, `{"a":{"b":`, `"type":`, `{"type":`, `{"type":"from-tomorrow","x":bad `,
	`{"type":"from-tomorrow"}`, `{"level":"warn","msg":"a { in it"}`, "func main() {", "\n", "\n", "\n  ",
}

func drawText(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, name), "")
}

// drawObject writes an object in one line, over several, or with that of another
// writer in it.
func drawObject(t *rapid.T, object []byte) string {
	if object[0] != '{' {
		return "\n" + string(object) + "\n"
	}
	switch rapid.SampledFrom([]string{"line", "line", "spread", "cut into"}).Draw(t, "form") {
	case "spread":
		var out bytes.Buffer
		if err := json.Indent(&out, object, "", "  "); err != nil {
			t.Fatal(err)
		}
		return out.String()
	case "cut into":
		at := rapid.IntRange(1, len(object)-1).Draw(t, "at")
		if object[at] == '{' || object[at-1] == '}' || object[at-1] == '[' {
			at = 1 // of two objects side by side, or in a list, none is known to be foreign
		}
		foreign := rapid.SampledFrom([]string{`{"type":"from-tomorrow","n":{"m":[1]}}`, `{"level":"warn"}`, `{"type":"from-tomorrow"}` + "\n"}).Draw(t, "foreign")
		return string(object[:at]) + foreign + string(object[at:])
	}
	return string(object)
}

// Any text between, before and after complete objects changes no outcome and no total.
func TestNoTextAroundAnObjectChangesWhatIsTold(t *testing.T) {
	t.Parallel()
	all := samples(t)
	for _, f := range stream.Formats() {
		if f.Lined() {
			continue
		}
		lines := bytes.Split(bytes.TrimSpace(all["testdata/ok."+string(f)]), []byte("\n"))
		want := readAll(f, bytes.Join(lines, []byte("\n"))).Summary
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				var src strings.Builder
				for _, l := range lines {
					src.WriteString(drawText(r, "before"))
					src.WriteString(drawObject(r, l))
					src.WriteString(drawText(r, "after"))
					if rapid.Bool().Draw(r, "end of line") {
						src.WriteString("\n")
					}
				}
				got := readAll(f, []byte(src.String())).Summary
				if d := cmp.Diff(told(want), told(got)); d != "" {
					r.Fatalf("(-alone +with others):\n%s\n%q", d, src.String())
				}
			})
		})
	}
}

// A result as claude 2.1.332 writes it, which does not begin with its type.
const (
	resultHead = `{"duration_ms":84,"type":"result","subtype":"success","is_error":false,"num_turns":3,"resu`
	resultTail = `lt":"Done.","session_id":"7b0c","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":5}}`
)

func TestAResultIsFoundInItsLine(t *testing.T) {
	t.Parallel()
	log := `{"type":"log","msg":"a { in it"}`
	for name, src := range map[string]string{
		"alone":                       resultHead + resultTail,
		"text before it":              "(node:7) Warning: something" + resultHead + resultTail,
		"colours before it":           "\x1b[2K\x1b[1G" + resultHead + resultTail,
		"text behind it":              resultHead + resultTail + "npm notice",
		"a brace before it":           "main() { " + resultHead + resultTail,
		"half an object before it":    `{"type":"assistant","message":{"content":[{"type":"te` + resultHead + resultTail,
		"an object in it":             resultHead + log + resultTail,
		"an object without a type":    resultHead + `{"level":"warn"}` + resultTail,
		"two objects in it":           resultHead + log + log + resultTail,
		"an object and its line end":  resultHead + log + "\n" + resultTail,
		"an object in a line between": resultHead + "\n" + log + "\n" + resultTail,
		"a colour in it":              strings.Replace(resultHead, `"type"`, "\x1b[32m\"type\"\x1b[0m", 1) + resultTail,
		"several lines":               strings.ReplaceAll(resultHead+resultTail, ",", ",\n  "),
		"several lines after text":    "It is: " + strings.ReplaceAll(resultHead+resultTail, ",", ",\n  "),
		"a list":                      "[" + log + ",\n" + resultHead + resultTail + "\n]",
		"a list in one line":          "[" + log + "," + resultHead + resultTail + "]",
	} {
		s := stream.Read(stream.Claude, []byte(src+"\n"))
		if !s.Ended || s.Failed || s.MicroUSD != 500_000 || s.Usage.Input != 10 || s.Turns != 3 || s.Last != "Done." {
			t.Errorf("%s: ended %v, cost %d, %+v, %d turns, %q", name, s.Ended, s.MicroUSD, s.Usage, s.Turns, s.Last)
		}
	}
}

func TestWhatIsBesideAnObjectIsTold(t *testing.T) {
	t.Parallel()
	s := stream.Read(stream.Claude, []byte("a warning "+resultHead+resultTail+" and its end\n{\n  \"error\": \"no key\"\n}\nif {\n"))
	if want := "a warning\nand its end\n{  \"error\": \"no key\"}\nif {\n"; s.Plain != want {
		t.Errorf("%q, want %q", s.Plain, want)
	}
}

// Of an object of any length only the rest of a long text is lost.
func TestALongTextTakesNothingFromItsObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"alone":               {"", "\n"},
		"text before it":      {"a warning ", "\n"},
		"much text before it": {strings.Repeat("a warning ", 150_000), "\n"},
		"objects behind it":   {"", `{"type":"assistant","message":{"content":[{"type":"text","text":"later"}]}}` + "\n"},
	} {
		long := strings.Repeat(`x\n\"\\`, 1<<18)
		src := c.before + `{"type":"result","subtype":"success","result":"` + long + `","total_cost_usd":0.5,"usage":{"input_tokens":10}}` + c.after
		s := stream.Read(stream.Claude, []byte(src))
		if !s.Ended || s.MicroUSD != 500_000 || s.Usage.Input != 10 || s.Long != 1 || s.Lines != 1 {
			t.Errorf("%s: ended %v, cost %d, %+v, %d lines, %d long", name, s.Ended, s.MicroUSD, s.Usage, s.Lines, s.Long)
		}
	}
}

// What comes behind any bytes is read, in a line of its own.
func FuzzFind(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p), []byte(p))
		f.Add([]byte(resultHead+p), []byte(p+resultTail))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if len(before)+len(after) > 1<<10 || bytes.Contains(before, []byte("result")) || bytes.Contains(after, []byte("result")) {
			return // a result of their own
		}
		src := slices.Concat(before, []byte("\n"+resultHead+resultTail+"\n"), after)
		if s := stream.Read(stream.Claude, src); !s.Ended || s.MicroUSD != 500_000 || s.Usage.Input < 10 {
			t.Errorf("ended %v, cost %d, %+v", s.Ended, s.MicroUSD, s.Usage)
		}
	})
}

func TestWarningsOfALimitAreOneLine(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	for i := range 500 {
		fmt.Fprintf(&src, `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","rateLimitType":"five_hour","utilization":%f}}`+"\n", 0.5+float64(i)/1000)
		src.WriteString(`{"type":"assistant","message":{"content":[{"type":"text","text":"a"}]}}` + "\n")
	}
	if got := readAll(stream.Claude, []byte(src.String())).Text; strings.Count(got, "limit:") != 1 {
		t.Errorf("%.300s", got)
	}
}
