package ctl

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/ctl/worktree"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
	"autopilot/projections/when"
)

type runOptions struct {
	file       string
	task       string // as it was read
	dir        string
	detach     bool
	keep       bool
	dryRun     bool
	goals      []string
	invariants []string
	agent      agentOptions
	protect    []string
	allow      []string
	env        []string
	limits     limitOptions
	artifacts  []string
	holdouts   []string
	holdoutDir string
	setup      string
	clean      bool
	noControls bool
	tree       treeOptions
	again      bool // a work tree that was made for the same task is gone on with
	noConfig   bool
	workflow   string
	sandbox    string
	driver     string
	issue      string
	fromIssue  string // hash of the text, or ask; empty does not take it
	inputs     []string
	short      []string // inputs that have a flag of their own
	priority   string
	git        wire.GitRules
	findings   string // file of them
}

const workflowConverge = "converge"

func newRun(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:        "run [flags] TASK",
		SuggestFor: []string{"exec", "start"},
		Short:      "Run an agent until the gates pass",
		Long: `Runs an agent on TASK in a loop. After each iteration the daemon runs every
gate itself; the run is done when all pass on one tree and no pinned test was
changed. It halts when the agent gets nowhere, or at a limit.

A goal (--gate) must fail before the first iteration; an invariant must pass.
Gates, agent and limits that are not typed come from the configuration, which
apctl init writes and apctl config show explains.

TASK may be - for standard input. A task that begins with - goes after --.

On a terminal Ctrl-C leaves the run to itself; twice stops it after the
iteration. Without a terminal INT or TERM stops the run and keeps its work.

A person who starts a run at a terminal with FA_HANDOFF=1 in the environment hands
over the approvals that its workflow lets go: nobody is asked there.

The run belongs to the daemon: it goes on when this command ends in any other
way, as in a pipe to head. After a reboot, or when the daemon was killed, it
goes on with the next command that asks the daemon, as apctl ls.`,
		Example: `  apctl run "make the suite pass"
  apctl run "make the suite pass" --gate test='go test ./...' --agent claude --worktree --for 8h
  apctl run -f task.md --gate 'pytest -q' --invariant lint='ruff check' --agent-cmd ./a.sh --until 07:00
  apctl run "try it" --gate ok='test -f ok' --script demo.yaml --dry-run
  id=$(apctl run -d "fix it" --gate 'make test' --agent-cmd ./a.sh) && apctl wait $id`,
		Args:              upTo(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runRun(cmd.Context(), a, &o, cmd, args) },
	}
	o.flags(cmd)
	_ = cmd.MarkFlagDirname("directory")
	_ = cmd.MarkFlagDirname("holdout-dir")
	_ = cmd.RegisterFlagCompletionFunc("agent", func(cmd *cobra.Command, _ []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.completeAgents(cmd, nil, to)
	})
	_ = cmd.RegisterFlagCompletionFunc("sandbox", completeSandboxes)
	_ = cmd.RegisterFlagCompletionFunc("driver", cobra.FixedCompletions([]cobra.Completion{string(events.DriverSession)}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("git-push", cobra.FixedCompletions([]cobra.Completion{events.GitDeny, events.GitAllow}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("git-history", cobra.FixedCompletions([]cobra.Completion{events.GitKeep, events.GitAny}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("priority", cobra.FixedCompletions(events.Priorities(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("permissions", cobra.FixedCompletions([]cobra.Completion{"full"}, cobra.ShellCompDirectiveNoFileComp))
	return a.jsonFlag(cmd)
}

// flags are those of run, in the order of its help.
func (o *runOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "read the task from `FILE`, - is standard input")
	f.StringVar(&o.findings, "findings", "", "hand over the findings in `FILE`, - is standard input; see apctl help findings")
	f.BoolVarP(&o.detach, "detach", "d", false, "start it and print its handle")
	f.StringVar(&o.workflow, "workflow", workflowConverge, "`NAME` of a workflow, of the project or shipped")
	f.StringArrayVar(&o.goals, "gate", nil, "goal `NAME=CMD`: fails now, passes when the task is done (repeatable)")
	f.StringArrayVar(&o.invariants, "invariant", nil, "`NAME=CMD` that passes now and must stay so (repeatable)")
	f.StringArrayVar(&o.artifacts, "artifact", nil, "goal `NAME=GLOB`: files that the run has to write (repeatable)")
	f.StringArrayVar(&o.holdouts, "holdout", nil, "goal `NAME=CMD` with files that the agent does not see, see apctl help holdout (repeatable)")
	f.StringVar(&o.holdoutDir, "holdout-dir", "", "`DIR` of those files, laid over the work tree for these gates alone")
	f.StringVar(&o.setup, "setup", "", "`CMD` that prepares a clean checkout for the gates")
	f.BoolVar(&o.clean, "clean", false, "done also needs the gates to pass in a clean checkout")
	f.BoolVar(&o.noControls, "no-controls", false, "done without the controls: it proves less, and is shown so")
	treeFlags(cmd, &o.tree, "work on a new branch in its own work tree")
	f.BoolVar(&o.noConfig, "no-config", false, "do not read the project's configuration")
	f.StringVarP(&o.agent.profile, "agent", "a", "", "agent `NAME`, see apctl agent ls")
	f.StringVar(&o.agent.model, "model", "", "`MODEL` of the agent")
	f.StringVar(&o.agent.permissions, "permissions", "", "`full`: the agent may do anything unasked")
	f.StringVar(&o.agent.command, "agent-cmd", "", "agent: `CMD` for /bin/sh, prompt on standard input")
	f.StringVar(&o.agent.script, "script", "", "agent without a model: `FILE`, see apctl help agents")
	f.StringVar(&o.driver, "driver", "", "`session`: a chat does the work, see apctl session; --agent names the reviewer")
	f.StringVar(&o.issue, "issue", "", "`ISSUE` that it is about: 24 or OWNER/NAME#24, see apctl help notify")
	f.StringVar(&o.fromIssue, "from-issue", "", "use the text of the issue as the task, after you have seen it; `=HASH` names the seen text")
	f.Lookup("from-issue").NoOptDefVal = fromIssueAsk
	f.StringArrayVar(&o.inputs, "input", nil, "input `NAME=VALUE` of the workflow (repeatable)")
	for _, short := range shortInputs {
		f.BoolFunc(short.flag, "the same as --input "+short.input, func(string) error {
			o.short = append(o.short, short.input) // --input drops what stands in its list before its first use
			return nil
		})
	}
	f.StringVar(&o.priority, "priority", "", "`LEVEL` among runs that wait for the machine: low, normal or high")
	f.StringArrayVar(&o.protect, "protect", nil, "pin the files of `GLOB` too (repeatable)")
	f.StringArrayVar(&o.allow, "allow-test-changes", nil, "let the agent change pinned tests that match `GLOB`; without one, all")
	f.Lookup("allow-test-changes").NoOptDefVal = "**"
	f.StringVar(&o.git.Push, "git-push", "", "`deny`: a push halts the run; allow: a push is reported")
	f.StringVar(&o.git.History, "git-history", "", "`keep`: commits, branches, tags and stashes of the start must stay; any: changes are reported")
	f.StringVar(&o.sandbox, "sandbox", "", "what agent and gates may touch: `MODE`, see apctl agent sandbox")
	f.StringArrayVar(&o.env, "env", nil, "send `NAME` or NAME=VALUE to the agent, see apctl help environment")
	f.StringVar(&o.limits.forTime, "for", "", "end after this `TIME` of activity: 4h, 90m")
	f.StringVar(&o.limits.until, "until", "", "end by this `TIME`: 07:00, 2026-01-02T07:00")
	f.IntVar(&o.limits.iterations, "max-iterations", 0, "end after `N` iterations")
	f.StringVar(&o.limits.usd, "max-usd", "", "end when it has cost this many `DOLLARS`: 5, 0.50")
	f.StringVar(&o.limits.tokens, "max-tokens", "", "end after this `NUMBER` of tokens of all kinds: 500k, 2M")
	f.IntVar(&o.limits.turns, "max-turns", 0, "end after `N` turns of the agent, over all iterations")
	f.StringVar(&o.limits.sessions, "max-sessions", "", "workflow sessions: end after `N` sessions, 1 to 50 (default 5)")
	f.StringVar(&o.limits.hours, "max-hours", "", "workflow sessions: begin none after `HOURS`, 0.5 to 24 (default 4)")
	f.StringVar(&o.limits.confidence, "confidence-threshold", "", "workflow sessions: least confidence `C` of a mode that runs by itself, 0 to 1 (default 0.85)")
	f.StringVar(&o.limits.idle, "idle", "", "end an agent without a sign of life for this `TIME`: 20m, off (default "+when.Text(when.DefaultIdle)+")")
	f.StringVar(&o.limits.attempt, "iteration-timeout", "", "end an agent after this `TIME`: 4h, off (default "+when.Text(when.DefaultAttempt)+")")
	gateTimeout(f, &o.limits)
	f.BoolVar(&o.limits.noWait, "no-wait", false, "halt instead of waiting for a limit of the provider or a daily limit")
	f.BoolVar(&o.limits.startGreen, "start-green", false, "go on when the goals pass already; done then also needs a change")
	f.BoolVar(&o.limits.startBroken, "start-broken", false, "go on when a goal fails before it tests anything, because its program is missing")
	f.BoolVar(&o.limits.halfway, "halfway", false, "begin although git is inside a rebase, a merge, a cherry-pick or a conflict")
	f.BoolVar(&o.limits.untilGreen, "until-green", false, "end at once when the goals pass already")
	f.BoolVar(&o.dryRun, "dry-run", false, "print prompt, command, environment and gates, and start nothing")
	f.StringVarP(&o.dir, "directory", "C", "", "work in `DIR`, not here")
	f.BoolVar(&o.keep, "keep", false, "the run continues after INT or TERM without a terminal")
}

// gateTimeout is the flag of all commands that start runs.
func gateTimeout(f *pflag.FlagSet, o *limitOptions) {
	f.StringVar(&o.gate, "gate-timeout", "", "fail a command of a gate after this `TIME`: 1h (default "+when.Text(when.DefaultGate)+")")
}

func runRun(ctx context.Context, a *app, o *runOptions, cmd *cobra.Command, args []string) error {
	o.limits.typed = cmd.Flags().Changed
	if err := o.tree.check(cmd.Flags().Changed); err != nil {
		return err
	}
	req, err := o.request(a, cmd.Flags().Changed("max-iterations"), args)
	if err != nil {
		return err
	}
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	if o.fromIssue != "" {
		if err := a.issueTask(ctx, &req.Spec, o.fromIssue); err != nil {
			return err
		}
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	if len(req.Spec.Task)+len(req.Findings) > inlineMax {
		if req.Spec.TaskRef, err = d.Put(ctx, []byte(req.Spec.Task)); err != nil {
			return err
		}
		req.Spec.Task = ""
	}
	settings := func(ctx context.Context, q wire.WorktreeRequest, s *wire.WorktreeSettings) error {
		return client.Call(ctx, d, wire.WorktreeAsk, q, s)
	}
	w, err := a.placeRun(ctx, settings, o, &req)
	if err != nil {
		return err
	}
	if o.dryRun {
		return a.preview(ctx, d, w, req)
	}
	if err := a.handOver(ctx, d, &req); err != nil {
		return err
	}
	defer a.hear()()
	v, err := a.start(ctx, d, req)
	if err != nil {
		if w != nil && !unreachable(err) {
			a.dropTree(ctx, *w)
		}
		return err
	}
	if !a.json {
		a.sayBegan(v)
	}
	a.sayLeftOut(v.Workspace)
	return a.goOn(ctx, v, 0, o.detach || o.driver != "", o.keep) // a chat has other things to do than to watch itself
}

// start asks the daemon for the run.
func (a *app) start(ctx context.Context, d Daemon, req wire.StartRequest) (v wire.RunView, err error) {
	req.Advise = a.interactive() && req.Spec.Workflow != workflowConverge && req.Spec.Driver == events.DriverDaemon
	do := func() error {
		id := ulid.Make().String()
		defer a.sayRecording(ctx, d, id)()
		return change(ctx, a, d, id, wire.RunStart, req, &v)
	}
	err = a.trusting(ctx, cmp.Or(req.Spec.From, req.Spec.Workspace), do)
	var e *wire.Error
	if errors.As(err, &e) && e.Halfway != "" && a.interactive() && !a.json {
		if err = a.inTheMiddle(*e); err == nil {
			req.Spec.Halfway = true
			err = do()
		}
	}
	if err != nil || v.Express == "" {
		return v, err
	}
	if err := a.express(req.Spec.Workflow, v.Express); err != nil {
		return v, err
	}
	req.Advise = false
	return v, do()
}

// inTheMiddle asks a person whether a run may begin in a work tree in which git has not
// ended a rebase, a merge or the like. Without a person the refusal stays.
func (a *app) inTheMiddle(e wire.Error) error {
	typed, err := a.typed(func(s render.Style) string { return s.HalfwayAsk(e) })
	if err != nil {
		return unasked(err, func(error) error { return &e })
	}
	if !strings.EqualFold(typed, "yes") {
		return &e
	}
	return nil
}

// preview shows what would be started, and where.
func (a *app) preview(ctx context.Context, d Daemon, w *worktree.Plan, req wire.StartRequest) error {
	var p wire.Preview
	err := a.trusting(ctx, cmp.Or(req.Spec.From, req.Spec.Workspace), func() error {
		id := ulid.Make().String()
		defer a.sayRecording(ctx, d, id)()
		return client.CallAs(ctx, d, id, wire.RunPreview, req, &p)
	})
	if err != nil {
		return err
	}
	if w != nil {
		p.Workspace = w.Dir
	}
	return a.answer(wire.SchemaPreview, p, func(s render.Style) string { return s.Preview(p) })
}

// goOn prints the handle of a run that was started or resumed, or follows it.
func (a *app) goOn(ctx context.Context, v wire.RunView, after uint64, detach, keep bool) error {
	if !detach {
		return a.follow(ctx, v, after, followRun{stops: !keep})
	}
	if !a.json {
		a.note(a.style(a.Err).Detached(v))
	}
	return a.answer(wire.SchemaRun, v, func(render.Style) string { return render.Line(v.Handle) + "\n" })
}

// sayBegan notes what a person has to know of a run that begins.
func (a *app) sayBegan(v wire.RunView) {
	a.note(a.style(a.Err).Began(v))
	if v.Permissions == "full" {
		a.note(a.style(a.Err).FullPermissions(v))
	}
	a.note(a.style(a.Err).HandedOver(v))
	a.note(a.style(a.Err).Of(v).TaskPins(v.TaskPins))
	a.note(a.style(a.Err).Of(v).HiddenExits(v.Hidden))
	a.note(a.style(a.Err).Of(v).Lacks(v.Lacks))
	a.note(a.style(a.Err).InSight(v))
	if v.IndexLock != "" {
		a.note("  " + render.Line(v.IndexLock) + "\n")
	}
}
