//go:build linux

package crashtest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/failpoint"
	"autopilot/events/wire"
)

// mornings are the commands that look back, each with what its answer has to be
// about the only run that there is.
func mornings(run wire.RunView) map[string]func(testing.TB, answer) {
	id := run.ID
	return map[string]func(testing.TB, answer){
		"report --since 7d --json": func(t testing.TB, a answer) {
			n := 0
			for _, p := range data[wire.ReportView](t, a).Parts {
				for _, r := range p.Runs {
					if n++; r.Run.ID != id || r.What == "" || r.Next.Command == "" {
						t.Errorf("%v", a)
					}
				}
			}
			if n != 1 {
				t.Errorf("%d runs: %v", n, a)
			}
		},
		"inbox --json": func(t testing.TB, a answer) {
			for _, i := range data[wire.InboxView](t, a).Items {
				if i.ID != id {
					t.Errorf("%v", a)
				}
			}
		},
		"why " + id + " --json": func(t testing.TB, a answer) {
			if w := data[wire.WhyView](t, a); w.Run.ID != id || w.Because == "" || w.Settled == nil {
				t.Errorf("%v", a)
			}
		},
		"retro " + id + " --json": func(t testing.TB, a answer) {
			if r := data[wire.RetroView](t, a); r.Run == nil || r.Run.ID != id || r.Run.Seq < 1 || r.Run.Back > 0 {
				t.Errorf("%v", a)
			}
		},
		"retro " + id + " --format html": whole("<!DOCTYPE html>", "</html>"),
		"retro " + id + " --format md":   whole("## Run", "*"),
		"retro --since 7d --json": func(t testing.TB, a answer) {
			if r := data[wire.RetroView](t, a); r.Many == nil || r.Many.Runs != 1 || r.Many.Unread != 0 {
				t.Errorf("%v", a)
			}
		},
		"events " + id + " --json":           chained,
		"replay " + id + " --speed 0 --json": func(t testing.TB, a answer) { steps(t, a, id) },
		"status " + id + " --json": func(t testing.TB, a answer) {
			if v := data[wire.RunView](t, a); v.ID != id || v.ActiveMS < 0 {
				t.Errorf("%v", a)
			}
		},
		"status --line": whole("ap off: ", "old)"),
	}
}

// whole says that a text has its beginning and its end.
func whole(from, to string) func(testing.TB, answer) {
	return func(t testing.TB, a answer) {
		text := strings.TrimSpace(string(a.stdout))
		if !strings.HasPrefix(text, from) || !strings.HasSuffix(text, to) {
			t.Errorf("%v", a)
		}
	}
}

// chained says that events come in their order, without a gap.
func chained(t testing.TB, a answer) {
	seq := uint64(0)
	for l := range bytes.Lines(a.stdout) {
		var f struct {
			Data struct {
				Event struct {
					Seq uint64 `json:"seq"`
				} `json:"event"`
				End bool `json:"end"`
			} `json:"data"`
		}
		if err := json.Unmarshal(l, &f); err != nil {
			t.Fatalf("%v: %v", err, a)
		}
		if f.Data.End {
			continue
		}
		if seq++; f.Data.Event.Seq != seq {
			t.Fatalf("event %d is number %d: %v", f.Data.Event.Seq, seq, a)
		}
	}
	if seq == 0 {
		t.Errorf("no event: %v", a)
	}
}

func steps(t testing.TB, a answer, id string) {
	seq := uint64(0)
	for l := range bytes.Lines(a.stdout) {
		f := data[wire.ReplayFrame](t, answer{a.args, a.code, l, a.stderr})
		if seq++; f.Seq != seq || f.View.ID != id || f.View.ActiveMS < 0 || f.Line == "" {
			t.Fatalf("step %d: %v", seq, a)
		}
	}
}

func TestEachCommandOfTheMorningIsTheFirstAfterACrash(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		failpoint.BeforeAppend + ":4", failpoint.AfterAppend + ":5", failpoint.AfterLaunch + ":2", failpoint.AfterAgent + ":1", failpoint.AfterGate + ":2",
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.repo(w.path("ws"), map[string]string{"n": "0\n"})
			d := w.arm(point)
			w.apctl("run", "-d", "look <b>back</b>", "-C", w.path("ws"), "--max-iterations", "2", "--gate", "ok=test -f ok", "--agent-cmd", `echo "$AUTOPILOT_ITERATION" > n`)
			if !d.killed() {
				t.Fatal("the daemon was not killed")
			}
			runs := data[wire.ListReply](t, w.must("ls", "--all", "--json")).Runs
			if len(runs) != 1 {
				t.Fatalf("%d runs", len(runs))
			}
			// It keeps what it saw, and on a busy host it waits for nobody.
			w.eventually("a line is kept", func() bool {
				v := data[wire.LineView](t, w.must("status", "--line", "--json"))
				return v.Daemon == wire.LineOn || v.Daemon == wire.LineIdle
			})
			for line, check := range mornings(runs[0]) {
				w.killDaemon()
				check(t, w.must(strings.Fields(line)...))
			}
			w.must("daemon", "start")
			if a := w.apctl("wait", runs[0].ID, "--timeout", "60s"); a.code != 11 {
				t.Errorf("it ends otherwise than without kills: %v", a)
			}
			w.close()
		})
	}
}
