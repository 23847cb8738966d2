package ctl

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"

	"autopilot/ctl/render"
	"autopilot/ctl/worktree"
)

func newSessionJoin(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "join [RUN | TASK]",
		Short: "Drive the run of this directory from a chat, or start one",
		Long: `Joins the run of this directory that a chat drives, from where it stands. With a
task it starts one if there is none; the same task again is the same run, and a
run that is done is reported and not begun again. One chat drives a run at a
time: another is refused until that has left, or its process is gone.

A task is more than one word, or comes with -f; one word is a RUN. Who looks at
the work, where the workflow wants that, is an agent that --agent names: the
daemon starts it, read-only.

With --worktree the work goes on in a work tree of its own, beside those who write
here: with a task that of the task, without one that of this session. The same
again is the same work tree.`,
		Example: `  apctl session join
  apctl session join "make the suite pass" --gate test='go test ./...'
  apctl session join -f task.md --workflow careful --agent claude
  apctl session join --worktree "make the suite pass" --gate test='go test ./...'`,
		Args:              runAnd(0),
		ValidArgsFunction: a.completeLive,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSessionJoin(cmd.Context(), a, &o, cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "read the task from `FILE`, - is standard input")
	f.StringVar(&o.workflow, "workflow", workflowConverge, "`NAME` of a workflow, of the project or shipped")
	f.StringArrayVar(&o.goals, "gate", nil, "goal `NAME=CMD`: fails now, passes when the task is done (repeatable)")
	f.StringArrayVar(&o.invariants, "invariant", nil, "`NAME=CMD` that passes now and must stay so (repeatable)")
	f.StringArrayVar(&o.artifacts, "artifact", nil, "goal `NAME=GLOB`: files that the run has to write (repeatable)")
	f.StringVarP(&o.agent.profile, "agent", "a", "", "reviewer: the agent `NAME` for gates that need one")
	f.StringVar(&o.agent.command, "agent-cmd", "", "reviewer as a `CMD` for /bin/sh, prompt on standard input")
	f.StringVar(&o.limits.forTime, "for", "", "end after this `TIME` of activity: 4h, 90m")
	f.StringVar(&o.limits.until, "until", "", "end by this `TIME`: 07:00, 2026-01-02T07:00")
	f.IntVar(&o.limits.iterations, "max-iterations", 0, "end after `N` iterations")
	gateTimeout(f, &o.limits)
	f.BoolVar(&o.limits.startGreen, "start-green", false, "go on when the goals pass already; done then also needs a change")
	f.BoolVar(&o.limits.startBroken, "start-broken", false, "go on when a goal fails before it tests anything, because its program is missing")
	f.BoolVar(&o.limits.halfway, "halfway", false, "begin although git is inside a rebase, a merge, a cherry-pick or a conflict")
	treeFlags(cmd, &o.tree, "work on a branch and in a directory of its own, and say where")
	dirFlag(cmd, &o.dir)
	return a.jsonFlag(cmd)
}

// startFlags are those of session join that only a run which is started has.
var startFlags = []string{"workflow", "gate", "invariant", "artifact", "agent", "agent-cmd", "for", "until", "max-iterations", "gate-timeout", "start-green"}

func runSessionJoin(ctx context.Context, a *app, o *runOptions, cmd *cobra.Command, args []string) error {
	task := o.file != "" || len(args) > 0 && !isRun(args[0])
	ref, err := a.chatRef(o.dir, nil)
	if err != nil {
		return err
	}
	if err := o.tree.check(cmd.Flags().Changed); err != nil {
		return err
	}
	req := wire.SessionJoinRequest{RunRef: ref}
	if !task {
		for _, flag := range startFlags {
			if cmd.Flags().Changed(flag) {
				return render.JoinsOnly("--"+flag, strings.Join(args, " "))
			}
		}
		switch {
		case len(args) > 0 && o.tree.wanted:
			return render.TreeOfRun(args[0])
		case o.tree.wanted:
			return a.sessionTree(ctx, o.tree, ref.Workspace)
		case len(args) > 0:
			req.Run = args[0]
		}
		return session(ctx, a, wire.SessionJoin, req)
	}
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	o.limits.typed, o.driver = cmd.Flags().Changed, string(events.DriverSession)
	start, err := o.request(a, cmd.Flags().Changed("max-iterations"), args)
	if err != nil {
		return err
	}
	req.Start = &start
	return a.joinInTree(ctx, o, req)
}

// joinInTree starts or joins the run of a task, in a work tree of its own if that
// is asked for: then the same task again is in the same one.
func (a *app) joinInTree(ctx context.Context, o *runOptions, req wire.SessionJoinRequest) error {
	join := func(more ...wire.NextCommand) error {
		return a.trusting(ctx, cmp.Or(req.Start.Spec.From, req.Start.Spec.Workspace), func() error {
			return session(ctx, a, wire.SessionJoin, req, more...)
		})
	}
	if !o.tree.wanted {
		return join()
	}
	o.again = true
	w, err := a.placeRun(ctx, a.overOwn, o, req.Start)
	if err != nil {
		return err
	}
	req.Workspace = w.Dir
	if err = join(render.GoThere(w.Dir)); err != nil && !unreachable(err) {
		a.dropTree(ctx, *w)
	}
	return err
}

// sessionTree makes a work tree for the caller, and starts nothing in it.
func (a *app) sessionTree(ctx context.Context, o treeOptions, dir string) error {
	v, _, err := a.treeOfSession(ctx, o, dir, render.WithoutWorktree)
	if err != nil {
		return err
	}
	v.Next = []wire.NextCommand{render.GoThere(v.Directory), render.BeginThere()}
	return a.answer(wire.SchemaWorktree, v, func(s render.Style) string { return s.WorktreeMade(v) })
}

// treeOfSession makes the work tree of the caller, or finds it: it is named by what
// proves which session that is.
func (a *app) treeOfSession(ctx context.Context, o treeOptions, dir, hint string) (v wire.WorktreeView, p worktree.Plan, err error) {
	if a.getenv(place.EnvEffect) != "" {
		return v, p, render.InEffect()
	}
	s, err := a.treeSettings(ctx, a.overOwn, wire.WorktreeRequest{Directory: dir})
	if err != nil {
		return v, p, err
	}
	if p, err = a.planTree(ctx, o, s, worktree.Ask{Dir: dir, Name: s.Session, Again: true}, hint); err != nil {
		return v, p, err
	}
	v, err = a.makeTree(ctx, p, hint)
	return v, p, err
}

// isRun says that a word may be a run: a handle or an id, and no task.
func isRun(word string) bool {
	for _, r := range word {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return len(word) >= 4 && len(word) <= 26
}
