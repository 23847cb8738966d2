package events

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnEventAsItIsReadIsWhatDecodingGives(t *testing.T) {
	t.Parallel()
	for typ, full := range sampleData {
		zero := reflect.Zero(reflect.TypeOf(full)).Interface().(Data)
		for _, d := range []Data{full, zero} {
			e := sampleEvent(typ, 2)
			e.Data = d
			b, err := Encode(e)
			if err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			want, err := Decode(b)
			if err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			got, err := AsRead(e, b)
			if err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-decoded +as read):\n%s", typ, diff)
			}
		}
	}
}

// exact looks at the members of an event only, not at members of those.
func TestListsWithinListsMayBeLeftOut(t *testing.T) {
	t.Parallel()
	var inner func(reflect.Type, string)
	inner = func(typ reflect.Type, path string) {
		for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Type.Kind() == reflect.Slice && !strings.Contains(f.Tag.Get("json"), ",omitzero") {
				t.Errorf("%s.%s has to have omitzero", path, f.Name)
			}
			inner(f.Type, path+"."+f.Name)
		}
	}
	for name, d := range sampleData {
		typ := reflect.TypeOf(d)
		for i := range typ.NumField() {
			inner(typ.Field(i).Type, name+"."+typ.Field(i).Name)
		}
	}
}
