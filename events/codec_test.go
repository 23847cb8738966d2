package events

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestUnknownTypesAndMembersSurviveARoundTrip(t *testing.T) {
	t.Parallel()
	raw := `{"specversion":"1.0","id":"1","source":"s","type":"run.teleported.v9","subject":"run.a","time":"2030-01-01T00:00:00Z",` +
		`"seq":1,"actor":"a","data":{"z":1.50,"a":[null,{"b":"\u00e9"}]},"partition":"left","dataschema":{"v":[1]}}`
	e, err := Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if u, ok := e.Data.(Unknown); !ok || u.Type != "run.teleported.v9" {
		t.Fatalf("data is %#v", e.Data)
	}
	again, err := Encode(e)
	if err != nil || string(again) != raw {
		t.Fatalf("encoded again:\n%s\n%v\nwas:\n%s", again, err, raw)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	whole := strings.TrimSuffix(string(sampleFile(t, TypeRunResumed)), "\n")
	data := strings.TrimSuffix(whole[strings.Index(whole, `{"note":`):], "}")
	for name, c := range map[string]struct{ old, new, want string }{
		"a duplicate name in the envelope":  {`"actor":`, `"id":"2","actor":`, "appears twice"},
		"a duplicate unknown name":          {`"actor":`, `"x":1,"x":2,"actor":`, "appears twice"},
		"a duplicate name in the data":      {`{"note":`, `{"note":"","note":`, "appears twice"},
		"a duplicate name in unknown data":  {`run.resumed.v1","subject"`, `run.resumed.v9","x":{"a":1,"a":2},"subject"`, "appears twice"},
		"another version of CloudEvents":    {`"1.0"`, `"0.3"`, "specversion"},
		"no type":                           {`"run.resumed.v1"`, `""`, "no type"},
		"no data":                           {`,"data":` + data, ``, "no data"},
		"data of another form":              {data, `[1]`, "want an object"},
		"an unknown kind of aggregate":      {`"run.01`, `"dog.01`, "unknown kind"},
		"an aggregate with a wildcard":      {`"run.01JH4Z9QW3E8N5T7V2X0Y6P4F2"`, `"run.>"`, "kind.id"},
		"an aggregate of several tokens":    {`"run.01JH4Z9QW3E8N5T7V2X0Y6P4F2"`, `"run.a.b"`, "kind.id"},
		"no id":                             {`"id":"01JH4Z9QW3E8N5T7V2X0Y6A1B0"`, `"id":""`, "no id"},
		"no sequence":                       {`"seq":10,`, ``, "no sequence"},
		"a negative sequence":               {`"seq":10`, `"seq":-1`, "seq"},
		"a first event with a previous one": {`"seq":10`, `"seq":1`, "previous hash"},
		"a time that is none":               {`2026-11-27T21:49:42.123456789Z`, `yesterday`, "time"},
		"no time":                           {`"time":"2026-11-27T21:49:42.123456789Z",`, ``, "no time"},
		"trailing bytes":                    {`"}}`, `"}} {}`, "after top-level value"},
		"a cut end":                         {`"}}`, `"}`, "ends too early"},
		"invalid UTF-8":                     {`"actor":"`, "\"actor\":\"\xff", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(whole, c.old) {
				t.Fatalf("the sample has no %s", c.old)
			}
			_, err := Decode([]byte(replaceLast(whole, c.old, c.new)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

// replaceLast is a text with its last old replaced.
func replaceLast(text, old, by string) string {
	i := strings.LastIndex(text, old)
	return text[:i] + by + text[i+len(old):]
}

func TestWhatIsWrittenIsReadQuickly(t *testing.T) {
	t.Parallel()
	for typ := range decoders {
		raw := sampleFile(t, typ)
		full, err := decodeFull(raw)
		if err != nil {
			t.Fatal(err)
		}
		if full.Extra != nil {
			continue
		}
		quick, ok := decodeQuick(raw)
		if d := cmp.Diff(full, quick); !ok || d != "" {
			t.Errorf("%s: %t (-full +quick):\n%s", typ, ok, d)
		}
	}
}

func TestAnotherFormIsNotReadQuickly(t *testing.T) {
	t.Parallel()
	whole := string(sampleFile(t, TypeRunResumed))
	for name, c := range map[string]struct{ old, new string }{
		"a space":                  {`"seq":10`, `"seq": 10`},
		"a member that is missing": {`"seq":10,`, ``},
		"a number with a sign":     {`"seq":10`, `"seq":+10`},
		"a number with a nought":   {`"seq":10`, `"seq":010`},
		"a member more":            {`"}}`, `"},"x":1}`},
		"data twice":               {`"}}`, `"},"data":{}}`},
		"an escape":                {`"actor":"`, `"actor":"\u0061`},
		"more than ASCII":          {`"actor":"`, `"actor":"ä`},
		"a type that is unknown":   {`run.resumed.v1`, `run.resumed.v9`},
		"an end that is cut off":   {`"}}`, `"}`},
		"something behind the end": {`"}}`, `"}} `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(whole, c.old) {
				t.Fatalf("the sample has no %s", c.old)
			}
			if _, ok := decodeQuick([]byte(replaceLast(whole, c.old, c.new))); ok {
				t.Error("it is")
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Event)
		want   string
	}{
		"no id":                              {func(e *Event) { e.ID = "" }, "no id"},
		"no data":                            {func(e *Event) { e.Data = nil }, "no data"},
		"no aggregate":                       {func(e *Event) { e.Aggregate = Aggregate{} }, "no aggregate"},
		"no sequence":                        {func(e *Event) { e.Seq = 0 }, "no sequence"},
		"a later event without a hash":       {func(e *Event) { e.PrevHash = "" }, "previous hash"},
		"a first event with a hash":          {func(e *Event) { e.Seq = 1 }, "previous hash"},
		"unknown data that is none":          {func(e *Event) { e.Data = Unknown{Type: "x.v1"} }, "without type or bytes"},
		"unknown data with duplicates":       {func(e *Event) { e.Data = Unknown{"x.v1", jsontext.Value(`{"a":1,"a":2}`)} }, "duplicate"},
		"an unknown member of a known name":  {func(e *Event) { e.Extra = jsontext.Value(`{"seq":7}`) }, "duplicate"},
		"unknown members that are no object": {func(e *Event) { e.Extra = jsontext.Value(`[1]`) }, "object"},
		"invalid UTF-8":                      {func(e *Event) { e.Actor = "\xff" }, "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := sampleEnvelope(3)
			e.Data = RunResumed{}
			c.change(&e)
			_, err := Encode(e)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestEventsOver64KiBAreRefusedBothWays(t *testing.T) {
	t.Parallel()
	e := sampleEnvelope(3)
	e.Data = RunResumed{}
	least, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	e.Actor += strings.Repeat("x", MaxBytes-len(least))
	largest, err := Encode(e)
	if err != nil || len(largest) != MaxBytes {
		t.Fatalf("%d bytes: %v", len(largest), err)
	}
	if _, err := Decode(largest); err != nil {
		t.Fatal(err)
	}
	e.Actor += "x"
	if _, err := Encode(e); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("encode: %v", err)
	}
	if _, err := Decode(append(largest, ' ')); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("decode: %v", err)
	}
}

// Three versions of a type that exists only here.
type movedV3 struct {
	Metres int `json:"metres"`
}

func (movedV3) EventType() string { return "moved.v3" }

func step(to string, change func(n int) int, from, into string) Upcaster {
	return Upcaster{To: to, Data: func(raw jsontext.Value) (jsontext.Value, error) {
		var v map[string]int
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, err
		}
		return jsontext.Value(`{"` + into + `":` + strconv.Itoa(change(v[from])) + `}`), nil
	}}
}

func TestUpcastersLeadARetiredTypeToTheCurrentOne(t *testing.T) {
	t.Parallel()
	dec := map[string]func(jsontext.Value) (Data, error){"moved.v3": decodeAs[movedV3]}
	up := map[string]Upcaster{
		"moved.v1":  step("moved.v2", func(n int) int { return n * 1000 }, "km", "m"),
		"moved.v2":  step("moved.v3", func(n int) int { return n }, "m", "metres"),
		"turned.v1": step("turned.v2", func(n int) int { return n }, "a", "b"),
	}
	for _, c := range []struct {
		typ, raw string
		want     Data
	}{
		{"moved.v1", `{"km":7}`, movedV3{7000}},
		{"moved.v2", `{"m":7}`, movedV3{7}},
		{"moved.v3", `{"metres":7}`, movedV3{7}},
		{"moved.v4", `{"metres":7}`, Unknown{"moved.v4", jsontext.Value(`{"metres":7}`)}},
		// A chain that ends at a type not known here changes nothing.
		{"turned.v1", `{"a":1}`, Unknown{"turned.v1", jsontext.Value(`{"a":1}`)}},
	} {
		got, err := decodeWith(dec, up, c.typ, jsontext.Value(c.raw))
		if err != nil {
			t.Fatalf("%s: %v", c.typ, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.typ, d)
		}
	}
	if _, err := decodeWith(dec, up, "moved.v1", jsontext.Value(`[]`)); err == nil {
		t.Error("a step that fails is not an error")
	}
}

func TestUpcastersEndAtARegisteredType(t *testing.T) {
	t.Parallel()
	for typ := range upcasters {
		seen := map[string]bool{}
		for at := typ; ; {
			if seen[at] {
				t.Fatalf("the upcasters of %s run in a circle", typ)
			}
			seen[at] = true
			next, ok := upcasters[at]
			if !ok {
				if decoders[at] == nil {
					t.Errorf("the upcasters of %s end at %s, which is not registered", typ, at)
				}
				break
			}
			at = next.To
		}
	}
}

func TestHashChain(t *testing.T) {
	t.Parallel()
	if got := Hash([]byte("abc")); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Fatalf("hash of abc is %s", got)
	}
	prev := ""
	for seq := range uint64(3) {
		e := sampleEnvelope(seq + 1)
		e.PrevHash, e.Data = prev, RunSuspended{MS: 1}
		b, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b)
		if err != nil || got.PrevHash != prev {
			t.Fatalf("previous hash %q, %v, want %q", got.PrevHash, err, prev)
		}
		prev = Hash(b)
	}
}

func TestAggregates(t *testing.T) {
	t.Parallel()
	for _, a := range []Aggregate{Run("01J"), {KindHost, "9c1f"}, {KindClaim, "a-b_C"}, {KindAccount, "0"}, {KindPeer, "p"}} {
		got, err := ParseAggregate(a.String())
		if err != nil || got != a {
			t.Errorf("%v: %v, %v", a, got, err)
		}
		if a.Subject() != "ap.event."+a.String() {
			t.Errorf("subject of %v is %s", a, a.Subject())
		}
	}
	for _, s := range []string{"", "run", "run.", ".a", "run.*", "run.a b", "run.ä", "run." + strings.Repeat("a", 129)} {
		if a, err := ParseAggregate(s); err == nil {
			t.Errorf("%q is %v", s, a)
		}
	}
}

func TestActors(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		ActorDaemon("h"):         "daemon:h",
		ActorLocal(1000, 7, "h"): "local:1000@h/7",
		ActorEffect("e", "h"):    "effect:e@h",
	} {
		if got != want {
			t.Errorf("actor %s, want %s", got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for typ := range decoders {
		f.Add(sampleFile(f, typ))
	}
	f.Add([]byte(`{"specversion":"1.0","id":"1","type":"x.v9","subject":"run.a","time":"2030-01-01T00:00:00Z","seq":1,"data":{"a":[1e999]},"x":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		quick, ok := decodeQuick(b)
		if full, err := decodeFull(b); ok && (err != nil || cmp.Diff(full, quick) != "") {
			t.Fatalf("read in full: %v\n%s", err, cmp.Diff(full, quick))
		}
		e, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Encode(e)
		if errors.Is(err, ErrTooLarge) {
			return // it was written with fewer bytes than our own form needs
		}
		if err != nil {
			t.Fatalf("encode what was decoded: %v", err)
		}
		back, err := Decode(again)
		if err != nil {
			t.Fatalf("decode what was encoded: %v", err)
		}
		twice, err := Encode(back)
		if err != nil || string(twice) != string(again) {
			t.Fatalf("not stable: %v\n%s\n%s", err, again, twice)
		}
	})
}
