package ctl

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type initOptions struct {
	yes   bool
	force bool
	noRun bool
	dir   string
}

func newInit(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up autopilot for this project",
		Long: `Looks for the manifest that is nearest to this directory, and at the root of the
work tree, finds how the tests are run, runs that once as a run would, finds the
agents that are installed, and writes the commented file .autopilot/config.yaml at
the root. The tests of other packages are in it as comments.

A check that is red now, whose program is missing, or that rewrites files stays in
the file as a comment. It says which commands hide an exit code, and which exit 0
although their output names failing tests. If no test command is found, the file says what to fill in. That is no
error: the exit code is 0 whenever the file was written.

At a terminal it asks before it runs anything; without one it does not ask.
A file that is there is replaced only with --force.`,
		Example: `  apctl init
  apctl init -y -C ~/src/thing
  apctl init --no-run --json`,
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.force, "force", false, "replace a configuration that is there")
	f.BoolVar(&o.noRun, "no-run", false, "do not run the tests")
	f.StringVarP(&o.dir, "directory", "C", "", "work in `DIR`, not here")
	_ = cmd.MarkFlagDirname("directory")
	return a.jsonFlag(cmd)
}

// setup is one call of init.
type setup struct {
	a    *app
	d    Daemon
	o    initOptions
	env  []string
	dir  string // that was asked for
	view wire.InitView
}

func runInit(ctx context.Context, a *app, o initOptions) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	i := &setup{a: a, o: o}
	var err error
	if i.dir, err = a.workspace(o.dir); err != nil {
		return err
	}
	if i.env, err = runEnv(a.Environ, nil); err != nil {
		return err
	}
	if i.d, err = a.connect(ctx, true); err != nil {
		return err
	}
	defer i.d.Close()
	for _, step := range []func(context.Context) error{i.find, i.try, i.write, i.check, i.wrote, i.trust} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	i.view.Next = i.next()
	return a.answer(wire.SchemaInit, i.view, func(s render.Style) string { return s.InitEnd(i.view) })
}

// find looks at the project, and whether a file could be written at all: that
// is better known before the tests run.
func (i *setup) find(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, render.Timeout("the daemon did not look at the project", render.Duration(answerWithin)))
	defer cancel()
	if err := client.Call(ctx, i.d, wire.ProjectFind, wire.ProjectRequest{Workspace: i.dir, Env: i.env}, &i.view.Project); err != nil {
		return err
	}
	p := i.view.Project
	i.view.Config = p.Config
	i.view.Agent = pickAgent(p.Agents)
	if err := checkTarget(p.Root, p.Config, i.o.force); err != nil {
		return err
	}
	return i.say(func(s render.Style) string { return s.Project(p, i.view.Agent, i.below()) })
}

// below is the directory that was asked for, relative to the root, if it is
// another.
func (i *setup) below() string {
	dir := i.dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(i.view.Project.Root, dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return rel
}

// say writes text that JSON says at the end.
func (i *setup) say(text func(render.Style) string) error {
	if i.a.json {
		return nil
	}
	return i.a.say(text(i.a.style(i.a.Out)))
}

// agentOrder is which agent is picked when there are several.
var agentOrder = []string{"claude", "codex", "gemini", "opencode"}

// pickAgent takes the first that is logged in, else the first that is there. One
// that comes with autopilot and was not tried with the real program is for people
// to pick: another program may have its name.
func pickAgent(agents []wire.AgentView) string {
	agents = slices.DeleteFunc(slices.Clone(agents), func(a wire.AgentView) bool {
		return a.Origin == "shipped" && !a.Verified
	})
	rank := func(a wire.AgentView) int {
		n := slices.Index(agentOrder, a.Name)
		if n < 0 {
			n = len(agentOrder)
		}
		if !loggedIn(a) {
			n += 2 * len(agentOrder)
		}
		return n
	}
	if len(agents) == 0 {
		return ""
	}
	return slices.MinFunc(agents, func(a, b wire.AgentView) int { return rank(a) - rank(b) }).Name
}

func loggedIn(a wire.AgentView) bool { return a.Login == "key" || a.Login == "account" }

// check has the daemon read the file as a run will.
func (i *setup) check(ctx context.Context) error {
	var v wire.ConfigView
	if err := client.Call(ctx, i.d, wire.ConfigShow, wire.ConfigRequest{Workspace: i.view.Project.Root}, &v); err != nil {
		return err
	}
	i.view.Trusted = v.Trusted
	for _, p := range v.Problems {
		if p.File == i.view.Config {
			i.view.Problems = append(i.view.Problems, p)
		}
	}
	if len(i.view.Problems) > 0 {
		return render.BadInit(i.view.Config, i.view.Problems[0])
	}
	return nil
}

// wrote says that the file is there, before anything is asked about it.
func (i *setup) wrote(context.Context) error {
	return i.say(func(s render.Style) string { return s.InitWrote(i.view) })
}

// next are the commands to go on with.
func (i *setup) next() []string {
	v := i.view
	goals, red := 0, false
	for _, g := range written(v) {
		if g.why == "" && g.Role == events.RoleGoal {
			goals++
			red = red || g.red
		}
	}
	at := ""
	if rel, err := filepath.Rel(v.Project.Root, i.a.Dir); err != nil || !filepath.IsLocal(rel) {
		at = " -C " + render.Word(v.Project.Root)
	}
	if goals == 0 {
		return []string{"apctl config check" + at}
	}
	run := "apctl run" + at
	if v.Agent == "" {
		run += " --agent-cmd ./my-agent.sh"
	}
	switch {
	case red:
		return []string{run + ` "make the failing tests pass"`}
	case len(v.Tried) > 0:
		return []string{run + ` --start-green "WHAT YOU WANT"`}
	}
	return []string{run + ` "WHAT YOU WANT"`}
}

// gateLine is a gate as the file has it.
type gateLine struct {
	wire.ProjectGate
	why string // it is only a comment there, because
	red bool
}

// written are the gates of the file: an invariant has to pass now, and what
// cannot be run is none.
func written(v wire.InitView) []gateLine {
	var out []gateLine
	for _, g := range v.Project.Gates {
		l := gateLine{ProjectGate: g}
		if len(g.Missing) > 0 {
			l.why = "not found on PATH: " + strings.Join(g.Missing, ", ")
		}
		for _, t := range v.Tried {
			if t.Gate.Name != string(g.Name) {
				continue
			}
			l.red = t.Gate.Verdict == string(events.Fail)
			switch {
			case len(t.Rewrote) > 0:
				l.why = "it rewrites " + t.Rewrote[0] + ", which git tracks: let it only check, or write elsewhere"
			case len(t.Unignored) > 0:
				l.why = "it rewrites " + t.Unignored[0] + ": add it to .gitignore"
			case t.Gate.Verdict == string(events.Unverifiable):
				l.why = "it could not be run"
			case l.red && g.Role == events.RoleInvariant:
				l.why = "it is red now, and an invariant has to pass from the start"
			}
		}
		out = append(out, l)
	}
	return out
}
