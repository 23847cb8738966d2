package stream_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/agent/stream"
)

var update = flag.Bool("update", false, "write what the samples are read as")

// samples are the files of testdata; their extension is the format.
func samples(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if strings.HasSuffix(f, ".want") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		out[f] = b
	}
	if len(out) < 10 {
		tb.Fatalf("only %d samples", len(out))
	}
	return out
}

func formatOf(file string) stream.Format { return stream.Format(filepath.Ext(file)[1:]) }

type read struct {
	Items   []stream.Item
	Summary stream.Summary
	Text    string
}

// readAll reads pieces of an output.
func readAll(f stream.Format, pieces ...[]byte) read {
	var out read
	var w stream.Writer
	r := stream.New(f, func(i stream.Item) {
		out.Items = append(out.Items, i)
		w.Add(i)
	})
	for _, p := range pieces {
		_, _ = r.Write(p)
	}
	out.Summary = r.End()
	w.End()
	out.Text = w.Take()
	return out
}

// show writes the fields of a struct that are not zero.
func show(v any) string {
	var out []string
	for f, v := range reflect.ValueOf(v).Fields() {
		switch {
		case v.IsZero():
		case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
			out = append(out, f.Name+"("+show(v.Interface())+")")
		case v.Kind() == reflect.String:
			out = append(out, fmt.Sprintf("%s=%q", f.Name, v.String()))
		default:
			out = append(out, fmt.Sprintf("%s=%v", f.Name, v))
		}
	}
	return strings.Join(out, " ")
}

func TestSamplesAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	for file, src := range samples(t) {
		got := readAll(formatOf(file), src)
		var b strings.Builder
		for _, i := range got.Items {
			b.WriteString(show(i) + "\n")
		}
		fmt.Fprintf(&b, "\n%s\n\n%s", show(got.Summary), got.Text)
		name := file + ".want"
		if *update {
			if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s is read otherwise (-want +got):\n%s", file, d)
		}
	}
}

func TestTheTotalOfAResultIsTheUsage(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		usage stream.Usage
		cost  int64
		from  stream.Source
	}{
		"ok.claude":       {stream.Usage{Input: 120, CacheRead: 16000, CacheWrite: 900, Output: 2210}, 421_300, stream.Reported},
		"twice.claude":    {stream.Usage{Input: 10, Output: 20}, 500_000, stream.Reported},
		"ok.codex":        {stream.Usage{Input: 315, CacheRead: 24448, Output: 122}, 0, stream.Unknown},
		"ok.gemini":       {stream.Usage{Input: 600, CacheRead: 100, Output: 200}, 0, stream.Unknown},
		"ok.opencode":     {stream.Usage{Input: 110, CacheRead: 55, CacheWrite: 3, Output: 23}, 22_300, stream.Reported},
		"ok.cursor-agent": {stream.Usage{Input: 500, CacheRead: 300, CacheWrite: 20, Output: 70}, 0, stream.Unknown},
		"ok.goose":        {stream.Usage{Input: 1000, Output: 210}, 0, stream.Unknown},
		"failed.goose":    {stream.Usage{Input: 90}, 0, stream.Unknown},
		"ok.aider":        {stream.Usage{Input: 5812, CacheRead: 300, CacheWrite: 1200, Output: 175}, 30_000, stream.Reported},
		"protocol.text":   {stream.Usage{Input: 300, CacheRead: 50, CacheWrite: 5, Output: 30}, 125_000, stream.Reported},
		"limit.text":      {stream.Usage{}, 0, stream.Unknown},
		"failed.codex":    {stream.Usage{}, 0, stream.Unknown},
		"failed.gemini":   {stream.Usage{Input: 7, Output: 2}, 0, stream.Unknown},
	} {
		s := readAll(formatOf(file), samples(t)["testdata/"+file]).Summary
		if s.Usage != want.usage || s.MicroUSD != want.cost || s.CostFrom != want.from {
			t.Errorf("%s: %+v, %d micro-USD (%s), want %+v", file, s.Usage, s.MicroUSD, s.CostFrom, want)
		}
	}
}

func TestWhatComesFromTheCacheIsCountedOnce(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]stream.Usage{
		`"input_tokens":3400,"output_tokens":100,"cache_read_input_tokens":1000,"total_tokens":3500`: {Input: 2400, CacheRead: 1000, Output: 100},
		`"input_tokens":2400,"output_tokens":100,"cache_read_input_tokens":1000,"total_tokens":3500`: {Input: 2400, CacheRead: 1000, Output: 100},
		`"input_tokens":2400,"output_tokens":100,"cache_read_input_tokens":1000`:                     {Input: 2400, CacheRead: 1000, Output: 100},
	} {
		if s := stream.Read(stream.Claude, []byte(`{"type":"result","subtype":"success","usage":{`+usage+`}}`)); s.Usage != want {
			t.Errorf("%s: %+v, want %+v", usage, s.Usage, want)
		}
	}
}

func TestTheErrorOfAResultIsKept(t *testing.T) {
	t.Parallel()
	s := stream.Read(stream.Claude, []byte(`{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"type":"authentication_error","message":"[API Error: 401 no key]"}}`))
	if s.Error != "authentication_error" || s.Message != "[API Error: 401 no key]" || !strings.Contains(s.Codes, "authentication_error") {
		t.Errorf("%q, %q, %q", s.Error, s.Message, s.Codes)
	}
}

func TestUsageInFlightCountsAMessageOnce(t *testing.T) {
	t.Parallel()
	src := samples(t)["testdata/ok.claude"]
	whole := readAll(stream.Claude, src[:bytes.Index(src, []byte(`{"type":"system","subtype":"task_started"`))])
	if want := (stream.Usage{Input: 22, CacheRead: 1900, Output: 70}); whole.Summary.Usage != want || whole.Summary.Ended {
		t.Errorf("%+v, want %+v", whole.Summary.Usage, want)
	}
}

func TestEveryLineThatTellsUsageIsAnItem(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]int{"spam.claude": 60, "protocol.text": 2, "ok.aider": 2, "ok.opencode": 2} {
		used := 0
		for _, i := range readAll(formatOf(file), samples(t)["testdata/"+file]).Items {
			if i.Kind == stream.Used {
				used++
			}
		}
		if used < want {
			t.Errorf("%s tells its usage %d times, want %d", file, used, want)
		}
	}
}

func TestUsageIsOfTheSessionWhereAProgramCountsThat(t *testing.T) {
	t.Parallel()
	for _, f := range stream.Formats() {
		if got, want := stream.Read(f, nil).Cumulative, f == stream.Codex || f == stream.Goose; got != want {
			t.Errorf("%s: %v, want %v", f, got, want)
		}
	}
}

func TestAnySplitGivesTheSameItems(t *testing.T) {
	t.Parallel()
	all := samples(t)
	files := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(r *rapid.T) {
		file := rapid.SampledFrom(files).Draw(r, "file")
		f := rapid.SampledFrom([]stream.Format{formatOf(file), stream.Claude}).Draw(r, "format")
		src := all[file]
		var pieces [][]byte
		for rest := src; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "n")
			if rapid.Bool().Draw(r, "small") {
				n = min(n, 7)
			}
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if d := gocmp.Diff(readAll(f, src), readAll(f, pieces...)); d != "" {
			r.Fatalf("%s as %s (-at once +in pieces):\n%s", file, f, d)
		}
	})
}

func TestAByteAtATimeIsEnough(t *testing.T) {
	t.Parallel()
	for file, src := range samples(t) {
		pieces := make([][]byte, len(src))
		for i := range src {
			pieces[i] = src[i : i+1]
		}
		if d := gocmp.Diff(readAll(formatOf(file), src), readAll(formatOf(file), pieces...)); d != "" {
			t.Errorf("%s (-at once +by bytes):\n%s", file, d)
		}
	}
}

// giant writes a line of so many MiB between two others, in pieces.
func giant(r *stream.Reader, head, end string, mib int) {
	fill := bytes.Repeat([]byte(`x\n\"\\`), 1<<20/7)
	_, _ = r.Write([]byte("{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n" + head))
	for range mib {
		_, _ = r.Write(fill)
	}
	_, _ = r.Write([]byte(end + "\n{\"type\":\"assistant\",\"message\":{\"id\":\"z\",\"content\":[{\"type\":\"text\",\"text\":\"later\"}]}}\n"))
}

func TestAGiantLineLosesNothingButItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head, end string
		ended     bool
	}{
		"tool result":        {`{"type":"user","message":{"content":[{"type":"tool_result","content":"`, `"}]}}`, false},
		"result":             {`{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"`, `"}`, true},
		"result that is cut": {`{"type":"result","subtype":"success","is_error":false,"result":"`, ``, false},
		"junk":               {`here it comes: `, ``, false},
	} {
		var items int
		r := stream.New(stream.Claude, func(stream.Item) { items++ })
		giant(r, c.head, c.end, 200)
		s := r.End()
		if s.Last != "later" || s.Long != 1 || s.Lines != 3 || s.Ended != c.ended || items > 3 {
			t.Errorf("%s: %d items, last %.20q, %+v", name, items, s.Last, s.Lines)
		}
	}
}

func TestAGiantLineTakesLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	giant(stream.New(stream.Claude, nil), `{"type":"user","message":"`, `"}`, 200)
	giant(stream.New(stream.Text, nil), `{"type":"user","message":"`, `"}`, 200)
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 80 {
		t.Errorf("%d MiB were allocated", n)
	}
}

func TestAGapSkipsTheRestOfItsLine(t *testing.T) {
	t.Parallel()
	var w stream.Writer
	r := stream.New(stream.Claude, w.Add)
	_, _ = r.Write([]byte(`{"type":"assistant","message":{"content":[{"type":"te`))
	r.Gap()
	_, _ = r.Write([]byte("xt\",\"text\":\"lost\"}]}}\n{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"kept\"}]}}\n"))
	r.End()
	if got, want := w.Take(), "(a broken line of 53 bytes)\nkept\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEqualLinesAreCounted(t *testing.T) {
	t.Parallel()
	line := `{"type":"error","message":"Reconnecting... 1/5"}` + "\n"
	got := readAll(stream.Codex, []byte(strings.Repeat(line, 40)+`{"type":"turn.started"}`))
	if want := "error: Reconnecting... 1/5\n  (39 more like it)\n"; got.Text != want {
		t.Errorf("%q, want %q", got.Text, want)
	}
}

func TestAFormatIsFoundOut(t *testing.T) {
	t.Parallel()
	same := map[stream.Format]stream.Format{stream.Kilo: stream.Opencode} // prints what the other does
	for file, src := range samples(t) {
		want := formatOf(file)
		want = cmp.Or(same[want], want)
		got := stream.Detect(src)
		if unsure := len(got.Candidates) > 0; got.Format != want && !unsure {
			t.Errorf("%s is read as %s, of %s", file, got.Format, got.Candidates)
		}
	}
}

func TestOneFieldIsNotEnoughToFindAFormat(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]stream.Format{
		`{"type":"error","message":"it broke"}`:                      "",
		`{"type":"result","result":"done","is_error":false}`:         "",
		`{"type":"thread.started","thread_id":"1"}`:                  stream.Codex,
		`{"type":"session.error","data":{"errorType":"quota"}}`:      stream.Copilot,
		`{"type":"result","total_cost_usd":1,"subtype":"success"}`:   stream.Claude,
		"npm notice\n" + `{"level":"warn"}`:                          stream.Text,
		`{"type":"system","subtype":"init","qwen_code_version":"1"}`: stream.Qwen,
		`{"type":"step_start","sessionID":"s","part":{"id":"p"}}`:    stream.Opencode,
	} {
		got := stream.Detect([]byte(src))
		if unsure := len(got.Candidates) > 0; unsure != (want == "") || want != "" && got.Format != want {
			t.Errorf("%s: %+v, want %q", src, got, want)
		}
	}
}

func TestWordsAreTheEndOfWhatWasSaid(t *testing.T) {
	t.Parallel()
	src := samples(t)["testdata/ok.claude"]
	got := stream.Words(stream.Claude, src[300:], true, 80)
	if !strings.HasSuffix(got, "I am a sub-agent.\nended: success\n") || len(got) > 80 {
		t.Errorf("%q", got)
	}
}

func fuzz(f *testing.F, format stream.Format) {
	for _, src := range samples(f) {
		f.Add(src, uint16(len(src)/2))
	}
	f.Fuzz(func(t *testing.T, src []byte, at uint16) {
		n := min(int(at), len(src))
		whole, split := readAll(format, src), readAll(format, src[:n], src[n:])
		if d := gocmp.Diff(whole, split); d != "" {
			t.Fatalf("-at once +split at %d:\n%s", n, d)
		}
		if !utf8.ValidString(whole.Text + whole.Summary.Last + whole.Summary.Message + whole.Summary.Question) {
			t.Fatalf("not UTF-8: %q", whole.Text)
		}
		if strings.ContainsAny(whole.Text, "\x1b\x00\u009b\u202e") {
			t.Fatalf("steers: %q", whole.Text)
		}
		if u := whole.Summary.Usage; min(u.Input, u.CacheRead, u.CacheWrite, u.Output, whole.Summary.MicroUSD) < 0 {
			t.Fatalf("below nothing: %+v", u)
		}
		// What comes after is never lost.
		src = append(bytes.Clone(src), "\nnot of the stream\n"...)
		if s := readAll(format, src).Summary; !strings.HasSuffix(s.Plain, "not of the stream\n") {
			t.Fatalf("the last line is lost: %q", s.Plain)
		}
	})
}

func FuzzClaude(f *testing.F)   { fuzz(f, stream.Claude) }
func FuzzCodex(f *testing.F)    { fuzz(f, stream.Codex) }
func FuzzGemini(f *testing.F)   { fuzz(f, stream.Gemini) }
func FuzzOpencode(f *testing.F) { fuzz(f, stream.Opencode) }
func FuzzCursor(f *testing.F)   { fuzz(f, stream.Cursor) }
func FuzzGoose(f *testing.F)    { fuzz(f, stream.Goose) }
func FuzzAider(f *testing.F)    { fuzz(f, stream.Aider) }
func FuzzText(f *testing.F)     { fuzz(f, stream.Text) }

// large is a tool result of 6 KB.
func large() []byte {
	return []byte(`{"type":"user","session_id":"7b0c","parent_tool_use_id":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":false,"content":"` +
		strings.Repeat(`    12\tfunc main() {\n    13\t\tfmt.Println(\"hello\")\n`, 120) + `"}]}}` + "\n")
}

// readIn reads an output in the pieces in which one comes.
func readIn(f stream.Format, src []byte) {
	r := stream.New(f, nil)
	for p := src; len(p) > 0; {
		n := min(len(p), 32<<10)
		_, _ = r.Write(p[:n])
		p = p[n:]
	}
	r.End()
}

// BenchmarkRead reads samples, and an output of claude as it is: most of it is
// what tools gave.
func BenchmarkRead(b *testing.B) {
	all := samples(b)
	sources := map[string][]byte{"claude/large": append(bytes.Clone(all["testdata/ok.claude"]), bytes.Repeat(large(), 2)...)}
	for _, f := range stream.Formats() {
		sources[string(f)+"/sample"] = all["testdata/ok."+string(f)]
	}
	sources["text/sample"] = all["testdata/limit.text"]
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		src := bytes.Repeat(sources[name], 1<<20/len(sources[name])+1)
		format, _, _ := strings.Cut(name, "/")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				readIn(stream.Format(format), src)
			}
		})
	}
}

// BenchmarkReadAgainstScan says how many times longer reading takes than only
// looking for the ends of lines and of strings would, in the same run.
func BenchmarkReadAgainstScan(b *testing.B) {
	src := append(bytes.Clone(samples(b)["testdata/ok.claude"]), bytes.Repeat(large(), 2)...)
	src = bytes.Repeat(src, 4<<20/len(src)+1)
	b.SetBytes(int64(len(src)))
	var read, scan time.Duration
	ends := 0
	for b.Loop() {
		begin := time.Now()
		readIn(stream.Claude, src)
		between := time.Now()
		for _, c := range []byte("\n\"") {
			for p := src; ; ends++ {
				i := bytes.IndexByte(p, c)
				if i < 0 {
					break
				}
				p = p[i+1:]
			}
		}
		read, scan = read+between.Sub(begin), scan+time.Since(between)
	}
	if ends == 0 {
		b.Fatal("nothing was scanned")
	}
	b.ReportMetric(float64(read)/float64(scan), "times-scan")
	b.ReportMetric(float64(len(src))*float64(b.N)/read.Seconds()/1e6, "MB/s-read")
}
