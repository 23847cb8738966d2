package sheet

import (
	"testing"
	"time"

	"autopilot/events/wire"
)

func TestARunWithoutItsTaskSaysThatItIsNotThereAnyMore(t *testing.T) {
	t.Parallel()
	if d := Make(wire.RetroView{Run: &wire.RetroRun{Handle: "k3xq"}}, time.UTC, Page()); d.Task != "(erased or pruned)" {
		t.Errorf("got %q", d.Task)
	}
	if task("make it so") != "make it so" {
		t.Error("a task that is there is not shown")
	}
}
