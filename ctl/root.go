package ctl

import (
	"os"

	"github.com/spf13/cobra"
)

const (
	groupDaily   = "daily"
	groupPeople  = "people"
	groupControl = "control"
	groupLook    = "look"
	groupMachine = "machine"
	groupSetup   = "setup"

	groupPrograms = "programs"
)

// Commands is the tree of commands, for what is written about them.
func Commands(w World) *cobra.Command { return newRoot(&app{World: w}) }

func newRoot(a *app) *cobra.Command {
	version := false
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return runVersion(cmd.Context(), a)
			}
			return runHome(cmd.Context(), a)
		},
	}
	a.jsonFlag(root)
	root.Flags().BoolVarP(&version, "version", "v", false, "as the command version, which people type so elsewhere")
	_ = root.Flags().MarkHidden("version")
	root.SetFlagErrorFunc(a.flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddGroup(
		&cobra.Group{ID: groupDaily, Title: "Daily:"},
		&cobra.Group{ID: groupPeople, Title: "People:"},
		&cobra.Group{ID: groupControl, Title: "Control:"},
		&cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupMachine, Title: "Machine:"},
		&cobra.Group{ID: groupSetup, Title: "Setup:"},
		&cobra.Group{ID: groupPrograms, Title: "Programs:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
		}
		root.AddCommand(commands...)
	}
	add(groupDaily, newRun(a), newQueue(a), newLs(a), newStatus(a), newWatch(a), newLogs(a), newWhy(a), newDiff(a), newReport(a))
	add(groupPeople, newInbox(a), newAnswer(a), newPIN(a))
	add(groupControl, newStop(a), newResume(a), newCancel(a), newWait(a), newRestore(a), newAccept(a), newDiscard(a))
	add(groupLook, newEvents(a), newReplay(a), newRetro(a), newVerify(a), newArchive(a))
	add(groupMachine, newUsage(a), newProbe(a), newPeer(a))
	add(groupPrograms, newSession(a), newRoute(a), newMode(a), newHook(a), newCompat(a))
	add(groupSetup, newInit(a), newTrust(a), newDoctor(a), newConfig(a), newWorkflow(a), newAgent(a), newNotify(a), newDaemon(a), newVersion(a))
	root.SetCompletionCommandGroupID(groupSetup)
	help := newHelp()
	help.GroupID = groupSetup
	root.SetHelpCommand(help)
	root.AddCommand(topics()...)
	root.AddCommand(newWorktree(a))
	return root
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
