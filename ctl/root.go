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
func Commands(w World) *cobra.Command { return newRoot(&app{World: w}, "") }

// commands are those of the root. Only the one that is called is built, as all of them
// with their flags are a fifth of a short call.
var commands = []struct {
	group, name string
	build       func(*app) *cobra.Command
}{
	{groupDaily, "run", newRun},
	{groupDaily, "queue", newQueue},
	{groupDaily, "ls", newLs},
	{groupDaily, "status", newStatus},
	{groupDaily, "watch", newWatch},
	{groupDaily, "logs", newLogs},
	{groupDaily, "why", newWhy},
	{groupDaily, "diff", newDiff},
	{groupDaily, "report", newReport},
	{groupPeople, "inbox", newInbox},
	{groupPeople, "answer", newAnswer},
	{groupPeople, "pin", newPIN},
	{groupControl, "stop", newStop},
	{groupControl, "resume", newResume},
	{groupControl, "cancel", newCancel},
	{groupControl, "wait", newWait},
	{groupControl, "restore", newRestore},
	{groupControl, "accept", newAccept},
	{groupControl, "discard", newDiscard},
	{groupLook, "events", newEvents},
	{groupLook, "replay", newReplay},
	{groupLook, "retro", newRetro},
	{groupLook, "verify", newVerify},
	{groupLook, "archive", newArchive},
	{groupMachine, "usage", newUsage},
	{groupMachine, "probe", newProbe},
	{groupMachine, "peer", newPeer},
	{groupPrograms, "session", newSession},
	{groupPrograms, "route", newRoute},
	{groupPrograms, "mode", newMode},
	{groupPrograms, "hook", newHook},
	{groupPrograms, "compat", newCompat},
	{groupSetup, "init", newInit},
	{groupSetup, "trust", newTrust},
	{groupSetup, "doctor", newDoctor},
	{groupSetup, "config", newConfig},
	{groupSetup, "workflow", newWorkflow},
	{groupSetup, "agent", newAgent},
	{groupSetup, "notify", newNotify},
	{groupSetup, "daemon", newDaemon},
	{groupSetup, "version", newVersion},
	{"", "worktree", newWorktree},
}

// called is the command of the root that a call begins with. It is empty for all other
// calls: flags first, completion, help, and what is mistyped.
func called(args []string) string {
	if len(args) == 0 {
		return ""
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.name
		}
	}
	return ""
}

// newRoot is the tree of commands, or the branch of only one.
func newRoot(a *app, only string) *cobra.Command {
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
	for _, c := range commands {
		if only == "" || only == c.name {
			cmd := c.build(a)
			cmd.GroupID = c.group
			root.AddCommand(cmd)
		}
	}
	root.SetCompletionCommandGroupID(groupSetup)
	help := newHelp()
	help.GroupID = groupSetup
	root.SetHelpCommand(help)
	root.AddCommand(topics()...)
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
