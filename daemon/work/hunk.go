package work

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// became is what became of what a person found at a gate when its set was shown
// last: each finding to the letter, with the hunks that change its place. Empty
// where the set was not rejected then.
//
// Source: atdd-kit, seeds 3.7: real hunks for each finding, never a summary.
func (w *Worker) became(s run.State, gate events.Name, diff string) (string, error) {
	ref := events.Ref("")
	for _, a := range s.Answers {
		if a.Gate == gate {
			ref = a.Findings
		}
	}
	stored, err := w.text(ref)
	var list []Finding
	if err != nil || stored == "" || json.Unmarshal([]byte(stored), &list) != nil {
		return "", err
	}
	l := s.Facts.Language
	var b strings.Builder
	b.WriteString("\n" + phrase.Say(l, "What you found, and what was changed there:", "前回の指摘と、その箇所の変更:") + "\n")
	for _, f := range list {
		b.WriteString("\n" + listFindings([]Finding{f}))
		hunks := hunksAt(diff, f.Section)
		if len(hunks) == 0 {
			b.WriteString(phrase.Say(l, "  nothing was changed at that place", "  その箇所に変更はありません") + "\n")
		}
		for _, h := range hunks {
			for line := range strings.Lines(h) {
				b.WriteString("  " + line)
			}
		}
	}
	return b.String(), nil
}

var hunkHead = regexp.MustCompile(`^@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)`)

// hunksAt are the hunks of a diff at a section: of FILE:LINE those that show the
// line, of FILE all. The line is that of the text which a person was shown. Each
// is headed by its file and the line at which it is now.
func hunksAt(diff, section string) []string {
	file, at := section, 0
	if i := strings.LastIndexByte(section, ':'); i > 0 {
		if n, err := strconv.Atoi(section[i+1:]); err == nil {
			file, at = section[:i], n
		}
	}
	var out []string
	in, take := false, false
	for line := range strings.Lines(diff) {
		switch m := hunkHead.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "diff --git "):
			in, take = strings.TrimSuffix(line, "\n") == "diff --git a/"+file+" b/"+file, false
		case !in:
		case m != nil:
			if take = at == 0 || shows(m, at); take {
				out = append(out, file+":"+m[3]+"\n"+line)
			}
		case take:
			out[len(out)-1] += line
		}
	}
	return out
}

// shows says that a line of before is within a hunk.
func shows(head []string, line int) bool {
	from, _ := strconv.Atoi(head[1])
	n := 1
	if head[2] != "" {
		n, _ = strconv.Atoi(head[2])
	}
	return line >= from && line < from+max(n, 1)
}
