package removal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/store/blob"
	"autopilot/events"
)

func TestACensusFindsEveryNameWhateverTheEventIs(t *testing.T) {
	t.Parallel()
	ref := func(text string) events.Ref { return blob.Name([]byte(text)) }
	a, b, c, d, e, unknown := ref("a"), ref("b"), ref("c"), ref("d"), ref("e"), ref("unknown")
	tree := strings.Repeat("ab", 20)
	const effect, other, unnamed = "01JZ0000000000000000000000", "01JZ0000000000000000000001", "01JZ0000000000000000000002"
	cs := newCensus(0)
	cs.askTrees("ws")
	for _, dir := range []string{effect + "-again", other, unnamed, "try-" + effect, "x"} {
		cs.askEffect(dir)
	}
	for _, r := range []events.Ref{a, b, c, d, e, "", "junk"} {
		cs.ask(r)
	}
	cs.add([]byte(`{"prevhash":"`+string(e)+`","data":{"task":"`+string(a)+`","x":"\"","list":["`+string(b)+`"],"tree":"`+tree+`"}}`), party{keeps, "k", "ws"})
	cs.add([]byte(`{"data":{"task":"`+string(b)+`","note":"`+string(c)+`","unknown":"`+string(unknown)+`","tree":"`+strings.Repeat("cd", 20)+`","effect":"`+effect+`"}}`), party{leaves, "r", "ws"})
	cs.add([]byte(`{"data":{}}`), party{leaves, "nothing", "ws"})
	cs.add([]byte(`damaged `+string(c)+`0 `+string(d)+" "+other), party{})
	cs.add([]byte(`"`+string(e)+`"`), party{left, "l", "ws"})
	got := map[string]named{"effect": cs.effect(effect), "again": cs.effect(effect + "-again"), "other effect": cs.effect(other), "no effect": cs.effect(unnamed)}
	for name, r := range map[string]events.Ref{"a": a, "b": b, "c": c, "d": d, "e": e, "unknown": unknown} {
		got[name] = cs.text(r)
	}
	want := map[string]named{
		"a": {kept: true}, "b": {kept: true, left: true}, "c": {left: true}, "d": {kept: true}, "e": {}, "unknown": {},
		"effect": {left: true}, "again": {left: true}, "other effect": {kept: true}, "no effect": {},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(named{})); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	if trees := cs.trees["ws"]; !trees[events.Tree(tree)] || len(trees) != 3 || len(cs.trees) != 1 {
		t.Errorf("trees %v", cs.trees)
	}
	if diff := cmp.Diff(map[string]bool{"r": true}, cs.had); diff != "" {
		t.Errorf("runs that had some (-want +got):\n%s", diff)
	}
}

// BenchmarkCensus counts an event as they are on average, of a log whose texts
// are asked about.
func BenchmarkCensus(b *testing.B) {
	c := newCensus(0)
	event := []byte(strings.Repeat(`"field":"0123456789","list":[1,2,3],`, 8))
	for i := range 100_000 {
		c.ask(blob.Name([]byte{byte(i), byte(i >> 8), byte(i >> 16)}))
	}
	for _, name := range []string{"a", "b", "c"} {
		event = append(event, `"ref":"`+string(blob.Name([]byte(name)))+`",`...)
	}
	b.SetBytes(int64(len(event)))
	for b.Loop() {
		c.add(event, party{keeps, "r", ""})
	}
}
