package ctl

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

const (
	groupDaily   = "daily"
	groupControl = "control"
	groupLook    = "look"
	groupSetup   = "setup"
)

// Commands is the tree of commands, for what is written about them.
func Commands(w World) *cobra.Command { return newRoot(&app{World: w}) }

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "apctl",
		Short: "Run coding agents in a loop until gates that they do not control pass",
		Long: `apctl runs a coding agent in a loop until your gates pass. The daemon runs the
gates itself, keeps a record of every step, and halts with its evidence when
the agent gets nowhere. Without a command: what needs you, then what runs.`,
		Example: `  apctl init         find the tests and the agents of this project
  apctl run "make the suite pass" --gate test='go test ./...' --agent claude
  apctl              what needs you, what runs
  apctl why          why the latest run here ended as it did
  apctl resume -m "the bug is in parse.go"`,
		Args:          group,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return runHome(cmd.Context(), a) },
	}
	a.jsonFlag(root)
	root.SetFlagErrorFunc(a.flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddGroup(
		&cobra.Group{ID: groupDaily, Title: "Daily:"},
		&cobra.Group{ID: groupControl, Title: "Control:"},
		&cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupSetup, Title: "Setup:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
		}
		root.AddCommand(commands...)
	}
	add(groupDaily, newRun(a), newLs(a), newStatus(a), newWatch(a), newLogs(a), newWhy(a), newDiff(a))
	add(groupControl, newStop(a), newResume(a), newCancel(a), newWait(a), newRestore(a))
	add(groupLook, newEvents(a), newReplay(a), newUsage(a), newRetro(a), newVerify(a))
	add(groupSetup, newInit(a), newTrust(a), newDoctor(a), newConfig(a), newAgent(a), newNotify(a), newDaemon(a), newVersion(a))
	root.SetCompletionCommandGroupID(groupSetup)
	help := newHelp()
	help.GroupID = groupSetup
	root.SetHelpCommand(help)
	root.AddCommand(topics()...)
	return root
}

// runHome shows what needs a person and what runs. It starts the daemon only if
// there is anything to look at: what was halted in the night needs someone, and
// a run that a reboot cut short goes on.
func runHome(ctx context.Context, a *app) error {
	var reply wire.ListReply
	d, err := a.connect(ctx, a.hasHistory())
	if err == nil {
		defer d.Close()
		err = d.Call(ctx, wire.RunList, wire.ListRequest{}, &reply)
	}
	var e *wire.Error
	if errors.As(err, &e) && e.Code == wire.Unreachable {
		err = nil
	}
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaRuns, reply, func(s render.Style) string { return s.Home(reply.Runs) })
}

// hasHistory says that some run was started here before.
func (a *app) hasHistory() bool {
	p, err := a.FindPlaces()
	if err != nil {
		return false
	}
	info, err := os.Stat(p.MarkFile())
	return err == nil && info.Size() > 0
}
