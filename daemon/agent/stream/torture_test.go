package stream_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/spool"
)

// nasty are lines that belong to no stream.
var nasty = []string{
	"npm notice a new version", "\x1b[2J\x1b]52;c;aGk=\x07\u202e", "\x00\x00", "\xff\xfe\xc3", "  ", "[]", "null", "{}", "}", "{",
	`{"no":"type"}`, `{"type":7}`, `{"type":""}`, `{"type":"from-tomorrow","x":{"y":["}",{"z":1}]}}`, `{"type":"from-tomorrow","t":"\ud83d \u0000"}`,
	`{"type":"from-tomorrow","cut":"in the mid`, `{"type":`, `{"type":"from-tomorrow","bad":\x}`, "2026-01-02T03:04:05Z ERROR it was not",
	"\xef\xbb\xbf", "::autopilot", "::autopilot nothing", `::autopilot {"v":3,"type":"usage","input_tokens":9}`,
	strings.Repeat("deep ", 5000), strings.Repeat("[", 5000), `{"type":"from-tomorrow","x":` + strings.Repeat(`{"a":`, 2000),
}

// told is what must not depend on what is between the lines.
func told(s stream.Summary) stream.Summary {
	return stream.Summary{
		Session: s.Session, Model: s.Model, Turns: s.Turns, Usage: s.Usage, UsageFrom: s.UsageFrom, MicroUSD: s.MicroUSD, CostFrom: s.CostFrom,
		Ended: s.Ended, Final: s.Final, Failed: s.Failed, Reason: s.Reason, Tools: s.Tools, Denied: s.Denied, Pending: s.Pending,
		Asks: s.Asks, Claims: s.Claims, Question: s.Question, Repeat: s.Repeat, RepeatNow: s.RepeatNow,
	}
}

// Field reports, B-53, and the fixtures trunc, interleave, surrogate, nul,
// ansi-osc52, crlf-bom, no-final-newline and unknown-type.
func TestNoLineIsLostToWhatIsBetween(t *testing.T) {
	t.Parallel()
	all := samples(t)
	all["testdata/ok.text"] = all["testdata/protocol.text"]
	rapid.Check(t, func(r *rapid.T) {
		for range 2 {
			f := rapid.SampledFrom(stream.Formats()).Draw(r, "format")
			lines := bytes.Split(bytes.TrimSpace(all["testdata/ok."+string(f)]), []byte("\n"))
			want := readAll(f, bytes.Join(lines, []byte("\n"))).Summary
			end := rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", " \n"}).Draw(r, "end")
			var src []byte
			if rapid.Bool().Draw(r, "bom") {
				src = []byte("\xef\xbb\xbf")
			}
			for i, l := range lines {
				// Aider tells of itself in its first lines.
				if (f != stream.Aider || i > 4) && rapid.IntRange(0, 2).Draw(r, "between") == 0 {
					src = append(append(src, rapid.SampledFrom(nasty).Draw(r, "nasty")...), '\n')
				}
				src = append(append(src, l...), end...)
			}
			if rapid.Bool().Draw(r, "cut") {
				src = bytes.TrimRight(src, "\r\n ")
			}
			got := readAll(f, src)
			if d := cmp.Diff(told(want), told(got.Summary)); d != "" {
				r.Fatalf("%s (-alone +with others):\n%s\n%q", f, d, src)
			}
			if f == stream.Gemini && got.Summary.Last != want.Last {
				r.Fatalf("last %q, want %q", got.Summary.Last, want.Last)
			}
		}
	})
}

func TestTwoWritersInOneLineAreBothRead(t *testing.T) {
	t.Parallel()
	for _, f := range stream.Formats() {
		if f.Lined() {
			continue
		}
		src := samples(t)["testdata/ok."+string(f)]
		want := readAll(f, src).Summary
		for _, between := range []string{"", " ", "\x00", "WARN ", `{"type":"from-tomorrow","cu`} {
			lines := strings.Split(strings.TrimSpace(string(src)), "\n")
			var joined strings.Builder
			for i, l := range lines {
				joined.WriteString(l)
				if i%3 == 0 && i < len(lines)-1 {
					joined.WriteString(between)
				} else {
					joined.WriteByte('\n')
				}
			}
			if d := cmp.Diff(told(want), told(readAll(f, []byte(joined.String())).Summary)); d != "" {
				t.Errorf("%s with %q (-lines +joined):\n%s", f, between, d)
			}
		}
	}
}

// A run reads what its agent prints as it comes, from a file of which the
// middle is dropped.
func TestAGiantLineThroughASpoolTakesLittleMemory(t *testing.T) {
	const mib = 1 << 20
	for _, f := range []stream.Format{stream.Claude, stream.Text} {
		dir := t.TempDir()
		w, err := spool.Create(dir, "agent", mib, 4*mib)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		in, err := spool.Open(dir, "agent")
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		grown, later := through(t, w, in, stream.New(f, nil))
		t.Logf("%s: the heap grew by %d MiB", f, grown/mib)
		if grown > 50*mib {
			t.Errorf("%s: the heap grew by %d MiB", f, grown/mib)
		}
		if !strings.HasSuffix(later, "later\n") {
			t.Errorf("%s: the line after it is lost", f)
		}
	}
}

// through generates a line of 200 MB and another, and follows it. It says by how
// much the heap grew, and what the program printed last.
func through(t *testing.T, w *spool.Writer, in *spool.Reader, r *stream.Reader) (grown uint64, plain string) {
	t.Helper()
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	before, off := mem.HeapAlloc, int64(0)
	follow := func(p []byte) {
		w.Append(p)
		for off < w.Total() {
			data, at, err := in.Read(off, 256<<10)
			if err != nil {
				t.Fatal(err)
			}
			if at > off {
				r.Gap()
			}
			off = at + int64(len(data))
			_, _ = r.Write(data)
		}
		runtime.ReadMemStats(&mem)
		grown = max(grown, mem.HeapAlloc-min(before, mem.HeapAlloc))
	}
	piece := bytes.Repeat([]byte(`x\n\"\\`), 1<<20/7)
	follow([]byte(`{"type":"user","message":{"content":[{"type":"tool_result","content":"`))
	for range 200 {
		follow(piece)
	}
	follow([]byte("\"}]}}\nlater\n"))
	return grown, r.End().Plain
}
