package events

import (
	"reflect"
	"strings"
)

// exact says that d is read back as it is. A list that is missing is written as
// an empty one, unless its member may be left out.
func exact(d Data) bool {
	v := reflect.ValueOf(d)
	if v.Kind() != reflect.Struct {
		return true
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Slice && f.IsNil() && !strings.Contains(v.Type().Field(i).Tag.Get("json"), ",omitzero") {
			return false
		}
	}
	return true
}

// AsRead is an event as readers will get it, whose encoding is b: who appends
// must not go on with more than who reads.
func AsRead(e Event, b []byte) (Event, error) {
	if exact(e.Data) {
		e.Time = e.Time.UTC().Round(0)
		return e, nil
	}
	return Decode(b)
}
