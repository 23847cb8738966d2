package events

import (
	"fmt"
	"reflect"
	"strings"
)

// Strange names the first value in the data of an event that no event of this
// program has: a name that is none, or something else where a hash belongs. Such
// values become parts of paths and of commands. It is empty if there is none, and
// for an unknown type.
func Strange(d Data) string {
	switch x := d.(type) {
	case nil, Unknown:
		return ""
	case RunStarted:
		for _, s := range []string{x.Project, x.From} {
			if !isHex(s) {
				return fmt.Sprintf("%.80q is not a workspace", s)
			}
		}
	}
	return strange(reflect.ValueOf(d))
}

var (
	nameType   = reflect.TypeFor[Name]()
	treeType   = reflect.TypeFor[Tree]()
	digestType = reflect.TypeFor[Digest]()
)

func strange(v reflect.Value) string {
	what := ""
	switch {
	case v.Type() == nameType:
		if n := Name(v.String()); n != "" && !n.Valid() {
			what = fmt.Sprintf("%.80q is not a valid name", v.String())
		}
	case v.Type() == refType, v.Type() == treeType, v.Type() == digestType:
		if !isHex(v.String()) {
			what = fmt.Sprintf("%.80q is not a hash", v.String())
		}
	case v.Kind() == reflect.Struct:
		for i := 0; i < v.NumField() && what == ""; i++ {
			what = strange(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		for i := 0; i < v.Len() && what == ""; i++ {
			what = strange(v.Index(i))
		}
	}
	return what
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
