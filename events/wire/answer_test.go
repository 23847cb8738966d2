package wire_test

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

func TestAFileThatNoTextShowsIsNamedByItsHash(t *testing.T) {
	t.Parallel()
	hash := func(c string) string { return strings.Repeat(c, 64) }
	few := []wire.OpaqueFile{{Path: "a", Hash: hash("a")}, {Path: "b", Hash: hash("b")}}
	for seen, want := range map[string]string{
		"": "a", "aaaaaa": "b", "AAAAAA bbbbbb": "", "aaaaa bbbbbb": "a", "bbbbbb": "a", hash("a") + " " + hash("b"): "", hash("a") + "a bbbbbb": "a",
	} {
		if f, unseen := wire.Unseen(few, strings.Fields(seen)); f.Path != want || unseen != (want != "") {
			t.Errorf("%q: %+v %v", seen, f, unseen)
		}
	}
	many := make([]wire.OpaqueFile, 300)
	for i := range many {
		many[i] = wire.OpaqueFile{Path: string(rune('a' + i)), Hash: hash("c"), Bytes: 2}
	}
	all := wire.ToName(many)
	if len(all) != 1 || all[0].Path != "" || all[0].Bytes != 600 {
		t.Fatalf("many: %+v", all)
	}
	if _, unseen := wire.Unseen(many, []string{all[0].Hash[:6]}); unseen {
		t.Error("one hash of them all is not enough")
	}
	many[7].Path = "other"
	if _, unseen := wire.Unseen(many, []string{all[0].Hash[:6]}); !unseen {
		t.Error("the hash says nothing of the paths")
	}
}
