package strictyaml

import (
	"reflect"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Decoder is a type that reads itself, as one that a file may give in more than
// one form. What DecodeYAML returns is an *Error that v made, or nil.
type Decoder interface {
	DecodeYAML(v Value) error
}

var decoderType = reflect.TypeFor[Decoder]()

// Kind is the form of a value.
type Kind string

// The kinds, as messages name them.
const (
	Nothing Kind = "nothing"
	Bool    Kind = "true or false"
	Number  Kind = "a number"
	Text    Kind = "text"
	List    Kind = "a list"
	Mapping Kind = "a mapping"
)

// Value is one value of a document, for a Decoder.
type Value struct {
	Path string // as Doc.Errorf takes it
	doc  *Doc
	node ast.Node
}

// Kind is the form of the value.
func (v Value) Kind() Kind { return kindOf(v.node) }

// Decode fills what dst points to, as Doc.Decode does.
func (v Value) Decode(dst any) error {
	if err := v.doc.value(v.Path, v.node, reflect.ValueOf(dst).Elem()); err != nil {
		return err
	}
	return nil
}

// Plain is the text of a number or of plain text, as the file has it; empty for
// every other kind. A number that must not be rounded is read from it.
func (v Value) Plain() string {
	switch v.Kind() {
	case Number:
		return v.node.GetToken().Value
	case Text:
		s, _ := text(v.node)
		return s
	case Nothing, Bool, List, Mapping:
	}
	return ""
}

// Errorf makes an error about the value.
func (v Value) Errorf(fix, format string, args ...any) error {
	return v.doc.at(v.node, fix, format, args...)
}

// Mismatch is the error of a value of a kind that is not wanted.
func (v Value) Mismatch(want string) error { return v.doc.mismatch(v.Path, v.node, want) }

// Map is a mapping in the order of the file.
type Map[T any] []Entry[T]

// Entry is one entry of a Map.
type Entry[T any] struct {
	Key   string
	Value T
}

// DecodeYAML implements Decoder.
func (m *Map[T]) DecodeYAML(v Value) error {
	mapping, ok := v.node.(ast.MapNode)
	if !ok {
		return v.Mismatch("a mapping (key: value)")
	}
	*m = Map[T]{}
	for it := mapping.MapRange(); it.Next(); {
		name, child, err := v.doc.key(v.Path, it)
		if err == nil {
			e := Entry[T]{Key: name}
			err = v.doc.value(child, it.Value(), reflect.ValueOf(&e.Value).Elem())
			*m = append(*m, e)
		}
		if err = v.doc.keep(err.in(child)); err != nil {
			return err
		}
	}
	return nil
}

// Get is the value of a key.
func (m Map[T]) Get(key string) (value T, ok bool) {
	for _, e := range m {
		if e.Key == key {
			return e.Value, true
		}
	}
	return value, false
}

// Place is where the value at path begins: of an entry its key. It is known
// once the value was decoded.
func (d *Doc) Place(path string) (line, column int, ok bool) {
	at, ok := d.where[path]
	return at.line, at.column, ok
}

// Lookup finds the value at path. What it holds is as a field of type any gets
// it, but mappings are Map[any] in the order of the file.
func (d *Doc) Lookup(path ...string) (any, bool) {
	n := d.root
	for _, name := range path {
		if n = child(n, name); n == nil {
			return nil, false
		}
	}
	if n == nil {
		return nil, false
	}
	return plain(n), true
}

// child is a member of a mapping or list, nil without it.
func child(n ast.Node, name string) ast.Node {
	switch n := n.(type) {
	case ast.MapNode:
		for it := n.MapRange(); it.Next(); {
			if key, ok := keyText(it.Key()); ok && key == name {
				return it.Value()
			}
		}
	case *ast.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Values) {
			return n.Values[i]
		}
	}
	return nil
}

// plain is what a node holds; nil for what is no value.
func plain(n ast.Node) any {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value
	case *ast.IntegerNode:
		return n.Value
	case *ast.FloatNode:
		return n.Value
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, item := range n.Values {
			list = append(list, plain(item))
		}
		return list
	case ast.MapNode:
		m := Map[any]{}
		for it := n.MapRange(); it.Next(); {
			if key, ok := keyText(it.Key()); ok {
				m = append(m, Entry[any]{key, plain(it.Value())})
			}
		}
		return m
	}
	if s, ok := text(n); ok {
		return s
	}
	return nil
}
