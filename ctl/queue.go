package ctl

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autopilot/ctl/render"
	"autopilot/ctl/tracker"
	"autopilot/events"
	"autopilot/events/wire"
)

func newQueue(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Work off many tasks, in order, and land what is done",
		Long: `A queue has tasks (items) that depend on each other. The daemon works each off as
a run in a work tree of its own, as many at once as you allow, and lands what is
done: the work is merged with the newest target, all gates judge exactly that tree,
and only then the target moves. By default the target is a branch of the queue,
autopilot/queue-NAME. Your work tree and your branches stay as they are.`,
		Example: `  apctl queue new night --gate test='go test ./...' --agent claude
  apctl queue add "write the parser" --name parser
  apctl queue add "write the printer" --after parser
  apctl queue new night --from TODO.md
  apctl queue run --for 8h --parallel 2
  apctl queue show`,
		Args: group,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newQueueNew(a), newQueueAdd(a), newQueueLs(a), newQueueShow(a), newQueueSchedule(a), newQueueRun(a), newQueueWatch(a),
		newQueuePause(a), newQueueRm(a), newQueueRetry(a))
	return cmd
}

// notOfItems are the flags of run that mean nothing for an item of a queue: the daemon
// begins it later, in a work tree of its own.
var notOfItems = []string{
	"worktree", "branch", "base", "detach", "keep", "dry-run", "driver", "findings", "directory", "halfway", "env", "hand-off", "from-issue", "until-green",
}

// itemFlags are the flags of run that an item takes.
func itemFlags(cmd *cobra.Command, o *runOptions) {
	run := &cobra.Command{}
	o.flags(run)
	run.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notOfItems, f.Name) {
			cmd.Flags().AddFlag(f)
		}
	})
}

// itemRequest is the request of an item, or the defaults of a queue. What was not typed is
// left to the queue.
func (o *runOptions) itemRequest(a *app, cmd *cobra.Command, args []string) (wire.StartRequest, error) {
	o.limits.typed = cmd.Flags().Changed
	o.tree.typed = cmd.Flags().Changed
	req, err := o.request(a, cmd.Flags().Changed("max-iterations"), args)
	if !cmd.Flags().Changed("workflow") {
		req.Spec.Workflow = ""
	}
	req.Spec.Workspace, req.Env, req.Outputs, req.Settings = "", nil, nil, nil
	return req, err
}

// queueFile reads the file that a queue is filled from.
func (a *app) queueFile(path string) (*wire.QueueFile, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	text, err := a.readText("the items", path, maxTask)
	if err != nil {
		return nil, err
	}
	if path != "-" && !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	return &wire.QueueFile{Path: path, Text: text}, nil
}

type queueNewOptions struct {
	run                        runOptions
	land, target, how, from    string
	label                      string
	yes                        bool
	batch, deliveries, returns int
}

func newQueueNew(a *app) *cobra.Command {
	var o queueNewOptions
	cmd := &cobra.Command{
		Use:   "new NAME [flags]",
		Short: "Create a queue",
		Long: `Creates a queue for the project of this directory. The flags of apctl run are the
defaults of its items: gates, agent, limits. --from fills it from a file: YAML or
JSON with items, or a Markdown task list (- [ ] TASK), whose tasks are ticked off
as they are finished.

--land says what becomes of finished work: branch (the default) merges it into
autopilot/queue-NAME, merge into --target, pr shows it as a pull request, none
leaves it on the branch of its run. merge needs a person's standing consent:
land: {into: [BRANCH]} in .autopilot/config.yaml, trusted by apctl trust.`,
		Example:           "  apctl queue new night --gate test='go test ./...' --agent claude --max-usd 3\n  apctl queue new night --from queue.yaml\n  apctl queue new docs --from TODO.md --land none",
		Args:              oneName,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runQueueNew(cmd.Context(), a, &o, cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "fill it from `FILE`, - is standard input")
	f.StringVar(&o.label, "label", "", "make tasks of the open issues of `LABEL`, also of those that come later, by your own gh")
	f.BoolVar(&o.yes, "yes", false, "with --label: do not ask")
	f.StringVar(&o.land, "land", "", "what becomes of finished work: `branch`, merge, pr or none")
	f.StringVar(&o.target, "target", "", "`BRANCH` that work lands on")
	f.StringVar(&o.how, "how", "", "land by `merge`, rebase or squash")
	f.IntVar(&o.batch, "batch", 0, "land up to `N` items at once; a red batch is halved")
	f.IntVar(&o.deliveries, "deliveries", 0, "begin a lost run anew up to `N` times, -1 is never (default 2)")
	f.IntVar(&o.returns, "returns", 0, "send an item back up to `N` times when its landing is red, -1 is never (default 2)")
	itemFlags(cmd, &o.run)
	return a.jsonFlag(cmd)
}

func runQueueNew(ctx context.Context, a *app, o *queueNewOptions, cmd *cobra.Command, name string) error {
	if o.land != "" && !slices.Contains(events.LandModes(), events.LandMode(o.land)) {
		return render.BadWord("--land", o.land, "branch", "merge", "pr", "none")
	}
	dir, err := a.workspace("")
	if err != nil {
		return err
	}
	req := wire.QueueNewRequest{
		Workspace: dir, Name: name, Land: events.LandMode(o.land), Target: o.target, How: o.how, Batch: o.batch, Deliveries: o.deliveries, Returns: o.returns,
	}
	if req.Defaults, err = o.run.itemRequest(a, cmd, []string{name}); err != nil {
		return err
	}
	req.Defaults.Spec.Task = ""
	if req.File, err = a.queueFile(o.from); err != nil {
		return err
	}
	if err := a.queueLabel(ctx, o, &req); err != nil {
		return err
	}
	var v wire.QueueView
	err = a.trusting(ctx, dir, func() error { return ask(ctx, a, wire.QueueNew, req, &v) })
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaQueue, v, func(s render.Style) string { return s.QueueCreated(v) })
}

// queueLabel names the repository of the issues of a queue. A label needs a word of a
// person, as nobody looks at the texts that come later.
func (a *app) queueLabel(ctx context.Context, o *queueNewOptions, req *wire.QueueNewRequest) error {
	repository, err := tracker.Reader{Dir: req.Workspace, Environ: a.Environ}.Repository(ctx)
	if err == nil {
		req.Repository = repository
	}
	if o.label == "" {
		return nil
	}
	if err != nil {
		return render.NoLabelRepository(o.label, err)
	}
	req.Label = o.label
	return a.confirm(o.yes, func(s render.Style) string { return s.QueueLabel(repository, o.label) })
}

type queueAddOptions struct {
	run               runOptions
	queue, name, from string
	after             []string
}

func newQueueAdd(a *app) *cobra.Command {
	var o queueAddOptions
	cmd := &cobra.Command{
		Use:   "add [flags] TASK",
		Short: "Add a task to a queue",
		Long: `Adds TASK to the latest queue of this project, or to --queue. The flags of apctl
run are those of its run, and take the place of the queue's. It begins when all
items of --after are finished; an item that failed releases nothing. A blocker that
is no item (--after issue-7) is looked up, and shown as unresolved until it is known
to be done.`,
		Example:           "  apctl queue add \"write the parser\" --name parser --priority high\n  apctl queue add \"write the printer\" --after parser --max-usd 2\n  apctl queue add --from more.yaml",
		Args:              upTo(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runQueueAdd(cmd.Context(), a, &o, cmd, args) },
	}
	f := cmd.Flags()
	queueFlag(cmd, &o.queue)
	f.StringVar(&o.name, "name", "", "`NAME` of the item (default: made of the task)")
	f.StringSliceVar(&o.after, "after", nil, "begin after `ITEM` is finished (repeatable)")
	f.StringVar(&o.from, "from", "", "add the items of `FILE`, - is standard input")
	itemFlags(cmd, &o.run)
	return a.jsonFlag(cmd)
}

func runQueueAdd(ctx context.Context, a *app, o *queueAddOptions, cmd *cobra.Command, args []string) error {
	if o.from != "" && len(args) > 0 {
		return render.Exclusive("--from", "a task")
	}
	ref, err := a.queueRef(o.queue)
	if err != nil {
		return err
	}
	req := wire.QueueAddRequest{QueueRef: ref}
	if req.File, err = a.queueFile(o.from); err != nil {
		return err
	}
	if req.File == nil {
		item := wire.QueueItemSpec{Name: o.name, After: o.after}
		if item.Start, err = o.run.itemRequest(a, cmd, args); err != nil {
			return err
		}
		req.Items = append(req.Items, item)
	}
	var v wire.QueueView
	if err := ask(ctx, a, wire.QueueAdd, req, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaQueue, v, func(s render.Style) string { return s.Queue(v) })
}

func queueFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVarP(to, "queue", "q", "", "`NAME` of the queue (default: the latest of this project)")
}

func (a *app) queueRef(name string) (wire.QueueRef, error) {
	dir, err := a.workspace("")
	return wire.QueueRef{Queue: name, Workspace: dir}, err
}

func newQueueLs(a *app) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "ls", Short: "List the queues of this project",
		Long: "Lists the queues of this project, the newest first, with how many items stand how.", Example: "  apctl queue ls\n  apctl queue ls --all --json",
		Args: upTo(0), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.workspace("")
			if err != nil && !all {
				return err
			}
			var v wire.QueuesView
			if err := ask(cmd.Context(), a, wire.QueueList, wire.QueueListRequest{Workspace: dir, All: all}, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaQueues, v, func(s render.Style) string { return s.Queues(v) })
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "of every project")
	return a.jsonFlag(cmd)
}

// queueCommand is a command about one queue, which the caller may name.
func queueCommand(a *app, use, short, long, example string, do func(context.Context, wire.QueueRef, *wire.QueueView) error, show func(render.Style, wire.QueueView) string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: upTo(1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := a.queueRef(optional(args))
			if err != nil {
				return err
			}
			var v wire.QueueView
			if err := do(cmd.Context(), ref, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaQueue, v, func(s render.Style) string { return show(s, v) })
		},
	}
	return a.jsonFlag(cmd)
}

func optional(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func newQueueShow(a *app) *cobra.Command {
	return queueCommand(a, "show [QUEUE]", "Show a queue and its items",
		"Shows each item: how it stands, what it waits for, its run, and what a landing found.",
		"  apctl queue show\n  apctl queue show night --json",
		func(ctx context.Context, ref wire.QueueRef, v *wire.QueueView) error {
			return ask(ctx, a, wire.QueueShow, ref, v)
		}, render.Style.Queue)
}

func newQueueSchedule(a *app) *cobra.Command {
	return queueCommand(a, "schedule [QUEUE]", "Show in which order a queue would begin its items",
		"Shows which items could begin now, in their order, and what holds up each other one.\nNothing is begun.",
		"  apctl queue schedule",
		func(ctx context.Context, ref wire.QueueRef, v *wire.QueueView) error {
			return ask(ctx, a, wire.QueueShow, ref, v)
		}, render.Style.QueueSchedule)
}

func newQueuePause(a *app) *cobra.Command {
	return queueCommand(a, "pause [QUEUE]", "Begin and land nothing more",
		"Begins no further item, and lands none. Runs under way go on. apctl queue run goes on\nwith it.",
		"  apctl queue pause",
		func(ctx context.Context, ref wire.QueueRef, v *wire.QueueView) error {
			return ask(ctx, a, wire.QueuePause, ref, v)
		}, render.Style.Queue)
}

// itemCommand is a command about one item.
func itemCommand(a *app, use, short, long, example string, verb wire.Verb[wire.QueueItemRequest, wire.QueueView]) *cobra.Command {
	queue := ""
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: oneName, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := a.queueRef(queue)
			if err != nil {
				return err
			}
			var v wire.QueueView
			if err := ask(cmd.Context(), a, verb, wire.QueueItemRequest{QueueRef: ref, Item: args[0]}, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaQueue, v, func(s render.Style) string { return s.Queue(v) })
		},
	}
	queueFlag(cmd, &queue)
	return a.jsonFlag(cmd)
}

func newQueueRm(a *app) *cobra.Command {
	return itemCommand(a, "rm ITEM", "Take an item out of a queue",
		"Takes an item out of the queue, by name or number. A run of it that is under way goes\non, and lands nothing; apctl cancel ends it. What waits for the item is blocked.",
		"  apctl queue rm parser\n  apctl queue rm 3 --queue night", wire.QueueRemove)
}

func newQueueRetry(a *app) *cobra.Command {
	return itemCommand(a, "retry ITEM", "Try an item anew that failed, halted or could not land",
		"Begins a new run for an item that has stopped; work that is done is landed again.",
		"  apctl queue retry parser", wire.QueueRetry)
}
