package work

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/order"
	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
)

// typedBelow is the directory of the command in its work tree, relative to the root;
// empty at the root. A work tree made for the run keeps the directory of the original.
func typedBelow(ctx context.Context, q order.Order, root string) string {
	dir := q.Workspace
	if q.Spec.From != "" {
		ws, err := tree.Find(ctx, q.Spec.From)
		if err != nil {
			return ""
		}
		dir, root = q.Spec.From, ws.Path
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if rel, err := filepath.Rel(root, dir); err == nil && rel != "." && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return ""
}

// unready says whether a goal that fails at the start, without a failing test, ran any
// test. It refuses the goal if a person must supply the missing part. A part that an
// agent could make may be the task: the text names it.
func (g *judgement) unready(c gate.Command, r *events.GateResult, texts *gate.Texts) {
	if g.s.Loop.Iteration > 0 || c.Role != events.RoleGoal || r.Verdict != events.Fail || r.Reason != events.ReasonExit || r.Failing > 0 {
		return
	}
	u, is := rule.NotRed(r.Exit, texts.Excerpt)
	if !is {
		return
	}
	s := site{root: g.p.Repo.Workspace().Path, below: g.p.Spec.Below, command: c.Run, from: strings.TrimSuffix(g.p.Spec.From, "/"+g.p.Spec.Below)}
	says, refuse := s.missing(u)
	if refuse && !g.p.Spec.StartBroken {
		r.Reason = events.ReasonUnready
	}
	texts.Excerpt = gate.Headed(says+"\n", texts.Excerpt)
}

// site is the place of a goal that ran no test.
type site struct {
	root, below string
	command     rule.Command
	from        string // the original of this work tree
}

// missing names what a goal lacks and the remedy, and says whether a person must act.
func (s site) missing(u rule.Unready) (says string, refuse bool) {
	for _, look := range []func(rule.Unready) string{s.elsewhere, s.unprepared, s.packages, s.machine} {
		if says := look(u); says != "" {
			return says, true
		}
	}
	if u.Name == "" {
		u.Name = "a program that it calls"
	}
	what := map[rule.UnreadyCause]string{
		rule.NotExecutable: u.Name + " cannot be executed",
		rule.NoTarget:      "the makefile has no target " + u.Name, rule.NoMakefile: "there is no makefile at the root", rule.NoManifest: "there is no " + u.Name + " at the root",
		rule.NoScript: u.Name + " does not exist", rule.NoProgram: u.Name + " does not exist", rule.NoModule: "the package " + u.Name + " is not there",
	}[u.Cause]
	return "It failed before it tested anything: " + what + ".", false
}

// elsewhere finds a missing part in the directory of the command, or in the one directory
// below the root that has it.
func (s site) elsewhere(u rule.Unready) string {
	var names []string
	switch u.Cause {
	case rule.NoTarget, rule.NoMakefile:
		names = []string{"GNUmakefile", "makefile", "Makefile"}
	case rule.NoManifest:
		names = []string{u.Name}
	case rule.NoScript, rule.NoProgram:
		if rel, err := filepath.Rel(s.root, u.Name); filepath.IsAbs(u.Name) && err == nil && filepath.IsLocal(rel) {
			u.Name = rel
		}
		if !strings.ContainsAny(u.Name, "/.") || !filepath.IsLocal(u.Name) {
			return ""
		}
		names = []string{u.Name}
	default:
		return ""
	}
	if file := first(filepath.Join(s.root, s.below), names); s.below != "" && file != "" {
		return fmt.Sprintf("It failed before it tested anything: gates run at the root of the work tree, and %s is in %s. Write %s",
			file, s.below, s.inDirectory(s.below))
	}
	if u.Cause == rule.NoTarget && first(s.root, names) != "" {
		return "" // a target to make
	}
	entries, err := os.ReadDir(s.root)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if file := first(filepath.Join(s.root, e.Name()), names); e.IsDir() && !strings.HasPrefix(e.Name(), ".") && file != "" {
			return fmt.Sprintf("It failed before it tested anything: gates run at the root of the work tree, and there is a %s in %s. Write %s", file, e.Name(), s.inDirectory(e.Name()))
		}
	}
	return ""
}

func (s site) inDirectory(dir string) string {
	text := s.command.Text
	if text == "" {
		words := slices.Clone(s.command.Argv)
		for i, w := range words {
			words[i] = phrase.Quote(w)
		}
		text = strings.Join(words, " ")
	}
	return rule.InDirectory(phrase.Quote(dir), text)
}

// prepared are ignored folders that a command fills with files for tests.
var prepared = []struct{ dir, command string }{
	{"node_modules", "npm ci"}, {".venv", "python3 -m venv .venv, and install into it"}, {"venv", "python3 -m venv venv, and install into it"}, {"vendor", "fill it as in the other"},
}

// unprepared finds a prepared folder that the original work tree has and this one lacks.
func (s site) unprepared(u rule.Unready) string {
	if s.from == "" || u.Cause != rule.NoProgram && u.Cause != rule.NoModule && u.Cause != rule.NoScript {
		return ""
	}
	for _, p := range prepared {
		for _, at := range []string{"", s.below} {
			dir := filepath.Join(at, p.dir)
			if isDir(filepath.Join(s.from, dir)) && !isDir(filepath.Join(s.root, dir)) {
				return fmt.Sprintf("It failed before it tested anything: %s is in %s and git ignores it, so this new work tree has none. Prepare %s first (%s), or seed it: docs/worktrees.md",
					dir, s.from, s.root, p.command)
			}
		}
	}
	return ""
}

// packages finds a manifest whose packages are not installed.
func (s site) packages(u rule.Unready) string {
	if u.Cause != rule.NoProgram && u.Cause != rule.NoModule || strings.HasPrefix(u.Name, ".") || u.Name == "" {
		return ""
	}
	for _, at := range []string{"", s.below} {
		b, err := os.ReadFile(filepath.Join(s.root, at, "package.json"))
		var m struct {
			Deps map[string]jsontext.Value `json:"dependencies"`
			Dev  map[string]jsontext.Value `json:"devDependencies"`
		}
		if err != nil || json.Unmarshal(b, &m) != nil || len(m.Deps)+len(m.Dev) == 0 || isDir(filepath.Join(s.root, at, "node_modules")) {
			continue
		}
		return fmt.Sprintf("It failed before it tested anything: %s names packages, and node_modules is not there. Install them first: npm ci, or npm install",
			filepath.Join(at, "package.json"))
	}
	return ""
}

// machine finds faults that no work in the project's files mends.
func (s site) machine(u rule.Unready) string {
	const before = "It failed before it tested anything: "
	switch {
	case u.Cause == rule.NotExecutable && slices.Contains(s.command.Words(), u.Name):
		return before + u.Name + " cannot be executed. Make it so first: chmod +x " + phrase.Quote(u.Name)
	case u.Cause == rule.NoProgram && u.Name != "" && !strings.Contains(u.Name, "/"):
		return before + u.Name + " is not on the PATH of gates. Install it first, or put its directory there (gate.env)"
	case u.Cause == rule.NoModule && slices.Contains(strings.Fields(s.command.Text+" "+strings.Join(s.command.Argv, " ")), "-m"):
		return before + "Python has no module " + u.Name + ". Install it first, or name the Python of the environment that has it"
	}
	return ""
}

// first is the first name that is a file in a directory.
func first(dir string, names []string) string {
	for _, n := range names {
		if info, err := os.Stat(filepath.Join(dir, n)); err == nil && info.Mode().IsRegular() {
			return n
		}
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
