package events

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONMistake words an error of a JSON decoder for the author of the text: the member,
// its place as a JSON pointer (RFC 6901), and what is allowed there. It never names a
// type of Go. Any other error keeps its own text.
func JSONMistake(err error) string {
	var text *jsontext.SyntacticError
	var value *json.SemanticError
	switch {
	case errors.As(err, &text) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("member %.80q appears twice%s", text.JSONPointer.LastToken(), inside(text.JSONPointer))
	case errors.As(err, &text) && errors.Is(text.Err, io.ErrUnexpectedEOF):
		return "not valid JSON" + at(text.JSONPointer) + ": it ends too early"
	case errors.As(err, &text):
		return fmt.Sprintf("not valid JSON%s: %v", at(text.JSONPointer), text.Err)
	case errors.As(err, &value) && errors.Is(err, json.ErrUnknownName):
		return fmt.Sprintf("unknown member %.80q%s; allowed: %s", value.JSONPointer.LastToken(), inside(value.JSONPointer), members(value.GoType))
	case errors.As(err, &value):
		return wrongValue(value)
	}
	return err.Error()
}

// at is the place of a value, inside that of the object around it.
func at(p jsontext.Pointer) string {
	if p == "" {
		return ""
	}
	return fmt.Sprintf(" at %.200s", string(p))
}

func inside(p jsontext.Pointer) string { return at(p.Parent()) }

func wrongValue(e *json.SemanticError) string {
	place := "the input"
	if e.JSONPointer != "" {
		place = fmt.Sprintf("%.200s", string(e.JSONPointer))
	}
	is := kindWords(e.JSONKind)
	if e.JSONKind == '0' && len(e.JSONValue) > 0 {
		is = fmt.Sprintf("%.40s", string(e.JSONValue))
	}
	want := typeWords(e.GoType)
	switch {
	case e.Err != nil && e.GoType != reflect.TypeFor[time.Time]() && !errors.Is(e.Err, strconv.ErrSyntax) && !errors.Is(e.Err, strconv.ErrRange):
		return fmt.Sprintf("%s: %v", place, e.Err) // said by the type itself
	case want != "" && is != "":
		return fmt.Sprintf("%s is %s, want %s", place, is, want)
	case want != "":
		return fmt.Sprintf("%s is not %s", place, want)
	}
	return place + " has a value that is not allowed"
}

func kindWords(k jsontext.Kind) string {
	return map[jsontext.Kind]string{
		'n': "null", 't': "true or false", 'f': "true or false", '"': "a text", '0': "a number", '{': "an object", '[': "a list",
	}[k]
}

// typeWords is what a type of Go takes, in the words of JSON; empty if it decodes itself.
func typeWords(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return ""
	case t == reflect.TypeFor[time.Time]():
		return "a time such as 2026-01-02T07:00:00Z"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return ""
	}
}

// members lists the members of an object that a type of Go is decoded from.
func members(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return "none"
	}
	var list []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "" && name != "-" {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}
