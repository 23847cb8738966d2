//go:build linux

package crashtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
)

// queueAgent makes the file of its item. Every fifth item also writes a file that others
// write, so that their landings conflict; what a landing sends back it brings together with
// the branch of the queue.
const queueAgent = `p=$(cat)
n=$(printf '%s' "$p" | sed -n 's/.*make \([a-z0-9]*\) now.*/\1/p' | head -1)
case "$p" in *"merge that branch"*)
	git -c user.name=a -c user.email=a@localhost merge -q -X ours -m join autopilot/queue-night
	if test -f red1 && test -f red2; then echo both > mended; fi
	echo "$n" > "again-$n";;
esac
case "$n" in *0|*5) echo "$n" > shared;; esac
if test "$n" != never; then echo "$n" > "$n"; else echo no > wrong; fi
`

// queueSuite is red on a tree that has both of two items whose work merges cleanly.
const queueSuite = `test ! -f red1 || test ! -f red2 || test -f mended
`

// queueItems is a file of n items with dependencies, and of some that cannot get done.
func queueItems(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "items:\n")
	add := func(name string, after ...string) {
		fmt.Fprintf(&b, "  - {name: %[1]s, task: make %[1]s now, after: [%[2]s], limits: {iterations: 2}, gates: {own: test -f %[1]s, suite: {run: sh suite.sh, role: invariant}}}\n",
			name, strings.Join(after, ", "))
	}
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("i%d", i)
		if i%4 == 0 {
			add(name, fmt.Sprintf("i%d", i-3))
		} else {
			add(name)
		}
	}
	add("red1")
	add("red2")
	add("never")
	add("behind", "never")
	return b.String()
}

// TestQueueLandsEachItemOnceWhateverIsKilled works a queue off while its daemon is killed
// at random: the branch passes all gates, each item is on it once, or named with its reason.
func TestQueueLandsEachItemOnceWhateverIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ws := w.path("ws")
	w.repo(ws, map[string]string{"base": "ok\n", "suite.sh": queueSuite, "mine": "unchanged\n"})
	if err := os.WriteFile(filepath.Join(ws, "mine"), []byte("changed by hand\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file, agent := w.path("queue.yaml"), w.path("agent.sh")
	for path, text := range map[string]string{file: queueItems(*queued), agent: queueAgent} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(args ...string) answer { return w.command(ws, nil, filepath.Join(bin, "apctl"), args...) }
	for _, args := range [][]string{
		{"queue", "new", "night", "--from", file, "--agent-cmd", "sh " + agent}, {"queue", "run", "night", "--parallel", "2", "-d"},
	} {
		if a := in(args...); a.code != 0 {
			t.Fatalf("%v", a)
		}
	}
	random := rand.New(rand.NewPCG(*seed, 1))
	kills := 0
	var v wire.QueueView
	for end := time.Now().Add(20 * time.Minute); ; {
		a := in("queue", "show", "night", "--json")
		if a.code != 0 {
			t.Fatalf("%v", a)
		}
		if v = data[wire.QueueView](t, a); v.State != wire.QueueIsOpen && v.Counts["running"]+v.Counts["landing"] == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("it does not end: %v", a)
		}
		time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond) // a kill at any step
		if kills < *queued && w.killDaemon() {
			kills++
		}
	}
	t.Logf("%d items, %d kills: %v", len(v.Items), kills, v.Counts)
	for _, i := range v.Items {
		want := cmp.Or(map[string]string{"never": "halted", "behind": "blocked"}[string(i.Name)], "landed")
		if i.State != want {
			t.Errorf("%s is %s (%s), want %s", i.Name, i.State, i.Detail, want)
		}
	}
	landedOnce(t, w, ws, v)
	w.close()
}

// landedOnce proves the branch of the queue: it passes the gates, and has each landed item
// by one commit of its first line.
func landedOnce(t *testing.T, w *world, ws string, v wire.QueueView) {
	t.Helper()
	git := func(dir string, args ...string) string {
		a := w.command(dir, nil, "git", args...)
		if a.code != 0 {
			t.Fatalf("git %v: %v", args, a)
		}
		return string(a.stdout)
	}
	if out := git(ws, "status", "--porcelain"); strings.TrimSpace(out) != "M mine" {
		t.Errorf("the user's tree: %q", out)
	}
	line := git(ws, "log", "--first-parent", "--format=%H %s", "HEAD..autopilot/queue-night")
	there := w.path("landed")
	git(ws, "worktree", "add", "-q", "--detach", there, "autopilot/queue-night")
	if a := w.command(there, nil, "sh", "suite.sh"); a.code != 0 {
		t.Errorf("the suite on the branch: %v", a)
	}
	for _, i := range v.Items {
		if i.State != "landed" {
			continue
		}
		name := string(i.Name)
		if text, err := os.ReadFile(filepath.Join(there, name)); err != nil || string(text) != name+"\n" {
			t.Errorf("%s on the branch: %q, %v", name, text, err)
		}
		if n := strings.Count(line, i.Commit+" "); n != 1 {
			t.Errorf("%s landed %d times on the branch as %s", name, n, i.Commit)
		}
		if n := strings.Count(line, ": make "+name+" now\n"); n != 1 {
			t.Errorf("the branch has %d merges of %s:\n%s", n, name, line)
		}
	}
}
