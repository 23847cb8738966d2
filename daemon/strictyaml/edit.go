package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// ErrLayout is the error of Set and Unset for a file that is laid out in a way
// that they do not know: a value that a person has to change.
var ErrLayout = errors.New("the file is laid out in a way that is only changed by hand")

// Set gives the entry at path a value, YAML on one line, and makes the mappings
// around it that are missing. All else stays as it is: order, comments, blank
// lines and line ends. The error is an *Error about the file, or ErrLayout.
func Set(src []byte, path []string, value string) ([]byte, error) {
	v, err := ParseOptional([]byte("v: " + value + "\n"))
	if err != nil {
		return nil, err
	}
	want, _ := v.Lookup("v")
	return change(src, path, value, func(m Map[any]) Map[any] { return with(m, path, want) })
}

// Unset takes the entry at path out, and mappings that are empty then. Without
// such an entry nothing is changed.
func Unset(src []byte, path []string) ([]byte, error) {
	d, err := ParseOptional(src)
	if err != nil {
		return nil, err
	}
	if _, ok := d.Lookup(path...); !ok {
		return src, nil
	}
	return change(src, path, "", func(m Map[any]) Map[any] { return without(m, path) })
}

// change edits the text, and then proves that nothing but what was meant is
// different.
func change(src []byte, path []string, value string, want func(Map[any]) Map[any]) ([]byte, error) {
	d, err := ParseOptional(src)
	if err != nil {
		return nil, err
	}
	old, _ := d.Lookup()
	before, ok := old.(Map[any])
	if !ok && old != nil {
		return nil, ErrLayout
	}
	e := newEditor(d, src)
	notes := e.notes()
	if err := e.apply(path, value); err != nil {
		return nil, err
	}
	out := []byte(e.text())
	after, err := ParseOptional(out)
	if err == nil && value != "" && newEditor(after, out).notes() < notes {
		return nil, ErrLayout // a comment within what is replaced
	}
	if err != nil {
		return nil, ErrLayout
	}
	got, _ := after.Lookup()
	if got == nil {
		got = Map[any]{}
	}
	if !reflect.DeepEqual(got, any(want(before))) {
		return nil, ErrLayout
	}
	return out, nil
}

func with(m Map[any], path []string, v any) Map[any] {
	out := slices.Clone(m)
	i := slices.IndexFunc(out, func(e Entry[any]) bool { return e.Key == path[0] })
	if i < 0 {
		i, out = len(out), append(out, Entry[any]{Key: path[0]})
	}
	if len(path) > 1 {
		inner, _ := out[i].Value.(Map[any])
		v = with(inner, path[1:], v)
	}
	out[i].Value = v
	return out
}

func without(m Map[any], path []string) Map[any] {
	out := Map[any]{}
	for _, e := range m {
		if e.Key == path[0] {
			inner, _ := e.Value.(Map[any])
			if len(path) == 1 || len(inner) == 1 && len(without(inner, path[1:])) == 0 {
				continue
			}
			e.Value = without(inner, path[1:])
		}
		out = append(out, e)
	}
	return out
}

// editor changes the lines of a document.
type editor struct {
	doc      *Doc
	bom      string
	eol      string
	lines    []string    // with their ends
	comments map[int]int // line -> column where a comment begins
}

func newEditor(d *Doc, src []byte) *editor {
	e := &editor{doc: d, eol: "\n", comments: map[int]int{}}
	text, marked := strings.CutPrefix(string(src), "\uFEFF")
	e.lines = strings.SplitAfter(text, "\n")
	if marked {
		e.bom = "\uFEFF"
	}
	if strings.Contains(text, "\r\n") {
		e.eol = "\r\n"
	}
	if n := len(e.lines); e.lines[n-1] == "" {
		e.lines = e.lines[:n-1]
	}
	for _, t := range lexer.Tokenize(d.src) {
		if t.Type == token.CommentType {
			e.comments[t.Position.Line] = t.Position.Column
		}
	}
	return e
}

func (e *editor) text() string { return e.bom + strings.Join(e.lines, "") }

// step is one entry on the way to a path.
type step struct {
	mapping ast.MapNode
	entry   *ast.MappingValueNode
}

// way is the entries that lead to path, as far as they are there, and the
// mapping in which the next one would be.
func (e *editor) way(path []string) (steps []step, rest []string, in ast.MapNode, err error) {
	n := e.doc.root
	for i, name := range path {
		m, ok := n.(ast.MapNode)
		if !ok {
			if n == nil {
				return steps, path[i:], nil, nil
			}
			where := strings.Join(path[:i], ".")
			return nil, nil, nil, fmt.Errorf("%s holds %s: set it as a whole", where, kindOf(n))
		}
		entry := entryOf(m, name)
		if entry == nil {
			return steps, path[i:], m, nil
		}
		steps = append(steps, step{m, entry})
		n = entry.Value
	}
	return steps, nil, nil, nil
}

func entryOf(m ast.MapNode, name string) *ast.MappingValueNode {
	for it := m.MapRange(); it.Next(); {
		if key, ok := keyText(it.Key()); ok && key == name {
			return it.KeyValue()
		}
	}
	return nil
}

// apply sets, or with an empty value takes out.
func (e *editor) apply(path []string, value string) error {
	steps, rest, in, err := e.way(path)
	switch {
	case err != nil:
		return err
	case value == "":
		return e.remove(steps)
	case len(rest) == 0:
		return e.replace(steps[len(steps)-1], path[len(path)-1], value)
	case in == nil:
		e.insert(len(e.lines), 0, rest, value)
		return nil
	}
	if m, ok := in.(*ast.MappingNode); ok && (m.IsFlowStyle || len(m.Values) == 0) {
		held, _ := plain(m).(Map[any])
		v, err := ParseOptional([]byte("v: " + value + "\n"))
		if err != nil {
			return err
		}
		inner, _ := v.Lookup("v")
		return e.flow(m, with(held, rest, inner))
	}
	e.insert(e.last(in), firstColumn(in)-1, rest, value)
	return nil
}

// firstColumn is where the keys of a mapping in block style begin.
func firstColumn(m ast.MapNode) int {
	it := m.MapRange()
	it.Next()
	return position(it.Key()).column
}

// last is the number of lines up to the end of a mapping in block style.
func (e *editor) last(m ast.MapNode) int {
	end := 0
	for it := m.MapRange(); it.Next(); {
		_, end = e.extent(it.KeyValue())
	}
	return end
}

// extent is the lines of an entry in block style: from its key to the last one
// that belongs to its value, both from 1.
func (e *editor) extent(entry *ast.MappingValueNode) (first, last int) {
	at := position(entry.Key)
	first, last = at.line, max(at.line, closing(entry.Value))
	_, list := entry.Value.(*ast.SequenceNode)
	for i := max(first, closing(entry.Value)); i < len(e.lines); i++ {
		line := strings.TrimRight(e.lines[i], "\r\n")
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		item := list && indent == at.column-1 && (body == "-" || strings.HasPrefix(body, "- "))
		switch {
		case body == "" || body[0] == '#':
		case indent >= at.column || item:
			last = i + 1
		default:
			return first, last
		}
	}
	return first, last
}

// closing is the line where a list or mapping in brackets ends, 0 for any other
// value.
func closing(n ast.Node) int {
	var end *token.Token
	switch n := n.(type) {
	case *ast.MappingNode:
		end = n.End
	case *ast.SequenceNode:
		end = n.End
	}
	if end == nil || end.Position == nil {
		return 0
	}
	return end.Position.Line
}

func (e *editor) insert(after, indent int, path []string, value string) {
	if after > 0 && !strings.HasSuffix(e.lines[after-1], "\n") {
		e.lines[after-1] += e.eol
	}
	var out []string
	for i, name := range path {
		line := strings.Repeat(" ", indent+2*i) + scalar(name, true) + ":"
		if i == len(path)-1 {
			line += " " + value
		}
		out = append(out, line+e.eol)
	}
	e.lines = slices.Insert(e.lines, after, out...)
}

func (e *editor) replace(s step, name, value string) error {
	if m, ok := s.mapping.(*ast.MappingNode); ok && m.IsFlowStyle {
		v, err := ParseOptional([]byte("v: " + value + "\n"))
		if err != nil {
			return err
		}
		held, _ := plain(m).(Map[any])
		inner, _ := v.Lookup("v")
		return e.flow(m, with(held, []string{name}, inner))
	}
	first, last := e.extent(s.entry)
	line := runes(e.lines[first-1])
	out := string(line[:position(s.entry.Key).column-1]) + scalar(name, true) + ": " + value
	if column, ok := e.comments[first]; ok && column-1 < len(line) && line[column-1] == '#' {
		out += "  " + string(line[column-1:])
	}
	e.lines = slices.Replace(e.lines, first-1, last, out+e.eol)
	return nil
}

func (e *editor) remove(steps []step) error {
	i := len(steps) - 1
	for i > 0 && entries(steps[i].mapping) == 1 {
		i--
	}
	s := steps[i]
	if m, ok := s.mapping.(*ast.MappingNode); ok && m.IsFlowStyle {
		held, _ := plain(m).(Map[any])
		key, _ := keyText(s.entry.Key)
		return e.flow(m, without(held, []string{key}))
	}
	first, last := e.extent(s.entry)
	e.lines = slices.Delete(e.lines, first-1, last)
	return nil
}

// notes counts the comments that have a line of their own.
func (e *editor) notes() (n int) {
	for line := range e.comments {
		if line <= len(e.lines) && strings.HasPrefix(strings.TrimLeft(e.lines[line-1], " \t"), "#") {
			n++
		}
	}
	return n
}

func entries(m ast.MapNode) (n int) {
	for it := m.MapRange(); it.Next(); {
		n++
	}
	return n
}

// flow writes a mapping in braces anew. One over several lines may hold
// comments, so a person changes that.
func (e *editor) flow(m *ast.MappingNode, held Map[any]) error {
	if m.Start == nil || m.End == nil || m.Start.Position.Line != m.End.Position.Line {
		return ErrLayout
	}
	at := m.Start.Position
	line := runes(e.lines[at.Line-1])
	ends := strings.TrimPrefix(e.lines[at.Line-1], string(line))
	from, to := at.Column-1, m.End.Position.Column
	if from < 0 || to > len(line) || line[from] != '{' || line[to-1] != '}' {
		return ErrLayout
	}
	e.lines[at.Line-1] = string(line[:from]) + Flow(held) + string(line[to:]) + ends
	return nil
}

// runes is a line without its end.
func runes(line string) []rune { return []rune(strings.TrimRight(line, "\r\n")) }
