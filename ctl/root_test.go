package ctl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A call builds its command alone. It is the one of the whole tree.
func TestACommandAloneIsThatOfTheTree(t *testing.T) {
	t.Parallel()
	tree := Commands(World{})
	for _, c := range commands {
		args := []string{c.name, "--help"}
		root := newRoot(&app{World: World{Args: args}}, called(args))
		alone, _, err := root.Find(args[:1])
		if err != nil || alone.Name() != c.name {
			t.Errorf("%s: %v %v", c.name, alone.CommandPath(), err)
			continue
		}
		whole, _, err := tree.Find(args[:1])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(whole.GroupID+whole.UsageString(), alone.GroupID+alone.UsageString()); d != "" {
			t.Errorf("%s (-tree +alone):\n%s", c.name, d)
		}
	}
	for _, args := range [][]string{nil, {"--json"}, {"help", "run"}, {"__complete", "run"}, {"claims"}, {"rum"}} {
		if name := called(args); name != "" {
			t.Errorf("%v builds %s alone", args, name)
		}
	}
}
