package main_test

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// cellTime is the time in a row: UTC, seconds, Z.
var cellTime = regexp.MustCompile(`,"timestamp":"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)

// logCells are those of fingerprint, of what records, and of pins.
func logCells() []cell {
	print := func(name, in, out string) cell {
		if out == "" {
			return cell{name, "fingerprint", nil, in, 2, "", ""}
		}
		return cell{name, "fingerprint", nil, in, 0, out + "\n", ""}
	}
	return append(append(recordCells(), innerCells()...), []cell{
		print("of a payload", "A", printA),
		print("white space is one space", " \tA\v\f\r\n", printA),
		print("A10 the placeholder", "<the blocking findings text, verbatim>", printOld),
		print("of atdd-kit's own log", `{"redObserved":true,"atGreen":true,"coverageOk":true,"uncovered":[]}`, "f24f594b208ed251ffc8bdc81f5223ef7c3963fa8be0fec1a607eb9679624e53"),
		print("A7 bytes that are no text", "\x00\xff\xfe", "d590f90f7944340fb253f0c59cb89fd41d4ec255ff246f524f8f7c94f0a233e5"),
		print("a no-break space is none", "A\u00a0", "30b03fce886d4097993e129d952e9d1066d37865f8ae427517fbccbb17109d3c"),
		print("Q24 blank", " \n\t", ""),
		print("Q24 nothing", "", ""),

		{"pins", "pin_anchor", []string{"new.pin"}, "A\n", 0, "", "new.pin: " + printA + "\n"},
		{"pins once", "pin_anchor", []string{"pin"}, "B", 2, "", ""},
		{"over a directory", "pin_anchor", []string{"dir"}, "B", 2, "", ""},
		{"needs a path", "pin_anchor", []string{""}, "B", 2, "", ""},
		{"without a path", "pin_anchor", nil, "B", 2, "", ""},
		{"Q24 nothing", "pin_anchor", []string{"new.pin"}, " ", 2, "", ""},

		{"equal", "check_pin", []string{"pin", printA}, "", 0, "", ""},
		{"of Windows", "check_pin", []string{"pinw", printA}, "", 1, "", ""},
		{"a blank before it", "check_pin", []string{"pinblank", printA}, "", 1, "", ""},
		{"empty lines behind it", "check_pin", []string{"pinlines", printA}, "", 0, "", ""},
		{"different", "check_pin", []string{"pin", printB}, "", 1, "", ""},
		{"emptied", "check_pin", []string{"nopin", printA}, "", 1, "", ""},
		{"missing", "check_pin", []string{"none", printA}, "", 2, "", ""},
		{"a directory", "check_pin", []string{"dir", printA}, "", 2, "", ""},
		{"no path", "check_pin", []string{"", printA}, "", 2, "", ""},
		{"nothing now", "check_pin", []string{"pin", ""}, "", 2, "", ""},
		{"unsafe now", "check_pin", []string{"pin", "a b"}, "", 2, "", ""},
		{"left out", "check_pin", []string{"pin"}, "", 2, "", ""},
	}...)
}

// innerCells are those of the functions that the library has for itself.
func innerCells() []cell {
	prints := func(name string, want int, out string, args ...string) cell {
		return cell{name, "_fingerprints", args, "", want, out, ""}
	}
	return []cell{
		prints("no log", 0, "", "none"), prints("in order", 0, "a\nb\n", "ab"), prints("A18 failed ones", 0, "", "passed"), prints("A26 without halts", 0, "a\nb\n", "halted"),
		prints("of all steps", 0, "a\na\n", "steps"), prints("of one", 0, "a\n", "steps", "plan"), prints("of no step", 0, "", "steps", "none"), prints("an empty step is none", 0, "a\na\n", "steps", ""),
		prints("A8 cut off", 3, "", "cut"), prints("A8 without fingerprint", 3, "", "noprint", "impl"), prints("a directory", 3, "", "dir"), prints("left out", 2, ""),
		{"plain", "_json_escape", []string{"a b"}, "", 0, "a b", ""},
		{"A2 quotes and control characters", "_json_escape", []string{"a\"b\\\nc\x7f\td\n"}, "", 0, `a\"b\\ c  d `, ""},
		{"another alphabet", "_json_escape", []string{"設計"}, "", 0, "設計", ""},
		{"nothing", "_json_escape", []string{""}, "", 0, "", ""},
		{"left out", "_json_escape", nil, "", 2, "", ""},
		{"bytes as they are", "_sha256", nil, "A", 0, printA + "\n", ""},
		{"nothing", "_sha256", nil, "", 0, blank + "\n", ""},
	}
}

func recordCells() []cell {
	row := func(n, step, verdict, print string) string {
		return fmt.Sprintf(`log: {"iteration":%s,"step":"%s","verdict":"%s","fingerprint":"%s"}`, n, step, verdict, print) + "\n"
	}
	it := func(name string, want int, wrote string, args ...string) cell {
		return cell{name, "record_iteration", append([]string{"log"}, args...), "", want, "", wrote}
	}
	halt := func(name string, want int, step, reason, digest string, args ...string) cell {
		wrote := ""
		if want == 0 {
			wrote = fmt.Sprintf(`log: {"outcome":"HALT","step":"%s","reason":"%s","findings_digest":%s}`, step, reason, digest) + "\n"
		}
		return cell{name, "record_halt", append([]string{"log"}, args...), "", want, "", wrote}
	}
	cells := []cell{
		it("a row", 0, row("1", "impl", "FAIL", "a"), "1", "impl", "FAIL", "a"),
		it("A6 base ten", 0, row("7", "impl", "PASS", "a"), "007", "impl", "PASS", "a"),
		it("A6 eight is no octal", 0, row("8", "impl", "PASS", "a"), "08", "impl", "PASS", "a"),
		it("zero", 0, row("0", "impl", "PASS", "a"), "0", "impl", "PASS", "a"),
		it("letters of a fingerprint", 0, row("1", "impl", "PASS", "aZ9._:-"), "1", "impl", "PASS", "aZ9._:-"),
		it("A2 quotes and control characters", 0, row("1", `a\"b\\ c  d`, "FAIL", "a"), "1", "a\"b\\\nc\x7f\td", "FAIL", "a"),
		it("another alphabet", 0, row("1", "設計", "FAIL", "a"), "1", "設計", "FAIL", "a"),
		it("A4 no number", 2, "", "", "impl", "FAIL", "a"),
		it("A4 text", 2, "", "1; rm", "impl", "FAIL", "a"),
		it("A4 negative", 2, "", "-1", "impl", "FAIL", "a"),
		it("A3 no fingerprint", 2, "", "1", "impl", "FAIL", ""),
		it("A3 a quote in it", 2, "", "1", "impl", "FAIL", `a"b`),
		it("A3 a line end in it", 2, "", "1", "impl", "FAIL", "a\nb"),
		it("A3 a letter of another alphabet", 2, "", "1", "impl", "FAIL", "é"),
		it("A10 the placeholder", 2, "", "1", "impl", "FAIL", printOld),
		it("Q24 of nothing", 2, "", "1", "impl", "FAIL", blank),
		it("Q27 no step", 2, "", "1", "", "FAIL", "a"),
		it("Q27 no verdict", 2, "", "1", "impl", "", "a"),
		it("A24 prose", 2, "", "1", "impl", "looks good", "a"),
		it("left out", 2, "", "1", "impl", "FAIL"),
		{"no log", "record_iteration", []string{"", "1", "impl", "FAIL", "a"}, "", 2, "", ""},
		{"into no directory", "record_iteration", []string{"no/log", "1", "impl", "FAIL", "a"}, "", 2, "", ""},
		{"into a directory", "record_iteration", []string{"dir", "1", "impl", "FAIL", "a"}, "", 2, "", ""},
		{"A8 behind a row that was cut off", "record_iteration", []string{"half", "1", "impl", "FAIL", "a"}, "", 0, "", "half: \n" + row("1", "impl", "FAIL", "a")[len("log: "):]},
	}
	for _, reason := range []string{"MAX_ITERATIONS", "sameness-detector", "stuck", "ac-drift", "log-integrity", "gate-unverifiable"} {
		cells = append(cells, halt("A26 "+reason, 0, "impl", reason, "[]", "impl", reason))
	}
	return append(cells,
		halt("no findings", 0, "impl", "stuck", "[]", "impl", "stuck", ""),
		halt("findings as they are", 0, "impl", "stuck", `[{"priority":1,"evidence_ref":"AT-299-2#x"}]`, "impl", "stuck", `[{"priority":1,"evidence_ref":"AT-299-2#x"}]`),
		halt("A26 record-error", 2, "", "", "", "impl", "record-error", "[]"),
		halt("A26 rails-error", 2, "", "", "", "impl", "rails-error", "[]"),
		halt("no reason", 2, "", "", "", "impl", "", "[]"),
		halt("Q26 no list", 2, "", "", "", "impl", "stuck", `"two"`),
		halt("Q26 forged members", 2, "", "", "", "impl", "stuck", `[],"verdict":"FAIL","x":[]`),
		halt("Q26 no evidence", 2, "", "", "", "impl", "stuck", `[{"priority":0}]`),
		halt("Q27 no step", 2, "", "", "", "", "stuck", "[]"),
		halt("left out", 2, "", "", "", "impl"),
		cell{"no log", "record_halt", []string{"", "impl", "stuck", "[]"}, "", 2, "", ""},
	)
}

// checkCells are those of the rails on a log.
func checkCells() []cell {
	same := func(name string, want int, args ...string) cell {
		return cell{name, "check_sameness", args, "", want, "", ""}
	}
	stuck := func(name string, want int, args ...string) cell {
		return cell{name, "check_stuck", args, "", want, "", ""}
	}
	most := func(name string, want int, args ...string) cell {
		return cell{name, "check_max_iterations", args, "", want, "", ""}
	}
	whole := func(name string, want int, args ...string) cell {
		return cell{name, "check_log_integrity", args, "", want, "", ""}
	}
	return []cell{
		same("no log", 0, "none"), same("one", 0, "one"), same("different", 0, "ab"), same("equal", 1, "aa"),
		same("A18 a pass between", 1, "apa"), same("A18 passed", 0, "passed"), same("A26 halts", 0, "halted"),
		same("A16 of all steps", 1, "steps"), same("A16 of one", 0, "steps", "impl"), same("an empty step is none", 1, "steps", ""), same("of no step", 0, "aa", "plan"),
		same("A8 cut off", 3, "cut"), same("A8 cut off, of the step", 3, "cut", "impl"), same("A8 of another step", 0, "cut", "plan"), same("A8 without fingerprint", 3, "noprint"),
		same("A8 a passed row that is cut off", 1, "cutpass"), same("a member twice", 3, "twice"), same("A2 a forged member", 1, "forged"),
		same("of Windows", 1, "windows"), same("empty", 0, "empty"), same("a directory", 3, "dir"), same("left out", 2), same("no path", 2, ""),

		stuck("no log", 0, "none", "3"), stuck("fewer than the window", 0, "aa", "3"), stuck("A1 back and forth", 1, "aba", "3"), stuck("outside of the window", 0, "abca", "3"),
		stuck("within a wider one", 1, "abca", "4"), stuck("two", 1, "aa", "2"), stuck("three is what is left out", 1, "aba"), stuck("an empty one is three", 1, "aba", ""), stuck("of base ten", 1, "aba", "003"),
		stuck("of a step", 1, "aba", "3", "impl"), stuck("A16 of another", 0, "aba", "3", "plan"), stuck("A18 passed", 0, "passed", "3"),
		stuck("A5 text", 2, "aba", "x"), stuck("A5 a command", 2, "aba", "3; touch no"), stuck("A5 negative", 2, "aba", "-3"), stuck("Q25 zero", 2, "aba", "0"), stuck("Q25 one", 2, "aba", "1"), stuck("A5 with no log", 2, "none", "x"),
		stuck("wider than any log", 0, "aba", "99999999999999999999"), stuck("A8 cut off", 3, "cut", "3"), stuck("A8 without fingerprint", 3, "noprint", "2"),

		most("less", 0, "3", "8"), most("A59 equal", 1, "8", "8"), most("more", 1, "9", "8"), most("zero", 1, "0", "0"), most("base ten", 0, "08", "10"), most("of base ten", 1, "8", "08"),
		most("A4 nothing", 2, "", "8"), most("A4 text", 2, "abc", "8"), most("no most", 2, "3", ""), most("a command", 2, "3", "8; touch no"), most("left out", 2, "3"),

		whole("equal", 0, "ab", "2"), whole("base ten", 0, "ab", "002"), whole("A15 less", 1, "ab", "3"), whole("A15 more", 1, "ab", "1"), whole("A15 gone", 1, "none", "1"), whole("not yet there", 0, "none", "0"),
		whole("nor in zeros", 0, "none", "00"), whole("A15 emptied", 1, "empty", "1"), whole("empty", 0, "empty", "0"), whole("empty lines", 0, "gaps", "2"), whole("of Windows", 0, "windows", "2"),
		whole("A5 nothing", 2, "ab", ""), whole("A5 text", 2, "ab", "abc"), whole("A5 a command", 2, "ab", "3; touch no"), whole("a directory", 3, "dir", "0"),
	}
}

// redCells are those of tests that were seen red.
func redCells(repo string, c map[string]string) []cell {
	record := func(name string, want int, wrote string, args ...string) cell {
		if wrote != "" {
			wrote = "red: " + wrote + "\n"
		}
		return cell{name, "record_red_evidence", append([]string{"red"}, args...), "", want, "", wrote}
	}
	check := func(name string, want int, log string, args ...string) cell {
		return cell{name, "check_red_evidence", append(args, filepath.Join(repo, ".git", log), repo), "", want, "", ""}
	}
	return []cell{
		record("with an implementation", 0, `{"step":"red","commit":"a1","impl_sha":"b2","at_file":"tests/a b.bats"}`, "a1", "tests/a b.bats", "b2"),
		record("without", 0, `{"step":"red","commit":"a1","at_file":"t"}`, "a1", "t"),
		record("an empty one is none", 0, `{"step":"red","commit":"a1","at_file":"t"}`, "a1", "t", ""),
		record("A2 a quote in the file", 0, `{"step":"red","commit":"a1","at_file":"a\"b "}`, "a1", "a\"b\n"),
		record("no commit", 2, "", "", "t"), record("a quote in it", 2, "", `a"b`, "t"), record("a line end", 2, "", "a\nb", "t"),
		record("an unsafe implementation", 2, "", "a1", "t", "b/2;x"), record("no file", 2, "", "a1", ""), record("Q22 the same commit", 2, "", "a1", "t", "a1"),
		{"no log", "record_red_evidence", []string{"", "a1", "t"}, "", 2, "", ""},

		check("A28 before", 0, "red", c["test"], c["impl"]), check("Q34 the newest row counts", 0, "newer", c["test"], c["impl"]),
		check("no row", 1, "red", c["beside"], c["impl"]), check("no file", 1, "none", c["test"], c["impl"]), check("Q23 another implementation", 1, "red", c["test"], c["later"]),
		check("not before", 1, "beside", c["beside"], c["impl"]), check("A28 after", 1, "after", c["later"], c["impl"]), check("Q22 the same commit", 1, "same", c["impl"], c["impl"]),
		check("A30 without an implementation in the row", 0, "without", c["test"], c["impl"]), check("Q28 a commit in another member", 1, "note", c["base"], c["impl"]),
		check("no commit of tests", 2, "red", "", c["impl"]), check("no implementation", 2, "red", c["test"], ""), check("an unsafe one", 2, "none", c["test"], "impl/sha;bad"), check("no such commit", 1, "red", c["test"], "feedface"),
		{"no repository", "check_red_evidence", []string{c["test"], c["impl"], filepath.Join(repo, ".git", "red"), "/"}, "", 1, "", ""},
		{"no file is named", "check_red_evidence", []string{c["test"], c["impl"], "", repo}, "", 1, "", ""},
		{"left out", "check_red_evidence", []string{c["test"], c["impl"]}, "", 2, "", ""},
	}
}
