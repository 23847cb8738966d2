package doctor

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// agents says which are there, and whether each could work alone.
func agents(_ context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("agents")
	if in.Agents == nil {
		return agentPrograms(in, p)
	}
	var out []wire.DoctorFinding
	for _, v := range in.Agents {
		if v.Program == "" && v.Origin == "shipped" {
			continue
		}
		out = append(out, agentState(v)...)
	}
	for _, name := range slices.Sorted(maps.Keys(in.Named)) {
		switch i := slices.IndexFunc(in.Agents, func(v wire.AgentView) bool { return v.Name == name }); {
		case i < 0:
			out = append(out, a.find(Warning, "apctl workflow lint   says where it is named", "%s needs agent %s, and there is none", in.Named[name], name)...)
		case in.Agents[i].Program == "" && in.Agents[i].Origin == "shipped": // of an own one it is said above
			out = append(out, a.find(Warning, "install it, or name another agent there", "%s needs agent %s, whose program is not found", in.Named[name], name)...)
		}
	}
	if len(out) == 0 {
		return a.find(Warning, "install Claude Code, Codex, Gemini or opencode, or use --agent-cmd", "no agent is installed")
	}
	return out
}

// agentState is one finding about an agent, so that each is named once.
func agentState(v wire.AgentView) []wire.DoctorFinding {
	a := about("agents")
	name := strings.TrimSpace(v.Name + " " + v.Version)
	var problems []string
	for _, problem := range v.Problems {
		problems = append(problems, strings.TrimPrefix(problem, v.Name+" "))
	}
	problem := strings.Join(problems, "; ")
	var out []wire.DoctorFinding
	switch {
	case problem != "" && v.Program == "":
		out = a.find(Warning, "correct its command, or install it", "%s: its program is not found; %s", v.Name, problem)
	case problem != "" && v.Login == "none" && !slices.ContainsFunc(v.Problems, aboutLogin):
		out = a.find(Warning, "start "+v.Name+" once by hand and log in", "%s: it is not logged in; %s", v.Name, problem)
	case problem != "":
		out = a.find(Warning, "", "%s: %s", v.Name, problem)
	case v.Program == "":
		out = a.find(Warning, "correct its command, or install it", "%s: its program is not found", v.Name)
	case v.Login == "none":
		out = a.find(Warning, "start "+v.Name+" once by hand and log in", "%s is not logged in", name)
	case v.Login == "key" || v.Login == "account":
		out = a.ok("%s is logged in (%s)", name, v.Program)
	default:
		out = a.find(Unknown, "", "%s: whether it is logged in is not known (%s)", name, v.Program)
	}
	return out
}

func aboutLogin(problem string) bool { return strings.Contains(problem, "log in") }

// agentPrograms is what can be said of agents without their profiles.
func agentPrograms(in Input, p Probe) []wire.DoctorFinding {
	a := about("agents")
	var there []string
	for _, name := range in.Known {
		if p.Look(in.Shell, name) != "" {
			there = append(there, name)
		}
	}
	if len(there) == 0 {
		return a.find(Warning, "install Claude Code, Codex, Gemini or opencode, or use --agent-cmd", "no known agent is on PATH")
	}
	return a.find(Unknown, "", "%s on PATH; versions and logins are not known, as no daemon was asked", strings.Join(there, ", "))
}

// needed says which programs are missing that gates of workflows look for.
func needed(_ context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("gates")
	var out []wire.DoctorFinding
	for _, name := range slices.Sorted(maps.Keys(in.Needed)) {
		if p.Look(in.Shell, name) == "" {
			out = append(out, a.find(Warning, "install it, or put its directory on PATH", "gates of %s look for %s, which is not on PATH", in.Needed[name], name)...)
		}
	}
	return out
}

// compared are programs whose place on two PATHs matters to somebody.
var compared = []string{"git", "go", "node", "npm", "pnpm", "yarn", "bun", "python3", "uv", "poetry", "cargo", "java", "mvn", "gradle", "make", "docker"}

// paths compares the PATH of the daemon with that of the caller. Runs get the
// caller's; what the daemon runs for itself, and what a service starts after a
// reboot, is found on its own (field reports: services that lack nvm or
// ~/.local/bin).
func paths(_ context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("path")
	if in.Daemon == "" {
		return a.find(Unknown, "", "the daemon's PATH is not known, as no daemon was asked")
	}
	var differ []string
	for _, word := range slices.Concat(compared, in.Known) {
		mine, its := p.Look(in.Shell, word), p.Look(in.Daemon, word)
		if mine != "" && mine != its {
			differ = append(differ, fmt.Sprintf("%s (%s)", word, orMissing(its)))
		}
	}
	if len(differ) == 0 {
		return a.ok("the daemon's PATH leads to the same programs as this shell's")
	}
	return a.find(Note, "apctl daemon restart, from a shell whose PATH is right",
		"the daemon's PATH differs for %s; runs use that of the shell they are started from", strings.Join(differ, ", "))
}

func orMissing(at string) string {
	if at == "" {
		return "missing there"
	}
	return "there " + at
}

// gitAtLeast is what recording trees needs.
var gitAtLeast = [2]int{2, 36}

func git(ctx context.Context, _ Input, p Probe) []wire.DoctorFinding {
	a := about("git")
	text, err := p.Output(ctx, "git", "--version")
	if err != nil {
		return a.find(Error, "install git 2.36 or newer", "git does not run: %v", err)
	}
	var v [2]int
	if _, err := fmt.Sscanf(text, "git version %d.%d", &v[0], &v[1]); err != nil {
		return a.find(Unknown, "", "the version of git is not known: it says %.60q", strings.TrimSpace(text))
	}
	if slices.Compare(v[:], gitAtLeast[:]) < 0 {
		return a.find(Error, "install git 2.36 or newer", "git %d.%d is too old", v[0], v[1])
	}
	return a.ok("git %d.%d", v[0], v[1])
}

// repository says what of the work tree is recorded otherwise than it may look.
func repository(_ context.Context, in Input, p Probe) []wire.DoctorFinding {
	a := about("repository")
	if in.Workspace == "" {
		return a.find(Note, "git init, or change to a work tree", "this directory is in no git work tree")
	}
	out := locked(in, p)
	if _, err := p.Stat(path.Join(commonDir(in.Workspace, p), "shallow")); err == nil {
		out = append(out, a.find(Note, "git fetch --unshallow", "the repository is a shallow clone: history before it is not there")...)
	}
	if _, err := p.Stat(path.Join(in.Workspace, ".gitmodules")); err == nil {
		out = append(out, a.find(Note, "", "it has submodules: they are recorded by their commit, not by their files")...)
	}
	if b, err := p.ReadFile(path.Join(in.Workspace, ".gitattributes")); err == nil && strings.Contains(string(b), "filter=lfs") {
		out = append(out, a.find(Note, "", "it uses git LFS: files are recorded as they are on disk, without its filter")...)
	}
	out = append(out, troves(in, p)...)
	if len(out) == 0 {
		return a.ok("%s", in.Workspace)
	}
	return out
}

// locked says that git cannot change its index. A lock is never taken away from
// here: who has it may be at work.
func locked(in Input, p Probe) []wire.DoctorFinding {
	a, l := about("repository"), in.Locked
	if l == nil {
		return nil
	}
	age := p.Now.Sub(l.Since).Truncate(time.Second)
	if l.PID > 0 {
		return a.find(Warning, fmt.Sprintf("wait for process %d", l.PID), "git's index is locked by process %d for %s: git add and commit fail until that is done", l.PID, age)
	}
	return a.find(Warning, "rm "+phrase.Quote(l.Path)+", if no git works there", "git's index is locked for %s, and no git is seen that has the lock: git add and commit fail", age)
}

// listed is how many paths a finding names.
const listed = 3

func troves(in Input, p Probe) []wire.DoctorFinding {
	a := about("repository")
	t := p.Search(in.Workspace)
	var out []wire.DoctorFinding
	if len(t.Nested) > 0 {
		out = append(out, a.find(Note, "", "repositories within it are recorded by their commit only: %s", some(t.Nested))...)
	}
	if len(t.Large) > 0 {
		out = append(out, a.find(Warning, "add them to .gitignore, or commit them", "files over 50 MiB, recorded by size and hash only unless git tracks them: %s", some(t.Large))...)
	}
	if !t.Whole {
		out = append(out, a.find(Unknown, "", "not all of the work tree was searched for large files and other repositories")...)
	}
	return out
}

func some(list []string) string {
	if len(list) <= listed {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:listed], ", "), len(list)-listed)
}

// commonDir is the repository that a work tree belongs to.
func commonDir(top string, p Probe) string {
	dir := path.Join(top, ".git")
	if b, err := p.ReadFile(dir); err == nil {
		if to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: "); ok {
			dir = absolute(top, to)
		}
	}
	if b, err := p.ReadFile(path.Join(dir, "commondir")); err == nil {
		dir = absolute(dir, strings.TrimSpace(string(b)))
	}
	return dir
}

func absolute(from, to string) string {
	if path.IsAbs(to) {
		return to
	}
	return path.Join(from, to)
}
