//go:build linux

package crashtest

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"autopilot/daemon/failpoint"
)

// plan is a run to be killed: what the agent does and what the gates want.
type plan struct {
	name   string
	check  string // body of the pinned gate script
	script string // of the agent
	limit  string // --max-iterations, 10 if empty
	lose   bool   // the agent's supervisor is killed in the middle, whatever else is
	clean  bool   // its gates have to pass in a clean checkout too
	claude string // what claudeProgram does in a turn, in place of script
	waits  bool   // for a limit, on the way

	own []string // points that it is played for; the common ones if none
}

// starts is what every attempt and every gate of a plan does first: it leaves
// the id of its effect, so that one that was started twice is seen.
const starts = `echo "$AUTOPILOT_EFFECT" >> `

// leave leaves a process behind that would outlive all tests, in a session of
// its own.
const leave = "setsid -f sleep 1000 > /dev/null 2>&1"

// files are those of the workspace at the start.
func (p plan) files() map[string]string {
	return map[string]string{
		"check.sh": "#!/bin/sh\n" + starts + "\"$1\"\nsleep 0.1\n" + p.check + "\n",
		"work.txt": "zero\n",
		"log.txt":  "",
		"keep.txt": "keep\n",
	}
}

// args are those of apctl run.
func (p plan) args(w *world) []string {
	args := []string{"run", "-d", "--json", "finish the work", "-C", w.path("ws"), "--script", w.path("agent.yaml")}
	if p.claude != "" {
		args = append(args[:len(args)-2], "--agent", "claude")
	}
	args = append(args, "--gate", "check=./check.sh "+w.path("starts"), "--invariant", "keep=grep -q keep keep.txt",
		"--max-iterations", cmp.Or(p.limit, "10"))
	if p.clean {
		args = append(args, "--clean", "--setup", starts+w.path("starts")+"; "+leave+"; sleep 0.2")
	}
	return args
}

// prepare lays out what the agent is.
func (p plan) prepare(w *world) {
	w.t.Helper()
	if p.claude != "" {
		install(w.t, w.path("home"), p.claude)
		w.env = append(w.env, "PATH="+w.path("home/bin")+string(os.PathListSeparator)+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		return
	}
	script := strings.ReplaceAll(p.script, "STARTS", w.path("starts"))
	if err := os.WriteFile(w.path("agent.yaml"), []byte(script), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// plans are those with scripts, and in between those with an agent that tells of
// what it does. Their number is odd: every other round has a named point.
func plans() []plan {
	scripted, telling := scriptPlans(), claudePlans()
	return slices.Concat(scripted[:1], telling[:1], scripted[1:3], telling[1:], scripted[3:])
}

// scriptPlans end in each way that a run can.
func scriptPlans() []plan {
	return []plan{
		{name: "done", clean: true, own: []string{failpoint.AfterCheckout}, check: "grep -q three work.txt", script: `
iterations:
  - edit: {work.txt: "one\n"}
    run: ['` + starts + `STARTS', sleep 0.2]
    print: [one]
  - edit: {work.txt: "two\n", new/file.txt: "new\n"}
    run: ['` + starts + `STARTS', '` + leave + `', sleep 0.2]
  - edit: {work.txt: "three\n"}
    rm: [new]
    run: ['` + starts + `STARTS', sleep 0.2]
    result: {claim: done}
`},
		{name: "append", lose: true, check: `test "$(wc -l < log.txt)" -eq 6`, script: `
iterations:
  - run: ['` + starts + `STARTS', '` + leave + `', 'echo a >> log.txt; sleep 0.4; echo b >> log.txt']
`},
		{name: "sameness", check: "grep -q three work.txt", script: `
iterations:
  - edit: {work.txt: "one\n"}
    run: ['` + starts + `STARTS', sleep 0.2]
  - edit: {work.txt: "two\n"}
    run: ['` + starts + `STARTS', mkdir -p .autopilot/notes, 'echo "$AUTOPILOT_ITERATION" >> .autopilot/notes/log', sleep 0.2]
`},
		{name: "person", check: "grep -q three work.txt", script: `
iterations:
  - edit: {work.txt: "one\n"}
    run: ['` + starts + `STARTS', sleep 0.2]
    result: {claim: blocked, reason: which one}
  - edit: {work.txt: "three\n"}
    run: ['` + starts + `STARTS', sleep 0.2]
`},
		{name: "iterations", limit: "4", check: "grep -q never work.txt", script: `
iterations:
  - run: ['` + starts + `STARTS', 'echo "$AUTOPILOT_ITERATION" > work.txt', sleep 0.1, rm -f keep2.txt, cp keep.txt keep2.txt]
`},
	}
}
