package ctl

import (
	"github.com/spf13/cobra"
)

func newArchive(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "What becomes of history",
		Long: `The record of a run is kept for good, in a log that grows. Runs that are over can
be moved out of it into a bundle: one file that holds their events and proves
them. They stay in lists and reports, and everything that looks back reads them.`,
		Example: "  apctl archive roll --dry-run\n  apctl archive roll",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newArchiveRoll(a))
	return cmd
}
