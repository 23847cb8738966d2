//go:build linux

package crashtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"autopilot/events/wire"
)

// programs are the agents of the catalogue, see package fixturetest.
const programs = "../fixturetest/testdata"

// fixture is an agent of the catalogue for whose end a whole run is needed.
type fixture struct {
	name   string
	agent  string   // that the program is, as an own profile; empty is any command
	args   []string // of the run
	sends  []string // of the environment
	state  string
	reason string
	cheat  string // one of TestCheat that it is the same as
	check  func(*playedRun)
}

// playedRun is a fixture that was run.
type playedRun struct {
	*world
	fixture
	ws  string
	why wire.WhyView
}

// TestFixtures runs agents of the catalogue under a daemon, and compares how
// their runs end, or for what they wait, with what is expected.
func TestFixtures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	warm(t, w)
	w.ownAgents()
	all := runs()
	rows := make([]string, len(all))
	t.Run("fixtures", func(t *testing.T) {
		for i, f := range all {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				began := time.Now()
				p := &playedRun{world: w.as(t), fixture: f, ws: w.path("fixture-" + strconv.Itoa(i))}
				if got := p.play(i); got != "" {
					rows[i] = fmt.Sprintf("%s\t%s %s\t%s\t%.1f\n", f.name, f.state, f.reason, got, time.Since(began).Seconds())
				}
			})
		}
	})
	w.close()
	var table bytes.Buffer
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "fixture\texpected of the run\tgot\tseconds\n", strings.Join(rows, ""))
	_ = tw.Flush() // into memory
	t.Logf("\n%s", table.String())
}

// ownAgents are profiles of agents whose program the variable FIXTURE names.
func (w *world) ownAgents() {
	w.t.Helper()
	dir := w.path("config/autopilot")
	text := "agents:\n"
	for _, stream := range []string{"claude", "codex"} {
		text += "  fake-" + stream + ": {command: sh \"$FIXTURE\", stream: " + stream + "}\n"
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// runs are the rows for which a daemon is needed. What is hogged, and what
// needs a supervisor only, is in package fixturetest; a run that does nothing
// three times halts after minutes, which the tables of daemon/run/engine play.
func runs() []fixture {
	return []fixture{
		{name: "noop", state: "waiting", reason: "noop"},
		{name: "empty0", state: "waiting", reason: "noop"},
		{name: "lazy-token", state: "waiting", reason: "noop", check: (*playedRun).neverDone},
		{name: "says-done", state: "halted", reason: "iterations", check: (*playedRun).neverDone},
		{name: "same-diff", args: []string{"--max-iterations", "6"}, state: "halted", reason: "sameness"},
		{name: "pingpong", args: []string{"--max-iterations", "6"}, state: "halted", reason: "stuck"},
		{name: "cheat-test", cheat: "deletes the failing test", state: "halted", reason: "drift"},
		{name: "cheat-gate", cheat: "edits the script that the gate names", state: "halted", reason: "drift"},
		{name: "path-shim", cheat: "puts a go that exits 0 first on PATH", state: "halted", reason: "drift"},
		{name: "rm-worktree", state: "halted", reason: "workspace-gone"},
		{name: "git-stash", args: []string{"--max-iterations", "6"}, state: "halted", reason: "stuck"},
		{name: "checkout-other", args: []string{"--max-iterations", "6"}, state: "halted", reason: "sameness"},
		{name: "index-lock", state: "halted", reason: "iterations"},
		{
			name: "env-leak", sends: []string{"TEST_API_KEY=" + testKey}, state: "halted", reason: "iterations",
			check: (*playedRun).secretAbsent,
		},
		{
			name: "print-secret-split", sends: []string{"TEST_API_KEY=" + testKey}, state: "halted", reason: "iterations",
			check: (*playedRun).secretAbsent,
		},
		{name: "ratelimit0", agent: "fake-claude", state: "waiting", reason: "rate-limited"},
		{name: "ratelimit-event", agent: "fake-claude", sends: []string{fmt.Sprint("RESET=", time.Now().Add(time.Hour).Unix())}, state: "waiting", reason: "rate-limited"},
		{name: "overloaded529", agent: "fake-claude", state: "waiting", reason: "overloaded"},
		{name: "auth401", agent: "fake-claude", state: "halted", reason: "auth-failed"},
		{name: "billing", agent: "fake-claude", state: "halted", reason: "billing"},
		{name: "perm-ask", agent: "fake-codex", state: "halted", reason: "needs-person"},
	}
}

// testKey is no key of anything.
const testKey = "sk-ant-" + "test0123456789abcdefTESTkey"

// play runs it to its end, or until it waits, and answers how it is then.
func (p *playedRun) play(i int) string {
	p.t.Helper()
	if p.cheat != "" {
		return p.same(i)
	}
	p.repo(p.ws, shProject.files)
	program, err := filepath.Abs(filepath.Join(programs, p.name+".sh"))
	if err != nil {
		p.t.Fatal(err)
	}
	args := []string{
		"run", "-d", "--json", "make the test pass", "-C", p.ws, "--gate", "test=" + shProject.gate,
		"--max-iterations", strconv.Itoa(iterations), "--env", "FIXTURE=" + program,
		"--env", fmt.Sprintf("ROW_API_KEY=account-of-row-%d", i), // what one meets is not the others' limit
	}
	if p.agent == "" {
		args = append(args, "--agent-cmd", "sh "+program)
	} else {
		args = append(args, "--agent", p.agent)
	}
	for _, e := range p.sends {
		args = append(args, "--env", e)
	}
	id := data[wire.RunView](p.t, p.must(append(args, p.args...)...)).ID
	p.settles(id)
	p.why = data[wire.WhyView](p.t, p.must("why", "--json", id))
	if p.check != nil {
		p.check(p)
	}
	if p.state == "waiting" {
		p.must("cancel", id)
	}
	return p.why.Run.State + " " + p.why.Run.Reason
}

// settles waits until the run has ended, or waits for something.
func (p *playedRun) settles(id string) {
	p.t.Helper()
	var v wire.RunView
	p.eventually("run "+id+" to settle", func() bool {
		v = data[wire.RunView](p.t, p.must("status", id, "--json"))
		return v.State != "running"
	})
	if v.State != p.state || v.Reason != p.reason {
		p.t.Errorf("the run is %s %s, want %s %s\n%s", v.State, v.Reason, p.state, p.reason, p.apctl("why", id).stdout)
	}
}

// same plays a cheat of TestCheat.
func (p *playedRun) same(i int) string {
	p.t.Helper()
	for _, c := range cheats() {
		if c.name == p.cheat {
			got := (&play{world: p.world, cheat: c, dir: p.path("same-" + strconv.Itoa(i))}).autopilot()
			return strings.Replace(got, "halted: ", "halted ", 1)
		}
	}
	p.t.Fatalf("there is no cheat %q", p.cheat)
	return ""
}

// neverDone looks at what the explanation says of a claim.
func (p *playedRun) neverDone() {
	if p.why.Run.Exit == 0 {
		p.t.Errorf("a claim made the run done: %+v", p.why)
	}
}

// secretAbsent looks for the key in everything that the daemon keeps, but what it
// needs to start an agent of a run that may go on.
func (p *playedRun) secretAbsent() {
	p.t.Helper()
	err := filepath.WalkDir(p.path("state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "spec.json" || filepath.Dir(path) == p.path("state/runs") {
			return nil //nolint:nilerr // files come and go
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(testKey)) {
			p.t.Errorf("%s holds the key", path)
		}
		return nil
	})
	if err != nil {
		p.t.Error(err)
	}
}
