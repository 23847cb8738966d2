package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/repo/land"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/when"
)

// minQuota leaves room for the reserve.
const minQuota = 16 << 20

// faults collects values that mean nothing, and knows which keys the file has.
type faults struct{ file *File }

// judge runs the checks that concern meaning.
func (f *File) judge(check func(*faults)) {
	if f.doc != nil {
		check(&faults{f})
	}
}

func (f *faults) add(path, fix, format string, args ...any) {
	f.file.note(f.file.doc.Errorf(path, fix, "%s: "+format, append([]any{path}, args...)...))
}

func (p Project) check(f *faults) {
	f.agents(p.Agent, p.Agents)
	f.roles(p.Roles)
	for _, e := range p.Gates {
		f.gate("gates."+e.Key, e.Key, e.Value)
	}
	f.holdout(p.Holdout, p.Gates)
	for _, e := range p.Inputs {
		if !events.Name(e.Key).Valid() {
			f.add("inputs."+e.Key, "use letters a-z, digits, - and _", "%q is not a valid name", e.Key)
		}
		f.text("inputs."+e.Key, e.Value)
	}
	for _, e := range p.Land.Gates {
		f.gate("land.gates."+e.Key, e.Key, Gate{Run: e.Value, Role: events.RoleInvariant})
	}
	f.word("land.how", p.Land.How, land.Hows()...)
	f.text("setup", p.Setup)
	f.word("checkout", p.Checkout, CheckoutInPlace, CheckoutClean)
	f.word("answers", p.Answers, AnswersPerson, AnswersSession)
	f.trees(p.TreeBase, p.TreeSeed)
	f.word("priority", p.Priority, events.Priorities()...)
	f.globs("protect", p.Protect)
	f.globs("allow_test_changes", p.AllowTestChanges)
	f.sandbox(p.Sandbox)
	f.git(p.Git)
	f.limits(p.Limits)
	f.resources(p.Resources)
	f.own("limits.day", "limits.project")
	f.own("resources.policy", "resources.project.agents")
	f.own("resources.agents", "resources.project.agents")
	f.names("redact.env", p.Redact.Env)
}

func (u User) check(f *faults) {
	f.agents(u.Agent, u.Agents)
	f.roles(u.Roles)
	f.word("checkout", u.Checkout, CheckoutInPlace, CheckoutClean)
	f.word("answers", u.Answers, AnswersPerson, AnswersSession)
	f.trees(u.TreeBase, u.TreeSeed)
	if f.file.sets("worktree_root") && !filepath.IsAbs(u.TreeRoot) && !strings.HasPrefix(u.TreeRoot, homePrefix) {
		f.add("worktree_root", "write /DIR or ~/DIR", "%q is not an absolute path", u.TreeRoot)
	}
	f.noNUL("worktree_root", u.TreeRoot)
	f.sandbox(u.Sandbox)
	f.git(u.Git)
	f.limits(u.Limits)
	f.prices(u.Prices)
	f.names("redact.env", u.Redact.Env)
	f.env("gate.env", u.Gate.Env)
	f.word("language", string(u.Language), string(events.English), string(events.Japanese))
	f.word("priority", u.Priority, events.Priorities()...)
	f.resources(u.Resources)
	f.word("after_reboot", string(u.AfterReboot), string(ResumeAfterReboot), string(AskAfterReboot))
	var m *notify.Mistake
	if errors.As(u.Notify.Check(), &m) {
		f.add(strings.TrimSuffix("notify."+m.Path, "."), m.Fix, "%s", m.What)
	}
	if m := u.daemonMistake(); m != nil {
		f.add(m.key, m.want, "%s", m.what)
	}
	f.bus(u.Bus)
	f.team(u.Team) // both are the last: they hide what no problem may print
}

// mistake is a setting of the daemon that means nothing.
type mistake struct{ key, what, want string }

func (m *mistake) Error() string { return m.key + ": " + m.what + ": " + m.want }

// CheckDaemon refuses settings of the daemon that mean nothing, as flags may
// hold them too.
func (u User) CheckDaemon() error {
	if m := u.daemonMistake(); m != nil {
		return m
	}
	return nil
}

func (u User) daemonMistake() *mistake {
	if u.Durability != bus.Power && u.Durability != bus.Process {
		return &mistake{"durability", fmt.Sprintf("%q is not known", u.Durability), fmt.Sprintf("write %s or %s", bus.Power, bus.Process)}
	}
	if u.Idle < 0 {
		return &mistake{"idle", fmt.Sprintf("%v is negative", u.Idle), "write 30m, or 0s to serve for ever"}
	}
	n, err := ParseBytes(u.Quota)
	if err != nil {
		return &mistake{"quota", fmt.Sprintf("%q is not a size", u.Quota), "write it as 64MiB or 4GiB"}
	}
	if n < minQuota {
		return &mistake{"quota", u.Quota + " is too small", "write 16MiB or more"}
	}
	return nil
}

func (f *faults) agents(chosen string, agents strictyaml.Map[Agent]) {
	if f.file.sets("agent") && !events.Name(chosen).Valid() {
		f.add("agent", "write the name of an agent, as apctl agent ls shows them", "%q is not a valid name", chosen)
	}
	for _, e := range agents {
		at := "agents." + e.Key
		if !events.Name(e.Key).Valid() {
			f.add(at, "use letters a-z, digits, - and _", "%q is not a valid name", e.Key)
			continue
		}
		f.agent(at, e.Value)
	}
}

// roles are names of profiles: whether they are there is known when a run needs them.
func (f *faults) roles(roles strictyaml.Map[workflow.Profiles]) {
	for _, e := range roles {
		at := "roles." + e.Key
		if !events.Name(e.Key).Valid() {
			f.add(at, "use letters a-z, digits, - and _", "%q is not a valid name", e.Key)
		}
		if len(e.Value) == 0 {
			f.add(at, "name at least one profile", "the list is empty")
		}
		for i, name := range e.Value {
			if !events.Name(name).Valid() {
				f.add(at, "write names of agents, as apctl agent ls shows them", "%q is not a valid name", name)
			}
			if slices.Contains(e.Value[:i], name) {
				f.add(at, "remove it: a run never goes back to an agent", "the profile %q is given twice", name)
			}
		}
	}
}

func (f *faults) agent(at string, a Agent) {
	f.text(at+".command", a.Command.Text)
	for i, word := range a.Command.Argv {
		f.noNUL(at+".command."+strconv.Itoa(i), word)
	}
	if f.file.sets(at+".command") && !a.Command.Given() || len(a.Command.Argv) > 0 && a.Command.Argv[0] == "" {
		f.add(at+".command", "write a command, or take the line out", "it is empty")
	}
	f.word(at+".prompt", a.Prompt, string(agent.PromptStdin), string(agent.PromptFile))
	f.word(at+".stream", a.Stream, formats()...)
	for i, word := range a.Reports {
		f.word(at+".reports."+strconv.Itoa(i), word, agent.ReportWords()...)
	}
	f.text(at+".account", a.Account)
	f.text(at+".model", a.Model)
	f.word(at+".permissions", a.Permissions, agent.PermitFull)
	for i, arg := range a.Args {
		f.noNUL(at+".args."+strconv.Itoa(i), arg)
	}
	f.env(at+".env", a.Env)
}

// formats are the streams that an own profile can print.
func formats() []string {
	var out []string
	for _, f := range stream.Formats() {
		out = append(out, string(f))
	}
	return out
}

func (f *faults) gate(at, name string, g Gate) {
	switch {
	case !events.Name(name).Valid():
		f.add(at, "use letters a-z, digits, - and _", "%q is not a valid name", name)
	case name == string(gate.ProtectedName):
		f.add(at, "give the gate another name", "the name is taken by the gate for pinned files")
	case name == string(gate.GitName):
		f.add(at, "give the gate another name", "the name is taken by the gate for the rules of git")
	}
	f.noNUL(at, g.Run)
	if (strings.TrimSpace(g.Run) == "") == (len(g.Artifact) == 0) {
		f.add(at, "write run: CMD or artifact: [GLOB], one of them", "the gate has no check of its own")
	}
	f.globs(at+".artifact", g.Artifact)
	f.word(at+".role", string(g.Role), string(events.RoleGoal), string(events.RoleInvariant))
}

// holdout checks held-out gates. They share one space of names with other gates.
func (f *faults) holdout(h Holdout, gates strictyaml.Map[Gate]) {
	f.text("holdout.dir", h.Dir)
	for _, e := range h.Gates {
		at := "holdout.gates." + e.Key
		f.gate(at, e.Key, Gate{Run: e.Value, Role: events.RoleGoal})
		if slices.ContainsFunc(gates, func(g strictyaml.Entry[Gate]) bool { return g.Key == e.Key }) {
			f.add(at, "give it another name", "the name is taken by one of gates")
		}
		if h.Dir == "" {
			f.add(at, "add holdout.dir", "there is no folder of files that agents do not see")
		}
	}
}

func (f *faults) limits(l Limits) {
	f.budget(l)
	f.timeouts(l)
	if f.file.sets("limits.iterations") && l.Iterations < 1 {
		f.add("limits.iterations", "write 1 or more, or take the line out", "%d is too small", l.Iterations)
	}
	if f.file.sets("limits.until") {
		if _, err := when.Next(l.Until, time.Time{}); err != nil {
			f.add("limits.until", `write "07:00" or "2026-01-02T07:00"`, "%q is not a time", l.Until)
		}
	}
}

// word checks one of several words. A key that is not there is fine.
func (f *faults) word(path, word string, known ...string) {
	if !f.file.sets(path) || slices.Contains(known, word) {
		return
	}
	fix := "write " + strings.Join(known, " or ")
	if near := strictyaml.Nearest(word, known); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	f.add(path, fix, "%q is not known", word)
}

// text checks a text that must say something.
func (f *faults) text(path, text string) {
	if !f.file.sets(path) {
		return
	}
	if f.noNUL(path, text) && strings.TrimSpace(text) == "" && text != "" {
		f.add(path, "write something, or take the line out", "it is blank")
	}
}

// noNUL refuses what no argument and no variable can hold.
func (f *faults) noNUL(path, text string) bool {
	if strings.ContainsRune(text, 0) {
		f.add(path, "take it out", "it holds a NUL byte")
		return false
	}
	return true
}

func (f *faults) globs(path string, globs []string) {
	for i, g := range globs {
		if err := rule.CheckGlobs([]string{g}); err != nil {
			f.add(path+"."+strconv.Itoa(i), "write it as '*_test.go', 'api/**' or 'file.{a,b}'", "%v", err)
		}
	}
}

func (f *faults) env(path string, env map[string]string) {
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(f.line(path+"."+a), f.line(path+"."+b)) })
	for _, name := range names {
		switch at := path + "." + name; {
		case strings.HasPrefix(name, "AUTOPILOT_"):
			f.add(at, "take it out", "autopilot sets these variables itself")
		case name == "" || strings.ContainsAny(name, "=\x00 \t\n"):
			f.add(at, "write NAME: VALUE", "%q is not a valid name of a variable", name)
		default:
			f.noNUL(at, env[name])
		}
	}
}

// names judges a list of variables.
func (f *faults) names(path string, names []string) {
	for i, name := range names {
		if name == "" || strings.ContainsAny(name, "=\x00 \t\n") {
			f.add(path+"."+strconv.Itoa(i), "write the name alone, as DATABASE_URL", "%q is not a valid name of a variable", name)
		}
	}
}

func (f *faults) line(path string) int {
	line, _ := f.file.Line(path)
	return line
}

// ParseBytes reads a size such as 64MiB or 4GiB.
func ParseBytes(text string) (int64, error) {
	units := []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.size {
			break
		}
		return n * u.size, nil
	}
	return 0, fmt.Errorf("%q is not a size; write it as 64MiB or 4GiB", text)
}
