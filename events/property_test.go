package events

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDecodeIsTheInverseOfEncode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := drawEvent(rt)
		b, err := Encode(e)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := Decode(b)
		if err != nil {
			rt.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(e, got); d != "" {
			rt.Fatalf("%s\n(-want +got):\n%s", b, d)
		}
		again, err := Encode(got)
		if err != nil || string(again) != string(b) {
			rt.Fatalf("encoded again: %s, %v\nwas: %s", again, err, b)
		}
	})
}

// drawEvent draws an event of any registered type, or of an unknown one.
func drawEvent(rt *rapid.T) Event {
	e := Event{
		ID:        rapid.StringMatching(`[0-9A-HJKMNP-TV-Z]{26}`).Draw(rt, "id"),
		Source:    rapid.String().Draw(rt, "source"),
		Aggregate: Aggregate{rapid.SampledFrom(kinds).Draw(rt, "kind"), rapid.StringMatching(`[A-Za-z0-9_-]{1,128}`).Draw(rt, "aggregate")},
		Time:      time.Unix(rapid.Int64Range(0, 1<<37).Draw(rt, "seconds"), rapid.Int64Range(0, 999999999).Draw(rt, "nanoseconds")).UTC(),
		Seq:       rapid.Uint64Min(1).Draw(rt, "seq"),
		Actor:     rapid.String().Draw(rt, "actor"),
		Causation: rapid.String().Draw(rt, "causation"),
		Trace:     rapid.String().Draw(rt, "trace"),
	}
	if e.Seq > 1 {
		e.PrevHash = Hash([]byte(e.ID))
	}
	if rapid.Bool().Draw(rt, "extra") {
		key := rapid.StringMatching(`x[a-z]{0,8}`).Draw(rt, "member")
		e.Extra = jsontext.Value(fmt.Sprintf(`{%q:%s}`, key, drawJSON(rt)))
	}
	if rapid.IntRange(0, 9).Draw(rt, "unknown") == 0 {
		e.Data = Unknown{Type: rapid.StringMatching(`[a-z]+\.[a-z]+\.v99`).Draw(rt, "type"), Raw: drawJSON(rt)}
		return e
	}
	typ := rapid.SampledFrom(sortedTypes()).Draw(rt, "type")
	v := reflect.New(reflect.TypeOf(sampleData[typ])).Elem()
	drawValue(rt, v)
	e.Data = v.Interface().(Data)
	return e
}

var kinds = []Kind{KindRun, KindClaim, KindAccount, KindPeer, KindHost}

func sortedTypes() []string {
	out := make([]string, 0, len(decoders))
	for typ := range decoders {
		out = append(out, typ)
	}
	slices.Sort(out)
	return out
}

func drawJSON(rt *rapid.T) jsontext.Value {
	return jsontext.Value(rapid.SampledFrom([]string{
		`null`, `true`, `""`, `0`, `-1.50e3`, `123456789012345678901234567890`, `[]`, `{}`, `{"b":1,"a":[{"c":null}]}`, `"\u2028<é"`,
	}).Draw(rt, "json"))
}

// drawValue fills a value of the kinds that data is made of. It fails on any
// other, so that a new kind of member is thought about here first.
func drawValue(rt *rapid.T, v reflect.Value) {
	name := v.Type().String()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			drawValue(rt, v.Field(i))
		}
	case reflect.Slice:
		// An empty list without omitzero is written as [], so nil is not drawn.
		n := rapid.IntRange(1, 3).Draw(rt, name)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			drawValue(rt, v.Index(i))
		}
	case reflect.String:
		v.SetString(rapid.String().Draw(rt, name))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(rt, name))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(rt, name))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(rt, name))
	default:
		rt.Fatalf("data has a member of kind %s (%s)", v.Kind(), name)
	}
}
