package render

import (
	"fmt"
	"strconv"
	"strings"

	"autopilot/events/wire"
)

// AtddRow is a row of atdd-kit's files on a line, with its problems below.
func (s Style) AtddRow(r wire.AtddRow) string {
	var b strings.Builder
	at := Line(r.File)
	if r.Line > 0 && r.Kind != "call" {
		at += ":" + strconv.Itoa(r.Line)
	}
	b.WriteString(strings.TrimRight(at+"  "+s.atddSays(r), " ") + "\n")
	for _, p := range r.Problems {
		colour, class := red, "would be refused"
		switch p.Class {
		case wire.AtddHalt:
			colour, class = yellow, "would halt"
		case wire.AtddChanged:
			class = "changed"
		case wire.AtddAllowed:
			colour, class = green, "would go on"
		}
		b.WriteString(s.wrap(s.paint(colour, class)+" ("+Line(p.Code)+"): "+Line(p.Detail), "    "))
	}
	return b.String()
}

func (s Style) atddSays(r wire.AtddRow) string {
	switch r.Kind {
	case "iteration":
		return fmt.Sprintf("%s %d %s %s", Line(r.Step), r.Iteration, Line(r.Verdict), Line(cut(r.Fingerprint, 12)))
	case "halt":
		return Line(r.Step) + " HALT " + Line(r.Reason)
	case "red":
		return "red " + Line(cut(r.Commit, 12)) + " " + Line(r.Test)
	case "call":
		return "call " + strconv.Itoa(r.Line) + ", " + Line(r.Function) + " " + Line(r.At)
	case "pin":
		return "pinned " + Line(cut(r.Fingerprint, 12))
	}
	return ""
}

// cut is the beginning of a text.
func cut(t string, most int) string {
	if len(t) <= most {
		return t
	}
	return strings.ToValidUTF8(t[:most], "")
}

// Atdd is what the files of an issue come to.
func (s Style) Atdd(v wire.AtddView) string {
	var b strings.Builder
	if len(v.Steps) > 0 {
		const most = 20
		rows := [][]string{{"STEP", "ITERATIONS", "FAILED", "PASSED", "HALT"}}
		for _, st := range v.Steps[:min(len(v.Steps), most)] {
			rows = append(rows, []string{Line(st.Step), strconv.Itoa(st.Iterations), strconv.Itoa(st.Failed), strconv.Itoa(st.Passed), Line(st.Halt)})
		}
		b.WriteString("\n" + table(rows))
		if n := len(v.Steps) - most; n > 0 {
			b.WriteString("  and " + count(n, "more step") + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(s.atddDue(v.Due))
	b.WriteString(Line(v.Dir) + ": " + count(v.Rows, "row"))
	if v.Damaged > 0 {
		b.WriteString(", " + strconv.Itoa(v.Damaged) + " of them cannot be read")
	}
	if v.Calls > 0 {
		b.WriteString(", " + count(v.Calls, "call"))
	}
	if v.Refused+v.Halts+v.Changed+v.Allowed == 0 {
		return b.String() + "; " + s.paint(green, "nothing") + " that would not have been accepted here\n"
	}
	var not []string
	for _, c := range []struct {
		n    int
		what string
	}{{v.Refused, "would be refused"}, {v.Halts, "would halt"}, {v.Changed, "changed"}, {v.Allowed, "would go on"}} {
		if c.n > 0 {
			not = append(not, fmt.Sprintf("%s: %d", c.what, c.n))
		}
	}
	return b.String() + "; " + strings.Join(not, ", ") + "\n"
}

// atddDue are the halts that were due more than once.
func (s Style) atddDue(due []wire.AtddDue) string {
	const most = 20
	rows := [][]string{{"WOULD HALT", "STEP", "TIMES", "LINES"}}
	for _, d := range due {
		if d.Times > 1 && len(rows) <= most {
			rows = append(rows, []string{Line(d.Code), Line(d.Step), strconv.Itoa(d.Times), fmt.Sprintf("%d to %d", d.First, d.Last)})
		}
	}
	if len(rows) == 1 {
		return ""
	}
	return table(rows) + "\n"
}

// NothingOfAtdd says that a directory has none of atdd-kit's files.
func NothingOfAtdd(dir string, found []string) *wire.Error {
	return thereAre(wire.Errorf(wire.NotFound, "%s has no autopilot-log.jsonl, red.jsonl or pin of atdd-kit", dir), found)
}

// NoIssueDirectory says that there is no such directory.
func NoIssueDirectory(dir string, found []string) *wire.Error {
	return thereAre(wire.Errorf(wire.NotFound, "there is no directory %s", dir), found)
}

// thereAre hints at the logs that were found.
func thereAre(e *wire.Error, found []string) *wire.Error {
	if len(found) == 0 {
		return e.WithHint("name the directory of an issue, as docs/issues/24-search; with observe -f it may come later")
	}
	const most = 5
	return e.WithHint("there is %s", strings.Join(found[:min(len(found), most)], ", "))
}

// AtddUnreadable is a file of atdd-kit that cannot be read.
func AtddUnreadable(err error) *wire.Error {
	return wire.Errorf(wire.Failed, "cannot read what atdd-kit has kept: %v", err).WithHint("nothing was changed; look at the file, then try again")
}

// RecordNotWritten says why a record was not written.
func RecordNotWritten(file string, err error) *wire.Error {
	return wire.Errorf(wire.Failed, "cannot write the record %s: %v", file, err).WithHint("without --record nothing is kept")
}
