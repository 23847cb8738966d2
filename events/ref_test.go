package events

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefsListsEveryBlobThatAnEventNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		data Data
		want []Ref
	}{
		{RunHalted{Files: "f", Question: "q"}, []Ref{"f", "q"}},
		{GatesJudged{Results: []GateResult{{Excerpt: "a", FailingSum: "no blob"}, {Files: "b"}}, Created: "c"}, []Ref{"a", "b", "c"}},
		{RunSuspended{MS: 1}, nil},
		{Unknown{Type: "x.v1"}, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Refs(tt.data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.data.EventType(), diff)
		}
	}
}
