package page

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"autopilot/projections/retro/sheet"
	"autopilot/projections/visible"
)

// mdRows is how many rows of a table a chat is given.
const mdRows = 40

// Markdown writes a retro as GitHub's Markdown. Free texts are code, so that
// they are no links, mentions, headings or HTML.
func Markdown(w io.Writer, d sheet.Doc, made string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s\n\n**%s**\n\n", plain(d.Title), plain(d.State))
	if d.Task != "" {
		b.WriteString(fence(visible.Text(d.Task)))
	}
	for _, f := range append(d.Tiles, d.Facts...) {
		if f.Value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", f.Name, span(f.Value, f.Free))
		}
	}
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "\n### %s\n\n", s.Name)
		for _, n := range s.Notes {
			fmt.Fprintf(&b, "%s\n", plain(n))
		}
		for _, f := range s.Figures {
			mdFigure(&b, f)
		}
		for _, t := range s.Tables {
			mdTable(&b, t)
		}
	}
	fmt.Fprintf(&b, "\n*%s*\n", plain(made))
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write a retro: %w", err)
	}
	return nil
}

// mdFigure is the drawn columns as blocks; strips are in the tables.
func mdFigure(b *bytes.Buffer, f sheet.Figure) {
	var lines []string
	wide := 0
	for _, s := range f.Series {
		if s.Form == sheet.Columns && len(s.Values) > 1 {
			wide = max(wide, len([]rune(visible.Line(s.Label))))
		}
	}
	for _, s := range f.Series {
		if s.Form == sheet.Columns && len(s.Values) > 1 {
			lines = append(lines, fmt.Sprintf("%-*s  %s  %s", wide, visible.Line(s.Label), s.Spark(60, false), visible.Line(s.Value)))
		}
	}
	if len(lines) > 0 {
		b.WriteString("\n" + fence(strings.Join(lines, "\n")))
	}
}

func mdTable(b *bytes.Buffer, t sheet.Table) {
	rows, left, at := t.Rows, t.Left, t.Cut
	if more := len(rows) - mdRows; more > 0 {
		at, left = mdRows/2, left+more
		rows = append(rows[:at:at], rows[at+more:]...)
	}
	used := t.Used()
	head, rule, wide := "\n|", "\n|", 0
	for i, h := range t.Head {
		if used[i] {
			head += " " + h.Name + " |"
			rule += map[bool]string{true: "--:|", false: "---|"}[h.Number]
			wide++
		}
	}
	b.WriteString(head + rule + "\n")
	for i, r := range rows {
		if left > 0 && i == at {
			fmt.Fprintf(b, "| *%d more are left out here* |%s\n", left, strings.Repeat("  |", max(0, wide-1)))
		}
		b.WriteString("|")
		for k, c := range r {
			if used[k] {
				b.WriteString(" " + span(c.Text, c.Free) + " |")
			}
		}
		b.WriteString("\n")
	}
}

// plain is text of ours, which may hold names of others.
func plain(t string) string {
	var b strings.Builder
	for _, r := range visible.Line(t) {
		if strings.ContainsRune("\\`*_{}[]<>()#|!~&@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// span is a text within a line.
func span(t string, free bool) string {
	t = visible.Line(t)
	if !free {
		return plain(t)
	}
	if strings.TrimSpace(t) == "" {
		return ""
	}
	ticks := strings.Repeat("`", longest(t)+1)
	return ticks + " " + strings.ReplaceAll(t, "|", `\|`) + " " + ticks
}

// fence is a block of text.
func fence(t string) string {
	ticks := strings.Repeat("`", max(3, longest(t)+1))
	return ticks + "text\n" + strings.TrimRight(t, "\n") + "\n" + ticks + "\n\n"
}

// longest is the longest run of backticks.
func longest(t string) int {
	most, n := 0, 0
	for _, r := range t {
		if n++; r != '`' {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
