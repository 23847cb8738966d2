package strictyaml

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// Decode fills the struct that dst points to. Keys that are absent leave their
// field as it was, so defaults are what dst holds before the call; a list or
// map that is present replaces its field.
//
// Fields are named by `yaml:"name"` tags; fields without one are not read.
// Supported are struct, string, bool, int, time.Duration ("90s"), slices, maps
// with text keys, pointers to these, any, and what implements Decoder. The error
// is an *Error. A document that holds nothing changes nothing.
func (d *Doc) Decode(dst any) error {
	if d.root == nil {
		return nil
	}
	if err := d.value("", d.root, reflect.ValueOf(dst).Elem()); err != nil {
		return err
	}
	return nil
}

// DecodeAll is Decode that goes on after a mistake and returns all of them, in
// the order of the file. What dst holds then is what could be read.
func (d *Doc) DecodeAll(dst any) []*Error {
	d.all, d.found = true, nil
	defer func() { d.all = false }()
	if d.root == nil {
		return nil
	}
	if err := d.value("", d.root, reflect.ValueOf(dst).Elem()); err != nil {
		d.found = append(d.found, err)
	}
	return d.found
}

// keep notes a mistake in a part that can be left out, when all are wanted.
func (d *Doc) keep(err *Error) *Error {
	if err == nil || !d.all {
		return err
	}
	d.found = append(d.found, err)
	return nil
}

var durationType = reflect.TypeFor[time.Duration]()

// value decodes n into v. It returns the concrete type, so that nil stays nil.
func (d *Doc) value(path string, n ast.Node, v reflect.Value) *Error {
	if _, ok := d.where[path]; !ok {
		d.where[path] = position(n)
	}
	if v.Type() == durationType {
		return d.duration(path, n, v)
	}
	if v.CanAddr() && v.Addr().Type().Implements(decoderType) {
		return d.self(path, n, v.Addr().Interface().(Decoder))
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(path, n, v.Elem())
	case reflect.Struct:
		return d.fields(path, n, v)
	case reflect.Map:
		return d.entries(path, n, v)
	case reflect.Slice:
		return d.items(path, n, v)
	case reflect.Interface:
		return d.anything(path, n, v)
	case reflect.String:
		s, ok := text(n)
		if !ok {
			return d.mismatch(path, n, "text")
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return d.mismatch(path, n, "true or false")
		}
		v.SetBool(b.Value)
	case reflect.Int:
		i, ok := integer(n)
		if !ok {
			return d.mismatch(path, n, "a whole number")
		}
		v.SetInt(i)
	default:
		panic(fmt.Sprintf("strictyaml: field %s has unsupported type %s", path, v.Type()))
	}
	return nil
}

// self lets a type read itself. An error that is none of ours stands at the value.
func (d *Doc) self(path string, n ast.Node, to Decoder) *Error {
	err := to.DecodeYAML(Value{Path: path, doc: d, node: n})
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	}
	return d.at(n, "", "%v", err)
}

func (d *Doc) fields(path string, n ast.Node, v reflect.Value) *Error {
	m, ok := n.(ast.MapNode)
	if !ok {
		return d.mismatch(path, n, "a mapping (key: value)")
	}
	names, index := tagged(v.Type())
	for it := m.MapRange(); it.Next(); {
		name, child, err := d.key(path, it)
		if err == nil {
			if i, ok := index[name]; ok {
				err = d.value(child, it.Value(), v.Field(i))
			} else {
				err = d.unknown(child, name, names)
			}
		}
		if err = d.keep(err.in(child)); err != nil {
			return err
		}
	}
	return nil
}

func (d *Doc) unknown(path, name string, names []string) *Error {
	fix := "allowed: " + strings.Join(names, ", ")
	if near := Nearest(name, names); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	e := d.Errorf(path, fix, "unknown key %q", name)
	e.Unknown = path
	return e
}

// tagged lists the names of a struct's fields, in order, and their indexes.
func tagged(t reflect.Type) ([]string, map[string]int) {
	var names []string
	index := map[string]int{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			names = append(names, name)
			index[name] = i
		}
	}
	return names, index
}

// key reads the name of an entry and records where it stands.
func (d *Doc) key(path string, it *ast.MapNodeIter) (name, child string, err *Error) {
	k := it.Key()
	name, ok := keyText(k)
	if !ok {
		at := position(k)
		return "", "", errorAt(d.src, at.line, at.column, "this is not a plain key", "write key: value")
	}
	child = join(path, name)
	d.where[child] = position(k)
	return name, child, nil
}

func keyText(k ast.MapKeyNode) (string, bool) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, true
	}
	return "", false
}

func (d *Doc) entries(path string, n ast.Node, v reflect.Value) *Error {
	m, ok := n.(ast.MapNode)
	if !ok {
		return d.mismatch(path, n, "a mapping (key: value)")
	}
	out := reflect.MakeMap(v.Type())
	for it := m.MapRange(); it.Next(); {
		e := reflect.New(v.Type().Elem()).Elem()
		name, child, err := d.key(path, it)
		if err == nil {
			err = d.value(child, it.Value(), e)
		}
		if kept := d.keep(err.in(child)); kept != nil {
			return kept
		}
		if err == nil {
			out.SetMapIndex(reflect.ValueOf(name), e)
		}
	}
	v.Set(out)
	return nil
}

func (d *Doc) items(path string, n ast.Node, v reflect.Value) *Error {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		return d.mismatch(path, n, "a list")
	}
	out := reflect.MakeSlice(v.Type(), len(s.Values), len(s.Values))
	for i, item := range s.Values {
		at := join(path, strconv.Itoa(i))
		if err := d.keep(d.value(at, item, out.Index(i)).in(at)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

func (d *Doc) duration(path string, n ast.Node, v reflect.Value) *Error {
	s, ok := text(n)
	if !ok {
		return d.mismatch(path, n, "a duration such as 30s, 10m or 2h")
	}
	t, err := time.ParseDuration(s)
	if err != nil || t < 0 {
		return d.at(n, "write 30s, 10m or 2h", "%q is not a duration", s)
	}
	v.SetInt(int64(t))
	return nil
}

// anything decodes what JSON can hold: nil, bool, int64, uint64, float64,
// string, []any and map[string]any.
func (d *Doc) anything(path string, n ast.Node, v reflect.Value) *Error {
	var err *Error
	switch x := n.(type) {
	case *ast.NullNode:
	case *ast.BoolNode:
		v.Set(reflect.ValueOf(x.Value))
	case *ast.IntegerNode:
		v.Set(reflect.ValueOf(x.Value))
	case *ast.FloatNode:
		if math.IsInf(x.Value, 0) || math.IsNaN(x.Value) {
			return d.at(n, "write a finite number", "number is out of range")
		}
		v.Set(reflect.ValueOf(x.Value))
	case *ast.SequenceNode:
		var items []any
		err = d.value(path, n, reflect.ValueOf(&items).Elem())
		v.Set(reflect.ValueOf(items))
	case ast.MapNode:
		var entries map[string]any
		err = d.value(path, n, reflect.ValueOf(&entries).Elem())
		v.Set(reflect.ValueOf(entries))
	default:
		s, ok := text(n)
		if !ok {
			return d.mismatch(path, n, "a value")
		}
		v.Set(reflect.ValueOf(s))
	}
	return err
}

func (d *Doc) mismatch(path string, n ast.Node, want string) *Error {
	got, fix := kindOf(n), ""
	switch {
	case got == Nothing:
		fix = "write a value, or take the line out"
	case want == "text" && got != List && got != Mapping:
		fix = "put it in quotes"
	}
	name := "file"
	if path != "" {
		name = path
	}
	return d.at(n, fix, "%s: want %s, found %s", name, want, got)
}

func (d *Doc) at(n ast.Node, fix, format string, args ...any) *Error {
	at := position(n)
	return errorAt(d.src, at.line, at.column, fmt.Sprintf(format, args...), fix)
}

func kindOf(n ast.Node) Kind {
	switch n.(type) {
	case *ast.NullNode:
		return Nothing
	case *ast.BoolNode:
		return Bool
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return Number
	case *ast.SequenceNode:
		return List
	case ast.MapNode:
		return Mapping
	case *ast.StringNode, *ast.LiteralNode:
		return Text
	}
	return "something else"
}

func text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

func integer(n ast.Node) (int64, bool) {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return 0, false
	}
	switch x := i.Value.(type) {
	case int64:
		return x, true
	case uint64:
		if x <= math.MaxInt64 {
			return int64(x), true
		}
	}
	return 0, false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
