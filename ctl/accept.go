package ctl

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/ctl/take"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type acceptOptions struct {
	req        wire.AcceptRequest
	invariants []string
	yes        bool
}

func newAccept(a *app) *cobra.Command {
	var o acceptOptions
	cmd := &cobra.Command{
		Use:   "accept RUN",
		Short: "Take the work of a done run into your branch, judged on the merged tree",
		Long: `Takes the work of a run that is done into a branch. The work of a run in a work
tree of its own is merged with the newest tip of the branch in a place of the
daemon. The gates of the run, and land.gates of the project, judge that tree
before the branch moves: a merge can be clean and wrong. Then your work tree is
brought to it by git merge --ff-only, which keeps your changes or refuses. Work
in your own tree is committed there by your git, if it is still as it was judged.

Without --into the branch is the one that you have checked out. --as branch
leaves that alone and keeps the result as a branch; --as pr pushes this branch
and opens a draft pull request by your gh.`,
		Example: `  apctl accept k3xq
  apctl accept k3xq --dry-run
  apctl accept k3xq --into release --how squash -m "Add search"
  apctl accept k3xq --as pr`,
		Args:              acceptArgs(render.AcceptWhat),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAccept(cmd.Context(), a, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.req.As, "as", wire.AcceptCommit, "`FORM`: commit, branch or pr")
	f.StringVar(&o.req.Into, "into", "", "the `BRANCH`, in place of the one that is checked out")
	f.StringVar(&o.req.How, "how", "", "merge, rebase or squash (default: land.how, else merge)")
	f.StringVarP(&o.req.Message, "message", "m", "", "`TEXT` of the commit, in place of the task")
	f.StringArrayVar(&o.invariants, "invariant", nil, "`NAME=CMD` that must pass on the merged tree too; repeatable")
	f.BoolVarP(&o.req.DryRun, "dry-run", "n", false, "say what would be taken where, and change nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return a.jsonFlag(cmd)
}

// acceptArgs wants the name of one run.
func acceptArgs(missing func() *wire.Error) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := runAnd(0)(cmd, args); err != nil {
			return err
		}
		if len(args) == 0 {
			return missing()
		}
		return nil
	}
}

func runAccept(ctx context.Context, a *app, o acceptOptions, run string) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	o.req.Run = run
	var err error
	if o.req.Gates, err = parseGates(nil, o.invariants); err != nil {
		return err
	}
	if o.req.Env, err = runEnv(a.Environ, nil); err != nil {
		return err
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	try, dry := o.req, wire.AcceptView{}
	try.DryRun = true
	err = a.trusting(ctx, a.Dir, func() error { return client.Call(ctx, d, wire.RunAccept, try, &dry) })
	if err != nil {
		return err
	}
	if err := render.AcceptProblem(dry); err != nil {
		return err
	}
	show := func(s render.Style) string { return s.Accepts(dry) }
	if o.req.DryRun {
		return a.answer(wire.SchemaAccept, dry, show)
	}
	if err := a.confirm(o.yes, show); err != nil {
		return err
	}
	if dry.Own {
		return a.acceptOwn(ctx, d, o, dry)
	}
	return a.acceptLanding(ctx, d, o, dry)
}

// acceptOwn commits the work in the user's tree, by the user's own git.
func (a *app) acceptOwn(ctx context.Context, d Daemon, o acceptOptions, v wire.AcceptView) error {
	g := take.Git{Dir: v.Dir, Environ: a.Environ}
	id, err := g.Commit(ctx, v.Paths, v.Message)
	if err != nil {
		return render.NotTaken(v, err)
	}
	v.Commit, v.DryRun = id, false
	var after wire.AcceptView
	o.req.DryRun = true
	if err := client.Call(ctx, d, wire.RunAccept, o.req, &after); err != nil {
		return err
	}
	other, err := g.Differs(ctx, v.Paths)
	if err != nil {
		return err
	}
	if v.Changed = append(after.Changed, other...); len(v.Changed) > 0 {
		slices.Sort(v.Changed)
		v.Changed = slices.Compact(v.Changed)
	}
	return a.answer(wire.SchemaAccept, v, func(s render.Style) string { return s.Accepted(v) })
}

// acceptLanding waits for the gates on the merged tree, and brings the user's work tree to
// the result.
func (a *app) acceptLanding(ctx context.Context, d Daemon, o acceptOptions, v wire.AcceptView) error {
	var begun wire.AcceptView
	if err := change(ctx, a, d, ulid.Make().String(), wire.RunAccept, o.req, &begun); err != nil {
		return err
	}
	v.DryRun, v.Landing = false, begun.Landing
	if !a.json {
		a.note(a.style(a.Err).Landing(v))
	}
	last, err := a.until(ctx, *begun.Landing)
	if err != nil {
		return err
	}
	v.Landing = &last
	if last.State != "done" || last.Land == nil {
		return a.notLanded(ctx, v)
	}
	g := take.Git{Dir: v.Dir, Environ: a.Environ}
	if last.Land.Ref != "" {
		if err := g.Forward(ctx, v.Target, last.Land.Ref); err != nil {
			return render.NotForwarded(v, err)
		}
	}
	v.Commit = last.Land.Commit
	if v.As == wire.AcceptPR {
		if v.Link, err = g.PullRequest(ctx, v.Target, title(o.req.Message, v.Run.Task), render.DraftBody(v)); err != nil {
			return render.NotShown(v, err)
		}
	}
	return a.answer(wire.SchemaAccept, v, func(s render.Style) string { return s.Accepted(v) })
}

// notLanded says why, as the landing run tells it.
func (a *app) notLanded(ctx context.Context, v wire.AcceptView) error {
	if a.json {
		if err := a.answer(wire.SchemaAccept, v, nil); err != nil {
			return err
		}
		return status(v.Landing.Exit)
	}
	if err := a.end(ctx, *v.Landing); err != nil {
		return err
	}
	a.note(a.style(a.Err).NotLanded(v))
	return status(v.Landing.Exit)
}

// title is the first line of a message, else of the task.
func title(message, task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(cmp.Or(strings.TrimSpace(message), task)), "\n")
	return strings.TrimLeft(line, "-# ")
}
