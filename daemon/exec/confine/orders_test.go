package confine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestOrdersArriveAsTheyWereGiven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }), 0, 4)
		var o orders
		for _, l := range o.texts() {
			if s := list.Draw(t, "list"); len(s) > 0 {
				*l = s
			}
		}
		o.path, o.dir, o.marker = "/p\xff", "/d", "A=b"
		o.parent, o.plan.Strict, o.mounting, o.group = 7, rapid.Bool().Draw(t, "strict"), rapid.Bool().Draw(t, "mounting"), true
		b := o.encode()
		got, err := decodeOrders(b)
		if diff := cmp.Diff(o, got, cmp.AllowUnexported(orders{})); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
		if _, err := decodeOrders(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")]); err == nil {
			t.Fatal("orders that were cut are read")
		}
	})
}

func FuzzOrders(f *testing.F) {
	f.Add((&orders{path: "/p", argv: []string{"x", ""}}).encode())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = decodeOrders(b) })
}
