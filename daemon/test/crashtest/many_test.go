//go:build linux

package crashtest

import (
	"fmt"
	"sync"
	"testing"

	"autopilot/events/wire"
)

// many is more than a machine runs at once, and more than fits into one round of
// anything that works in tens or hundreds.
const many = 104

// views asks for every run at the same time, and reads the answers.
func (w *world) views(args func(i int) []string) (out [many]wire.RunView) {
	w.t.Helper()
	var answers [many]answer
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = w.must(args(i)...) })
	}
	wg.Wait()
	for i, a := range answers {
		out[i] = data[wire.RunView](w.t, a)
	}
	return out
}

func TestManyRunsAreStartedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := func(i int) string { return w.path(fmt.Sprintf("ws/%d", i)) }
	w.repo(repo(0), map[string]string{"n": "0\n"})
	for i := 1; i < many; i++ {
		must(t, "cp", "-r", repo(0), repo(i))
	}
	// Each is over with its baseline: it is their start that is looked at.
	runs := w.views(func(i int) []string {
		return []string{"run", "-d", "--json", "end", "-C", repo(i), "--gate", "ok=test -f n", "--until-green", "--agent-cmd", "true"}
	})
	ids, handles := map[string]bool{}, map[string]bool{}
	for _, v := range runs {
		ids[v.ID], handles[v.Handle] = true, true
	}
	if len(ids) != many || len(handles) != many {
		t.Errorf("%d runs were started, with %d ids and %d handles", many, len(ids), len(handles))
	}
	for i, v := range w.views(func(i int) []string { return []string{"status", runs[i].Handle, "--json"} }) {
		if v.ID != runs[i].ID {
			t.Errorf("the status of %s is that of %s", runs[i].ID, v.ID)
		}
	}
	for _, v := range runs {
		if v = data[wire.RunView](t, w.apctl("wait", v.ID, "--json", "--timeout", "60s")); v.State != "already-green" {
			t.Errorf("run %s is %s %s, want already-green", v.ID, v.State, v.Reason)
		}
	}
	if n := len(data[wire.ListReply](t, w.must("ls", "--all", "--json")).Runs); n != many {
		t.Errorf("%d runs are listed, %d were started", n, many)
	}
	w.close()
}
