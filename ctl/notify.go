package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newNotify(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Test how you are told what happens to runs",
		Long: `The rules in your configuration say how you are told: by a command with JSON on
its standard input, a webhook, a comment on GitHub, the desktop, or the bell of
the terminal that follows the run. They stand in the file that apctl config show
names:

  notify:
    rules:
      - on: [needs_person, halted, died]
        run: ./tell-me.sh
      - webhook: https://example.org/hook
      - {on: [done], desktop: true}
      - {on: [needs_person, done, halted], github: OWNER/NAME}
    quiet: "22:00-07:00"
    quiet_pass: [needs_person]

Kinds: needs_person, halted, done, waiting_limit, died, budget_low (80 % of a
limit are used); without "on" a rule is for all of them. What falls into the
quiet time is told at its end as one digest, and so are many things at once. A
command has ten seconds. A webhook is tried eight times over about an hour,
under one Idempotency-Key.

github comments at the issue or pull request that a run is about (apctl run
--issue 24), through your own gh: what is asked, where, and how it is answered, or
what came of the run. OWNER/NAME#24 takes the runs without an issue too. gh has to
be on the daemon's PATH and logged in (gh auth login). It is tried again as a
webhook is; the comment is looked for before that, so that it stands there once.
draft: true pushes what a run in a work tree of its own asks approval for, and
shows it as a draft pull request before it asks (docs/configuration.md).`,
		Example: "  apctl notify test\n  apctl notify test --on halted",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newNotifyTest(a))
	return cmd
}

func newNotifyTest(a *app) *cobra.Command {
	on := ""
	cmd := &cobra.Command{
		Use:               "test",
		Short:             "Send a test through every rule, and say what became of it",
		Long:              "Sends a test at once through every rule, in quiet time too. Exits with 1 if one\nfailed, or if there is none.",
		Example:           "  apctl notify test\n  apctl notify test --on halted --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runNotifyTest(cmd.Context(), a, on) },
	}
	cmd.Flags().StringVar(&on, "on", "", "only the rules for this `KIND`")
	_ = cmd.RegisterFlagCompletionFunc("on", cobra.FixedCompletions(
		[]cobra.Completion{"needs_person", "halted", "done", "waiting_limit", "died", "budget_low"}, cobra.ShellCompDirectiveNoFileComp))
	return a.jsonFlag(cmd)
}

func runNotifyTest(ctx context.Context, a *app, on string) error {
	var v wire.NotifyView
	if err := ask(ctx, a, wire.NotifyTest, wire.NotifyTestRequest{On: on}, &v); err != nil {
		return err
	}
	failed := len(v.Results) == 0
	for _, r := range v.Results {
		failed = failed || !r.OK
	}
	err := a.answer(wire.SchemaNotify, v, func(s render.Style) string { return s.Notify(v) })
	if err != nil || !failed {
		return err
	}
	if len(v.Results) == 0 && !a.json {
		a.note(render.NoRules(v.File, on))
	}
	return status(wire.ExitFailed)
}
