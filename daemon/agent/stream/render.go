package stream

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"autopilot/projections/regex"
)

// maxShort bounds what is said of a tool, in bytes.
const maxShort = 160

// inputKeys are the members of a tool's input that tell most, best first.
var inputKeys = []string{"command", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"}

// inputOf is the input of a tool in one short line.
func inputOf(of object, key string) string {
	v := of.raw(key)
	if len(v) == 0 || v[0] != '{' {
		return short(text(v, 4*maxShort))
	}
	o := of.at(key)
	for _, k := range inputKeys {
		if t := text(o.raw(k), 4*maxShort); t != "" {
			return short(t)
		}
	}
	for _, m := range o.m {
		if t := text(m.value, 4*maxShort); t != "" {
			return short(t)
		}
	}
	if len(o.m) == 0 {
		return ""
	}
	return short(valid(v[:min(len(v), 4*maxShort)], true))
}

// short is a text as one line of at most maxShort bytes.
func short(t string) string {
	cut := len(t) > 4*maxShort
	if cut {
		t = valid([]byte(t[:4*maxShort]), true)
	}
	t = strings.Join(strings.Fields(clean(t)), " ")
	if len(t) > maxShort {
		t, cut = valid([]byte(t[:maxShort]), true), true
	}
	if cut {
		t += "..."
	}
	return t
}

// word is a name as one short line.
func word(t string) string {
	for i := range len(t) {
		if c := t[i]; c < 0x20 || c >= 0x7f {
			return strings.Join(strings.Fields(clean(t)), " ")
		}
	}
	return t
}

func lastLine(t string) string {
	t = strings.TrimSpace(t)
	return t[strings.LastIndexByte(t, '\n')+1:]
}

func attempts(n, of int64) string {
	if n == 0 {
		return "tried again"
	}
	return fmt.Sprintf("attempt %d of %d", n, of)
}

// escapes are terminal sequences: CSI, the string kinds with their end, and
// two-character ones.
var escapes = regex.New("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?|\x1b[ -/]*[0-~]")

// clean is text without anything that could steer a terminal or reorder what
// is read.
func clean(s string) string {
	if !mayBeUnclean(s) || !strings.ContainsFunc(s, steers) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return -1
		}
		return r
	}, escapes.ReplaceAllString(s, ""))
}

// mayBeUnclean is quick, and false for most texts.
func mayBeUnclean(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return true
		}
	}
	return false
}

func steers(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069)
}

// Writer makes text for people of items: what the agent said, one line for each
// tool, and errors.
type Writer struct {
	out     []byte
	open    bool // the last line has no end
	last    Kind
	same    string // the last line, when it can be repeated
	repeats int
	failure string // what the last error says
	limits  map[string]string
}

// Add writes an item.
func (w *Writer) Add(i Item) {
	if i.Kind == Said {
		w.said(i)
		return
	}
	if i.Kind == Result && i.Text == w.failure {
		i.Text = "" // it was said
	}
	if i.Kind == Error {
		w.failure = i.Text
	}
	if i.Kind == Limit && w.knows(i.Limited) {
		return
	}
	line := line(i)
	if line == "" {
		return
	}
	if i.Sub {
		line = "  " + line
	}
	w.Flush()
	if line == w.same {
		w.repeats++
		return
	}
	w.repeated()
	w.same = line
	w.write(line)
	w.last = i.Kind
}

// knows says that a limit was told: of one window only what changes is told, and how
// much of it is used is a gauge that changes with each answer.
func (w *Writer) knows(l Limits) bool {
	l.Used = 0
	was, is := w.limits[l.Window], limitLine(l)
	if w.limits == nil || len(w.limits) > maxOpen {
		w.limits = map[string]string{}
	}
	w.limits[l.Window] = is
	return was == is
}

// said writes a text as it is, apart from what else happened.
func (w *Writer) said(i Item) {
	t := clean(i.Text)
	if t == "" {
		return
	}
	w.repeated()
	w.same = ""
	if i.Piece {
		w.out = append(w.out, t...)
		w.open = !strings.HasSuffix(t, "\n")
		w.last = Said
		return
	}
	w.Flush()
	t = strings.TrimRight(t, "\n")
	if i.Sub {
		t = "  " + strings.ReplaceAll(t, "\n", "\n  ")
	}
	w.write(t)
	w.last = Said
}

func (w *Writer) write(t string) { w.out = append(append(w.out, t...), '\n') }

// Flush ends a line that has begun.
func (w *Writer) Flush() {
	if w.open {
		w.out, w.open = append(w.out, '\n'), false
	}
}

// End ends all that has begun.
func (w *Writer) End() {
	w.Flush()
	w.repeated()
}

// repeated says how often the last line came again.
func (w *Writer) repeated() {
	if w.repeats > 0 {
		w.write("  (" + strconv.Itoa(w.repeats) + " more like it)")
	}
	w.repeats = 0
}

// Take is what was written since the last Take.
func (w *Writer) Take() string {
	t := string(w.out)
	w.out = w.out[:0]
	return t
}

// line is an item for people; empty is nothing to say.
func line(i Item) string {
	switch i.Kind {
	case Said:
	case Tool:
		return strings.TrimRight("* "+i.Name+" "+i.Text, " ")
	case Done:
		if i.Failed {
			return strings.TrimRight("  failed: "+i.Text, ": ")
		}
	case Used:
	case Limit:
		return limitLine(i.Limited)
	case Error:
		return "error: " + errorText(i)
	case Result:
		if i.Failed {
			return "ended: " + errorText(i)
		}
		return "ended: " + i.Name
	case Plain:
		return i.Text
	}
	return ""
}

func errorText(i Item) string {
	t := i.Name
	if i.Status > 0 {
		t += " " + strconv.Itoa(i.Status)
	}
	if s := short(i.Text); s != "" {
		t += ": " + s
	}
	return strings.TrimPrefix(t, ": ")
}

func limitLine(l Limits) string {
	if l.Status == "allowed" {
		return ""
	}
	t := "limit: " + strings.TrimSpace(l.Window+" "+l.Status)
	if l.Used > 0 {
		t += fmt.Sprintf(", %d %% used", int(l.Used*100+0.5))
	}
	if !l.Reset.IsZero() {
		t += ", resets " + l.Reset.Format(time.RFC3339)
	}
	return t
}

// Words is the end of what a program said, for people: at most limit bytes, on
// a line's boundary where there is one.
func Words(f Format, output []byte, cut bool, limit int) string {
	var w Writer
	r := New(f, w.Add)
	if cut {
		r.Gap()
	}
	_, _ = r.Write(output) // takes all
	r.End()
	w.End()
	t := w.Take()
	if len(t) <= limit {
		return t
	}
	t = t[len(t)-limit:]
	for len(t) > 0 && !utf8.RuneStart(t[0]) {
		t = t[1:]
	}
	if i := strings.IndexByte(t, '\n'); i >= 0 && i < len(t)-1 {
		t = t[i+1:]
	}
	return t
}

// Read is the summary of a whole output.
func Read(f Format, output []byte) Summary {
	r := New(f, nil)
	_, _ = r.Write(output) // takes all
	return r.End()
}
