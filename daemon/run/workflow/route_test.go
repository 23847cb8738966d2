package workflow

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/projections/route"
)

// The router knows the workflows that ship by their names, as apctl asks it without a
// daemon: one that ships and is not known there would never be recommended, and one that
// is known and does not ship cannot be run.
func TestTheRouterKnowsTheWorkflowsThatShip(t *testing.T) {
	t.Parallel()
	ship, known := slices.Sorted(slices.Values(Names())), route.Shipped()
	ship = slices.DeleteFunc(ship, func(name string) bool { return name == "land" }) // accept starts it, and no prompt asks for it
	if diff := cmp.Diff(ship, known); diff != "" {
		t.Error(diff)
	}
}
