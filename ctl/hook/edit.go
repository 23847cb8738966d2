package hook

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// entry is a JSON value that is to be written, in the indentation of its place.
type entry struct {
	name   string // of a member, else empty
	text   string // of a value that is one word
	open   string // { or [
	inside []entry
}

// group is our entry for an event.
func (h Host) group(e Event, program string) entry {
	hook := entry{open: "{", inside: []entry{
		{name: "type", text: `"command"`}, {name: "command", text: encoded(h.command(program, e))}, {name: "timeout", text: strconv.Itoa(e.timeout)},
	}}
	g := entry{open: "{", inside: []entry{{name: "hooks", open: "[", inside: []entry{hook}}}}
	if e.matcher != "" {
		g.inside = append([]entry{{name: "matcher", text: encoded(e.matcher)}}, g.inside...)
	}
	return g
}

// add puts our hook of an event in, with as much around it as is missing.
func (h Host) add(src []byte, root *node, e Event, program string) []byte {
	g := h.group(e, program)
	if list := root.member("hooks").member(e.Name); list != nil {
		return insert(src, list, g)
	}
	g = entry{name: e.Name, open: "[", inside: []entry{g}}
	if hooks := root.member("hooks"); hooks != nil {
		return insert(src, hooks, g)
	}
	g = entry{name: "hooks", open: "{", inside: []entry{g}}
	if root != nil {
		return insert(src, root, g)
	}
	l := layoutOf(src)
	return append(bytes.Clone(src), l.write(entry{open: "{", inside: []entry{g}}, "")+l.line...)
}

// layout is how a file is laid out.
type layout struct {
	unit string // of indentation
	line string // end of a line
}

func layoutOf(src []byte) layout {
	l := layout{unit: "  ", line: "\n"}
	if bytes.Contains(src, []byte("\r\n")) {
		l.line = "\r\n"
	}
	for line := range bytes.Lines(src) {
		text := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(text); n > 0 && len(bytes.TrimSpace(text)) > 0 && text[0] != '*' && text[0] != '/' {
			l.unit = string(line[:n])
			break
		}
	}
	return l
}

// write lays an entry out; what is in it stands deeper than indent.
func (l layout) write(e entry, indent string) string {
	var b strings.Builder
	if e.name != "" {
		b.WriteString(encoded(e.name) + ": ")
	}
	if e.open == "" {
		return b.String() + e.text
	}
	b.WriteString(e.open)
	for i, in := range e.inside {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(l.line + indent + l.unit + l.write(in, indent+l.unit))
	}
	b.WriteString(l.line + indent)
	if e.open == "{" {
		return b.String() + "}"
	}
	return b.String() + "]"
}

func splice(src []byte, from, to int, text string) []byte {
	out := append([]byte{}, src[:from]...)
	return append(append(out, text...), src[to:]...)
}

// indentOf is the indentation of the line that a position is in.
func indentOf(src []byte, at int) string {
	line := src[bytes.LastIndexByte(src[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// insert puts an entry behind the last one of a list or an object.
func insert(src []byte, in *node, e entry) []byte {
	l := layoutOf(src)
	if len(in.values) == 0 {
		indent := indentOf(src, in.from)
		text := l.line + indent + l.unit + l.write(e, indent+l.unit)
		if len(bytes.TrimSpace(src[in.from+1:in.to-1])) == 0 {
			return splice(src, in.from+1, in.to-1, text+l.line+indent)
		}
		return splice(src, in.from+1, in.from+1, text) // before a comment
	}
	last := len(in.values) - 1
	end := in.values[last].to
	divide, behind := ",", ""
	if at := comma(src, end, in.to); at >= 0 { // one is there, so the new last entry has one
		end, divide, behind = at+1, "", ","
	}
	indent, after := indentOf(src, in.start(last)), ""
	if !bytes.Contains(src[in.from:in.to], []byte("\n")) { // all on one line
		indent = indentOf(src, in.from)
		after = l.line + indent
		indent += l.unit
	}
	rest := remark(src, end)
	return splice(splice(src, rest, rest, l.line+indent+l.write(e, indent)+behind+after), end, end, divide)
}

// remark is where a comment ends that follows on the same line, if one does.
func remark(src []byte, at int) int {
	end := at
	for i := at; i < len(src); {
		switch {
		case src[i] == ' ' || src[i] == '\t':
			i++
		case src[i] == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = comment(src, i)
			if i > 0 && i < len(src) && src[i] == '\n' && src[i-1] == '\r' {
				i--
			}
			end = i
		default:
			return end
		}
	}
	return end
}

// comma finds one between two positions, outside of comments.
func comma(src []byte, from, to int) int {
	for i := from; i < to; i++ {
		switch {
		case src[i] == ',':
			return i
		case src[i] == '/' && i+1 < to && (src[i+1] == '/' || src[i+1] == '*'):
			i = comment(src, i) - 1
		}
	}
	return -1
}

// drop takes our hooks of an event out but for the first keep ones, one at a time,
// each with what held nothing else. Without one the settings stay as they are.
func (h Host) drop(src []byte, e Event, keep int) ([]byte, error) {
	root, err := h.parse(src)
	if err != nil {
		return nil, err
	}
	ours := h.ours(root, e)
	if len(ours) <= keep {
		return src, nil
	}
	s := ours[keep].needless()
	return remove(src, s.in, s.at), nil
}

// needless is the outermost entry that holds nothing but the hook.
func (f found) needless() step {
	top, hooks, groups, group, list := f.way[0], f.way[1], f.way[2], f.way[3].in, f.way[4]
	alone := func(s step) bool { return len(s.in.values) == 1 }
	switch {
	case !alone(list) || slices.ContainsFunc(group.names, func(n name) bool { return !slices.Contains(ofGroup, n.text) }):
		return list
	case !alone(groups):
		return groups
	case !alone(hooks):
		return hooks
	}
	return top
}

// ofGroup are the members of a group that are of no use without hooks.
var ofGroup = []string{"hooks", "matcher", "sequential"}

// remove takes one entry out of a list or an object.
func remove(src []byte, in *node, at int) []byte {
	from, to := in.start(at), in.values[at].to
	if strings.TrimSpace(string(src[in.from+1:from])) == "" && strings.Trim(string(src[to:in.to-1]), " \t\r\n,") == "" {
		return splice(src, in.from+1, in.to-1, "") // nothing else is in it
	}
	for strings.IndexByte(" \t\r\n", src[from-1]) >= 0 {
		from--
	}
	if next := comma(src, to, in.to); next >= 0 {
		return splice(src, from, next+1, "")
	}
	src = splice(src, from, to, "")
	if at == 0 {
		return src
	}
	last := comma(src, in.values[at-1].to, from)
	return splice(src, last, last+1, "")
}
