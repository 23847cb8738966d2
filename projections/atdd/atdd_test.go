package atdd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var at = time.Date(2026, 7, 2, 3, 4, 5, 6, time.FixedZone("", 9*3600))

// fp is a fingerprint that differs for each word.
func fp(word string) string {
	p, err := Fingerprint([]byte(word))
	if err != nil {
		panic(err)
	}
	return p
}

// TestSeeds35Fingerprint: the row fingerprint, with values that the original gave.
func TestSeeds35Fingerprint(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		"<the blocking findings text, verbatim>": Placeholder, // A10
		" a\t\n\v\f\r b ":                        fp("a b"),
		"a b":                                    "c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65",
		"a\xc2\xa0b":                             fp("a\xc2\xa0b"), // a no-break space is none
		"\x00\xff":                               fp("\x00\xff"),   // A7
		`{"redObserved":false,"atGreen":false}`:  fp(`{"redObserved":false,"atGreen":false}`),
		"one\n\n\ntwo":                           fp("one two"),
	} {
		got, err := Fingerprint([]byte(payload))
		if err != nil || got != want {
			t.Errorf("%q: %s %v, want %s", payload, got, err, want)
		}
	}
	if fp("a\xc2\xa0b") == fp("a b") || fp("\xff") == fp("\xfe") || fp("ab") == fp("a b") {
		t.Error("different payloads have one fingerprint")
	}
	for _, blank := range []string{"", " ", "\n\t\v\f\r"} { // Q24
		if _, err := Fingerprint([]byte(blank)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", blank, err)
		}
	}
}

func TestSeeds35RecordIteration(t *testing.T) {
	t.Parallel()
	f := fp("x")
	stamp := `,"timestamp":"2026-07-01T18:04:05Z"}` + "\n"
	for _, c := range []struct {
		name, number, step, verdict, print, want string
	}{
		{"shape", "1", "running-atdd-cycle", "FAIL", f, `{"iteration":1,"step":"running-atdd-cycle","verdict":"FAIL","fingerprint":"` + f + `"` + stamp},
		{"A6 leading zeros", "007", "s", "PASS", "a.b_c:D-9", `{"iteration":7,"step":"s","verdict":"PASS","fingerprint":"a.b_c:D-9"` + stamp},
		{"A6 zero", "00", "s", "PASS", f, `{"iteration":0,"step":"s","verdict":"PASS","fingerprint":"` + f + `"` + stamp},
		{"A2 quotes", "1", `s","verdict":"PASS`, "FAIL", f, `{"iteration":1,"step":"s\",\"verdict\":\"PASS","verdict":"FAIL","fingerprint":"` + f + `"` + stamp},
		{"A2 control", "1", "a\nb\x7f\x00c\\", "FAIL", f, `{"iteration":1,"step":"a b  c\\","verdict":"FAIL","fingerprint":"` + f + `"` + stamp},
		{"A4 no number", "", "s", "FAIL", f, ""},
		{"A4 text", "1x", "s", "FAIL", f, ""},
		{"A4 negative", "-1", "s", "FAIL", f, ""},
		{"A3 no fingerprint", "1", "s", "FAIL", "", ""},
		{"A3 unsafe fingerprint", "1", "s", "FAIL", `a"b`, ""},
		{"A10 placeholder", "1", "s", "FAIL", Placeholder, ""},
		{"Q24 blank", "1", "s", "FAIL", blankPrint, ""},
		{"Q27 verdict", "1", "s", "fail", f, ""},
		{"A24 prose", "1", "s", "FAIL: two tests", f, ""},
		{"Q27 no step", "1", " \n", "FAIL", f, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Iteration(c.number, c.step, c.verdict, c.print, at)
			if string(got) != c.want || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
			if c.want != "" && !json.Valid(got) {
				t.Error("a strict parser refuses it")
			}
		})
	}
}

func TestSeeds35RecordHalt(t *testing.T) {
	t.Parallel()
	finding := `[ {"priority":0, "evidence_ref":"AC1\n"} ]`
	for _, c := range []struct{ name, step, reason, findings, want string }{
		{"shape", "s", "stuck", "", `{"outcome":"HALT","step":"s","reason":"stuck","findings_digest":[],"timestamp":"2026-07-01T18:04:05Z"}` + "\n"},
		{"findings", "s", "ac-drift", finding, `{"outcome":"HALT","step":"s","reason":"ac-drift","findings_digest":[{"priority":0,"evidence_ref":"AC1\n"}],"timestamp":"2026-07-01T18:04:05Z"}` + "\n"},
		{"A26 a reason that is none of convergence", "s", "record-error", "", ""},
		{"case", "s", "max_iterations", "", ""},
		{"Q26 no list", "s", "stuck", "two findings", ""},
		{"Q26 an object", "s", "stuck", `{"evidence_ref":"x"}`, ""},
		{"Q26 forged keys", "s", "stuck", `[],"verdict":"FAIL"`, ""},
		{"Q26 a member twice", "s", "stuck", `[{"evidence_ref":"x","evidence_ref":"y"}]`, ""},
		{"Q26 no evidence", "s", "stuck", `[{"detail":"x"}]`, ""},
		{"no step", "", "stuck", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Halt(c.step, c.reason, c.findings, at)
			if string(got) != c.want || (err != nil) != (c.want == "") {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
		})
	}
	for _, r := range Reasons {
		if _, err := Halt("s", r, "", at); err != nil {
			t.Errorf("%s: %v", r, err)
		}
	}
}

func TestSeeds35RecordRedEvidence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, commit, file, impl, want string }{
		{"with impl", "abc1", "tests/a b.bats", "def2", `{"step":"red","commit":"abc1","impl_sha":"def2","at_file":"tests/a b.bats","timestamp":"2026-07-01T18:04:05Z"}` + "\n"},
		{"without", "abc1", "t", "", `{"step":"red","commit":"abc1","at_file":"t","timestamp":"2026-07-01T18:04:05Z"}` + "\n"},
		{"no commit", "", "t", "", ""},
		{"unsafe commit", "HEAD^", "t", "", ""},
		{"unsafe impl", "abc", "t", "a;b", ""},
		{"no file", "abc", "", "", ""},
		{"Q22 the same commit", "abc", "t", "abc", ""},
	} {
		got, err := Seen(c.commit, c.file, c.impl, at)
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q %v, want %q", c.name, got, err, c.want)
		}
	}
}

// logOf writes a log: "A" is a failed iteration with that fingerprint, "+A" a passed
// one, "s/A" a failed one of step s, and anything with a brace the row itself.
func logOf(rows ...string) []byte {
	var b bytes.Buffer
	for i, r := range rows {
		if strings.ContainsAny(r, "{}") {
			b.WriteString(r + "\n")
			continue
		}
		verdict, step := Fail, "impl"
		if name, ok := strings.CutPrefix(r, "+"); ok {
			verdict, r = Pass, name
		}
		if s, name, ok := strings.Cut(r, "/"); ok {
			step, r = s, name
		}
		line, err := Iteration(fmt.Sprint(i+1), step, verdict, fp(r), at)
		if err != nil {
			panic(err)
		}
		b.Write(line)
	}
	return b.Bytes()
}

func halts(t *testing.T, name string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) || want == nil && got != nil {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// TestSeeds35SamenessAndStuck: the rows population, corruption guard, check_sameness
// and check_stuck with a window of 3.
func TestSeeds35SamenessAndStuck(t *testing.T) {
	t.Parallel()
	halt := `{"outcome":"HALT","step":"impl","reason":"stuck","findings_digest":[],"timestamp":"x"}`
	for _, c := range []struct {
		name            string
		log             []byte
		step            string
		sameness, stuck error
	}{
		{"no rows", nil, "", nil, nil},
		{"one", logOf("A"), "", nil, nil},
		{"two equal", logOf("A", "A"), "", ErrFired, nil},
		{"two that differ", logOf("A", "B"), "", nil, nil},
		{"A1 back and forth", logOf("A", "B", "A", "B"), "", nil, ErrFired},
		{"three equal", logOf("A", "A", "A"), "", ErrFired, ErrFired},
		{"outside of the window", logOf("A", "B", "C", "A"), "", nil, nil},
		{"A18 passed rows are no failures", logOf("+A", "+A", "+A"), "", nil, nil},
		{"A18 a pass in between", logOf("A", "+B", "A"), "", ErrFired, nil},
		{"A16 another step", logOf("design/A", "A"), "impl", nil, nil},
		{"A16 all steps", logOf("design/A", "A"), "", ErrFired, nil},
		{"A26 halts are none", logOf("A", halt, "B", halt), "impl", nil, nil},
		{"step with quotes", logOf(`a"b/A`, `a"b/A`), `a"b`, ErrFired, nil},
		{"step with a line end", logOf("a\nb/A", "a\nb/A"), "a\nb", ErrFired, nil},
		{"A8 failed without fingerprint", logOf("A", `{"iteration":2,"step":"impl","verdict":"FAIL","fingerprint":""}`), "", ErrCorrupt, ErrCorrupt},
		{"A8 failed, cut off", logOf("A", `{"iteration":2,"step":"impl","verdict":"FAIL","finger`+"}"), "impl", ErrCorrupt, ErrCorrupt},
		{"A8 cut off, of another step", logOf("A", `{"iteration":2,"step":"other","verdict":"FAIL","finger`+"}"), "impl", nil, nil},
		{"A8 passed, cut off", logOf("A", `{"iteration":2,"step":"impl","verdict":"PASS","finger`+"}"), "", nil, nil},
		{"A2 forged verdict", logOf("A", "A", `{"iteration":3,"step":"x\",\"verdict\":\"FAIL","verdict":"PASS","fingerprint":"z"}`), "", ErrFired, nil},
		{"a member twice", logOf("A", `{"iteration":2,"step":"impl","verdict":"FAIL","fingerprint":"a","fingerprint":"b"}`), "", ErrCorrupt, ErrCorrupt},
		{"Q28 text in another member", logOf("A", `{"note":"\"verdict\":\"FAIL\"","verdict":"PASS"}`, "B"), "", nil, nil},
		{"written anew by another tool", logOf("A", `{ "fingerprint": "`+fp("A")+`", "verdict": "FAIL", "step": "impl", "iteration": 2 }`), "impl", ErrFired, nil},
		{"an escaped verdict", logOf("A", `{"iteration":2,"step":"impl","verdict":"\u0046AIL","fingerprint":"`+fp("A")+`"}`), "", ErrFired, nil},
		{"fingerprint is a number", logOf("A", `{"iteration":2,"step":"impl","verdict":"FAIL","fingerprint":12}`), "", ErrCorrupt, ErrCorrupt},
		{"line ends of Windows", bytes.ReplaceAll(logOf("A", "A"), []byte("\n"), []byte("\r\n")), "", ErrFired, nil},
		{"mark of the byte order", append([]byte("\xef\xbb\xbf"), logOf("A", "A")...), "", ErrFired, nil},
		{"no line end at the end", bytes.TrimSuffix(logOf("A", "A"), []byte("\n")), "", ErrFired, nil},
		{"empty lines", []byte("\n\n" + string(logOf("A")) + "\n\n"), "", nil, nil},
		{"older rows without a time", logOf(`{"iteration":1,"step":"impl","verdict":"FAIL","fingerprint":"a"}`, `{"iteration":2,"step":"impl","verdict":"FAIL","fingerprint":"a"}`), "impl", ErrFired, nil},
	} {
		halts(t, c.name+": sameness", Sameness(c.log, c.step), c.sameness)
		halts(t, c.name+": stuck", Stuck(c.log, "3", c.step), c.stuck)
	}
	for window, want := range map[string]error{
		"2": nil, "4": ErrFired, "004": ErrFired, "5": nil, "99999999999999999999": nil,
		"": ErrInvalid, "x": ErrInvalid, "-1": ErrInvalid, "0": ErrInvalid, "1": ErrInvalid, "3;true": ErrInvalid, // A5, Q25
	} {
		halts(t, "window "+window, Stuck(logOf("A", "B", "A", "B"), window, ""), want)
	}
}

func TestSeeds35CheckMaxIterations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		current, most string
		want          error
	}{
		{"0", "1", nil},
		{"3", "4", nil},
		{"4", "4", ErrFired},
		{"10", "9", ErrFired},
		{"9", "10", nil},
		{"08", "9", nil},
		{"0", "0", ErrFired},
		{"99999999999999999999998", "99999999999999999999999", nil},
		{"", "4", ErrInvalid},
		{"1", "", ErrInvalid},
		{"-1", "4", ErrInvalid},
		{"1.5", "4", ErrInvalid},
	} {
		halts(t, c.current+" of "+c.most, MaxIterations(c.current, c.most), c.want)
	}
}

func TestSeeds35CheckLogIntegrity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		log      []byte
		there    bool
		expected string
		want     error
	}{
		{"equal", logOf("A", "B"), true, "2", nil},
		{"base ten", logOf("A", "B"), true, "002", nil},
		{"A15 less", logOf("A"), true, "2", ErrFired},
		{"A15 more", logOf("A", "B", "C"), true, "2", ErrFired},
		{"A15 gone", nil, false, "2", ErrFired},
		{"none yet", nil, false, "0", nil},
		{"empty", nil, true, "0", nil},
		{"emptied", nil, true, "1", ErrFired},
		{"empty lines do not count", []byte("\n" + string(logOf("A")) + "\n\n"), true, "1", nil},
		{"a line end of Windows alone counts, as for grep -c .", []byte(string(logOf("A")) + "\r\n"), true, "2", nil},
		{"a mark of the byte order adds none", append([]byte("\xef\xbb\xbf"), logOf("A")...), true, "1", nil},
		{"no line end at the end", []byte("{}\n{}"), true, "2", nil},
		{"no number", logOf("A"), true, "", ErrInvalid},
		{"text", logOf("A"), true, "1 + 1", ErrInvalid},
	} {
		halts(t, c.name, Integrity(c.log, c.there, c.expected), c.want)
	}
}

func TestSeeds35CheckPin(t *testing.T) {
	t.Parallel()
	f := fp("prd")
	for _, c := range []struct {
		name, pinned, current string
		want                  error
	}{
		{"equal", f + "\n", f, nil},
		{"without line end", f, f, nil},
		{"empty lines behind it", f + "\n\n\n", f, nil},
		{"line end of Windows", f + "\r\n", f, ErrFired},
		{"mark of the byte order", "\xef\xbb\xbf" + f + "\n", f, ErrFired},
		{"blank before it", " " + f + "\n", f, ErrFired},
		{"blank behind it", f + " \n", f, ErrFired},
		{"empty line before it", "\n" + f + "\n", f, ErrFired},
		{"another", fp("other") + "\n", f, ErrFired},
		{"emptied", "", f, ErrFired},
		{"two lines", f + "\n" + f + "\n", f, ErrFired},
		{"no present one", f + "\n", "", ErrInvalid},
		{"unsafe", f + "\n", "a b", ErrInvalid},
		{"Q24 of nothing", blankPrint + "\n", blankPrint, ErrInvalid},
	} {
		halts(t, c.name, Pin([]byte(c.pinned), c.current), c.want)
	}
}

// TestSeeds35JSONEscape: bytes stay as they are, except the ones that JSON refuses.
func TestSeeds35JSONEscape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "a": "a", `a"b\c`: `a\"b\\c`, "a\n\t\x1b\x7fb\n": "a    b ", "設計\xff": "設計\xff",
	} {
		if got := Escape(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestSeeds35FindRed: lesson A30 and Q34, the code picks by order.
func TestSeeds35FindRed(t *testing.T) {
	t.Parallel()
	var log []byte
	for _, r := range [][3]string{{"c1", "t1", "i1"}, {"c2", "t2", ""}, {"c1", "t1", "i2"}} {
		line, err := Seen(r[0], r[1], r[2], at)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, line...)
	}
	log = append(log, `{"step":"blue","commit":"c3"}`+"\n"+`{"step":"red","note":"\"commit\":\"c4\""}`+"\n"+`{"step":"red","commit":"c5"`+"\n"...)
	if r, err := FindRed(log, "c1"); err != nil || r != (Red{"c1", "i2", "t1"}) {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := FindRed(log, "c2"); err != nil || r.Impl != "" {
		t.Errorf("%+v %v", r, err)
	}
	for _, commit := range []string{"c3", "c4", "c5", "c"} {
		if _, err := FindRed(log, commit); !errors.Is(err, ErrFired) {
			t.Errorf("%s: %v", commit, err)
		}
	}
}

// TestRowsAreReadAsTheyWereWritten: whatever the step is called, the quick reader and
// the strict one agree, and a row is one line.
func TestRowsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.String().Draw(t, "step")
		verdict := rapid.SampledFrom([]string{Pass, Fail}).Draw(t, "verdict")
		line, err := Iteration("12", step, verdict, fp(step+"x"), at)
		if err != nil {
			return
		}
		line = line[:len(line)-1]
		if bytes.ContainsAny(line, "\n\r") || !json.Valid(line) {
			t.Fatalf("%q is no line of JSON", line)
		}
		strict, ok := parse(line)
		if !ok || string(strict.step) != member(step) || string(strict.verdict) != verdict {
			t.Fatalf("%q: %q", line, strict)
		}
		if quick, ok := plain(line); ok && (!bytes.Equal(quick.step, strict.step) || !bytes.Equal(quick.print, strict.print) || !bytes.Equal(quick.verdict, strict.verdict)) {
			t.Fatalf("%q: %q, %q", line, quick, strict)
		}
		err = Sameness(append(append(line, '\n'), line...), step)
		if fired := errors.Is(err, ErrFired); fired != (verdict == Fail) {
			t.Fatalf("%q twice: %v", line, err)
		}
	})
}

func FuzzALogNeverBreaksTheRails(f *testing.F) {
	f.Add(logOf("A", "+B", "A"), "impl")
	f.Add([]byte("\xef\xbb\xbf{\"verdict\":\"FAIL\"\r\n\x00"), "")
	f.Fuzz(func(t *testing.T, log []byte, step string) {
		for _, err := range []error{Sameness(log, step), Stuck(log, "2", step)} {
			if err != nil && !errors.Is(err, ErrFired) && !errors.Is(err, ErrCorrupt) {
				t.Error(err)
			}
		}
	})
}

func BenchmarkStuckIn10000Rows(b *testing.B) {
	rows := make([]string, 10_000)
	for i := range rows {
		rows[i] = fmt.Sprint(i)
	}
	log := logOf(rows...)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		if err := Stuck(log, "3", "impl"); err != nil {
			b.Fatal(err)
		}
	}
}
