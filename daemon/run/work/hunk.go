package work

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/phrase"
	"autopilot/projections/regex"
	"autopilot/projections/run"
)

// found lists a person's findings on the latest set of a gate; empty if the person did
// not reject it.
func (w *Worker) found(s run.State, gate events.Name) ([]stored.Finding, error) {
	ref := events.Ref("")
	for _, a := range s.Answers {
		if a.Gate == gate {
			ref = a.Findings
		}
	}
	text, err := w.text(ref)
	var list []stored.Finding
	if err != nil || text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil, err
	}
	return list, nil
}

// became shows the fate of a person's findings in a set: each finding verbatim, with the
// hunks at its place. A > marks the line that a finding names.
//
// Source: atdd-kit, seeds 3.7: real hunks for each finding, with the key lines called
// out, never a summary.
func became(l events.Language, list []stored.Finding, shown []page, diff string) string {
	if len(list) == 0 {
		return ""
	}
	hunks := hunksOf(diff)
	var b strings.Builder
	b.WriteString("\n" + phrase.Say(l, "Your findings, and the changes there:", "前回の指摘と、その箇所の変更:") + "\n")
	for _, f := range list {
		b.WriteString("\n" + listFindings([]stored.Finding{f}))
		spots := spotsOf(f.Section, shown, hunks)
		none := true
		for _, h := range hunks {
			for _, s := range spots {
				if h.at(s) {
					b.WriteString(h.marked(s))
					none = false
					break
				}
			}
		}
		switch {
		case len(spots) == 0:
			b.WriteString(phrase.Say(l, "  no shown file, line or heading matches; every change is below", "  提示した中に該当するファイル・行・見出しがありません。変更はすべて下にあります") + "\n")
		case none:
			b.WriteString(phrase.Say(l, "  unchanged", "  その箇所に変更はありません") + "\n")
		}
	}
	return b.String()
}

// spot is a part of a file on show: its lines from to to, with 0 for the whole file.
type spot struct {
	file     string
	from, to int
}

// spotsOf finds the place of a section: FILE:LINE, FILE, or the beginning of a heading.
func spotsOf(section string, shown []page, hunks []hunk) []spot {
	file, line := section, 0
	if i := strings.LastIndexByte(section, ':'); i > 0 {
		if n, err := strconv.Atoi(section[i+1:]); err == nil && n > 0 {
			file, line = section[:i], n
		}
	}
	if slices.ContainsFunc(shown, func(p page) bool { return p.path == file }) || slices.ContainsFunc(hunks, func(h hunk) bool { return h.file == file }) {
		return []spot{{file, line, line}}
	}
	if path, one := endsSo(file, shown); one {
		return []spot{{path, line, line}}
	}
	var out []spot
	for _, p := range shown {
		out = append(out, under(p, strings.TrimSpace(strings.TrimLeft(section, "#")))...)
	}
	return out
}

// endsSo finds the one file on show whose path ends with the whole names of another:
// plan.md in docs/issues/24-greet/plan.md.
func endsSo(file string, shown []page) (path string, one bool) {
	for _, p := range shown {
		if file == "" || !strings.HasSuffix(p.path, "/"+strings.TrimPrefix(file, "./")) {
			continue
		}
		if path != "" && path != p.path {
			return "", false
		}
		path = p.path
	}
	return path, path != ""
}

// under lists the parts of a file below a heading, up to the next heading of the same or
// a higher level.
func under(p page, title string) []spot {
	var out []spot
	level, last := 0, strings.Count(p.text, "\n")+1
	for n, line := range outsideFences(p.text) {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if level > 0 && len(m[1]) <= level {
			out[len(out)-1].to, level = n-1, 0
		}
		if level == 0 && begins(m[2], title) {
			out, level = append(out, spot{p.path, n, last}), len(m[1])
		}
	}
	return out
}

// begins says that a heading is a title, or a title with more words and numbers.
func begins(heading, title string) bool {
	if title == "" || len(heading) < len(title) || !strings.EqualFold(heading[:len(title)], title) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(heading[len(title):])
	return len(heading) == len(title) || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// hunk is one hunk of a diff.
type hunk struct {
	file     string
	from, to int // lines of the old file in it
	now      int // first changed line, in the new file
	lines    []string
}

var hunkHead = regex.New(`^@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)`)

// hunksOf splits a diff into hunks.
func hunksOf(diff string) []hunk {
	var out []hunk
	file, now, seen := "", 0, true
	for line := range strings.Lines(diff) {
		if rest, ok := strings.CutPrefix(line, "diff --git a/"); ok {
			half := (len(rest) - len(" b/\n")) / 2 // both names are the same: the diff has no renames
			file, now = "", 0
			if half > 0 && strings.TrimSuffix(rest, "\n") == rest[:half]+" b/"+rest[:half] {
				file = rest[:half]
			}
			continue
		}
		if m := hunkHead.FindStringSubmatch(line); m != nil && file != "" {
			from, n := atoi(m[1]), 1
			if m[2] != "" {
				n = max(atoi(m[2]), 1)
			}
			now, seen = max(atoi(m[3]), 1), false
			out = append(out, hunk{file: file, from: from, to: from + n - 1, now: now, lines: []string{line}})
			continue
		}
		if now == 0 {
			continue
		}
		h := &out[len(out)-1]
		h.lines = append(h.lines, line)
		switch {
		case seen:
		case strings.HasPrefix(line, " "):
			now++
		default:
			h.now, seen = now, true
		}
	}
	return out
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // the expression matches digits alone
	return n
}

// at says that a hunk touches a spot.
func (h hunk) at(s spot) bool {
	return h.file == s.file && (s.to == 0 || h.from <= s.to && s.from <= h.to)
}

// marked shows a hunk below its present place, with a mark at the line of a spot.
func (h hunk) marked(s spot) string {
	var b strings.Builder
	b.WriteString("  " + h.file + ":" + strconv.Itoa(h.now) + "\n")
	line := h.from - 1
	for i, text := range h.lines {
		mark := "  "
		if old := i > 0 && (text[0] == ' ' || text[0] == '-'); old {
			if line++; line == s.from && s.from == s.to {
				mark = "> "
			}
		}
		b.WriteString(mark + strings.TrimSuffix(text, "\n") + "\n")
	}
	return b.String()
}
