package events

import "reflect"

// Refs lists the blobs that the data of an event names, in the order of its
// fields. Of an unknown type it knows none.
func Refs(d Data) []Ref {
	if _, ok := d.(Unknown); ok || d == nil {
		return nil
	}
	var out []Ref
	collect(reflect.ValueOf(d), &out)
	return out
}

var refType = reflect.TypeFor[Ref]()

func collect(v reflect.Value, out *[]Ref) {
	switch {
	case v.Type() == refType:
		if ref := Ref(v.String()); ref != "" {
			*out = append(*out, ref)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			collect(v.Field(i), out)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			collect(v.Index(i), out)
		}
	}
}
