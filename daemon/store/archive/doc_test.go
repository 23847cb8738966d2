package archive_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"autopilot/daemon/store/archive"
)

func TestTheContractNamesEveryMember(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/bundle.md")
	must(t, err)
	for _, typ := range []reflect.Type{reflect.TypeFor[archive.Manifest](), reflect.TypeFor[archive.Run](), reflect.TypeFor[archive.Text]()} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/bundle.md does not speak of %s of %s", name, typ)
			}
		}
	}
}
