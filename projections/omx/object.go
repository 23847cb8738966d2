package omx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Member is one member of an object, its value in its exact text.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Object is a JSON object that keeps its members in their order. A method that
// changes it returns the changed copy.
type Object []Member

var null = jsontext.Value("null")

// Parse reads exactly one JSON object. A member that is there twice, text behind the
// object and invalid UTF-8 are errors.
func Parse(text []byte) (Object, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if k := d.PeekKind(); k != '{' {
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
		return nil, errors.New("it is not a JSON object")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	o := Object{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		n := name.String() // before the next read: a token lives until then
		v, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		o = append(o, Member{Name: n, Value: v.Clone()})
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text behind the JSON object")
	}
	return o, nil
}

// Compact is the object on one line.
func (o Object) Compact() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := jsontext.AppendQuote(nil, m.Name) // Parse lets no invalid UTF-8 in
		b.Write(name)
		b.WriteByte(':')
		v := m.Value.Clone()
		_ = v.Compact() // it was valid when it came in
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Indented is the object as the files of oh-my-codex have it, two blanks a level.
func (o Object) Indented() []byte {
	v := jsontext.Value(o.Compact())
	_ = v.Indent(jsontext.WithIndent("  "))
	return v
}

// MarshalJSON makes an Object a value of other objects.
func (o Object) MarshalJSON() ([]byte, error) { return o.Compact(), nil }

func (o Object) at(name string) int {
	return slices.IndexFunc(o, func(m Member) bool { return m.Name == name })
}

// Has says that a member is there, be it null.
func (o Object) Has(name string) bool { return o.at(name) >= 0 }

// Raw is the text of a member; a member that is missing is null.
func (o Object) Raw(name string) jsontext.Value {
	if i := o.at(name); i >= 0 {
		return o[i].Value
	}
	return null
}

// Set returns the object with a member replaced, or added at its end.
func (o Object) Set(name string, value any) Object {
	v, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("omx: member %s: %v", name, err)) // only values of this program come here
	}
	return o.put(name, v)
}

func (o Object) put(name string, v jsontext.Value) Object {
	next := slices.Clone(o)
	if i := next.at(name); i >= 0 {
		next[i].Value = v
		return next
	}
	return append(next, Member{Name: name, Value: v})
}

// Without returns the object without some members.
func (o Object) Without(names ...string) Object {
	next := make(Object, 0, len(o))
	for _, m := range o {
		if !slices.Contains(names, m.Name) {
			next = append(next, m)
		}
	}
	return next
}

// Merge returns the object with the members of another one over its own.
func (o Object) Merge(over Object) Object {
	next := slices.Clone(o)
	for _, m := range over {
		if i := next.at(m.Name); i >= 0 {
			next[i].Value = m.Value
		} else {
			next = append(next, m)
		}
	}
	return next
}

// Null says that a member is missing or null.
func (o Object) Null(name string) bool { return o.Raw(name).Kind() == 'n' }

// Text is a member that is a text, without blanks around it; anything else is "".
func (o Object) Text(name string) string {
	s, ok := textOf(o.Raw(name))
	if !ok {
		return ""
	}
	return strings.TrimSpace(s)
}

// FirstText is the first of these members that is a text with something in it.
func (o Object) FirstText(names ...string) string {
	for _, n := range names {
		if s := o.Text(n); s != "" {
			return s
		}
	}
	return ""
}

// True and False say that a member is exactly that.
func (o Object) True(name string) bool { return o.Raw(name).Kind() == 't' }

// False says that a member is exactly false; a missing one is neither.
func (o Object) False(name string) bool { return o.Raw(name).Kind() == 'f' }

// Sub is a member that is an object; anything else is an empty one.
func (o Object) Sub(name string) Object {
	v := o.Raw(name)
	if v.Kind() != '{' {
		return nil
	}
	sub, err := Parse(v)
	if err != nil {
		return nil
	}
	return sub
}

// List is a member that is a list of values.
func (o Object) List(name string) []jsontext.Value {
	var l []jsontext.Value
	if v := o.Raw(name); v.Kind() != '[' || json.Unmarshal(v, &l) != nil {
		return nil
	}
	return l
}

// mostCount bounds a counter (lesson O45).
const mostCount = 1_000_000

// Count is a member that is a counter, a whole number from 0 on. It is not there when
// it is missing or null (lesson O4).
func (o Object) Count(name string) (n int, there bool, err error) {
	v := o.Raw(name)
	if v.Kind() == 'n' {
		return 0, false, nil
	}
	if v.Kind() == '0' {
		f, err := strconv.ParseFloat(string(v), 64)
		if err == nil && f == math.Trunc(f) && f >= 0 && f <= mostCount {
			return int(f), true, nil
		}
	}
	return 0, true, fmt.Errorf("%s has to be a whole number from 0 to %d, and not %s", name, mostCount, short(v))
}

// count is Count of a member that is known to be right.
func (o Object) count(name string) int {
	n, _, _ := o.Count(name)
	return n
}

// equal says that a member is the same in two objects, but for blanks.
func equal(a, b Object, name string) bool {
	return string(Object{{name, a.Raw(name)}}.Compact()) == string(Object{{name, b.Raw(name)}}.Compact())
}

func textOf(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, v)
	return string(s), err == nil
}

// short is a value for a message.
func short(v jsontext.Value) string {
	const most = 60
	s := strings.ToValidUTF8(string(v), "?")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
