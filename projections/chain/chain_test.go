package chain

import "testing"

func TestTheFirstEventThatDoesNotFollowIsRemembered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		seqs []uint64
		want Log
	}{
		{"none", nil, Log{}},
		{"a whole log", []uint64{1, 2, 3}, Log{Seq: 3}},
		{"without its beginning", []uint64{2, 3}, Log{Seq: 3, Broken: 2}},
		{"a gap, and another", []uint64{1, 3, 7}, Log{Seq: 7, Broken: 3}},
		{"one twice", []uint64{1, 1, 2}, Log{Seq: 2, Broken: 1}},
	} {
		var l Log
		for _, seq := range tt.seqs {
			l = l.Next(seq)
		}
		if l != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, l, tt.want)
		}
	}
}
