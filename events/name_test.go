package events

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, n := range []Name{"a", "0", "go-test_1", Name(strings.Repeat("a", 64))} {
		if !n.Valid() {
			t.Errorf("%q is refused", n)
		}
	}
	for _, n := range []Name{"", "-a", "_a", "A", "a b", "a.b", "ä", "a\n", Name(strings.Repeat("a", 65))} {
		if n.Valid() {
			t.Errorf("%q is accepted", n)
		}
	}
}
