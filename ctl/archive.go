package ctl

import (
	"github.com/spf13/cobra"
)

func newArchive(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "Where history is, and what becomes of it",
		Long: `The record of a run is kept for good, in a log that grows. Runs that are over can
be moved out of it into a bundle: one file that holds their events and proves
them. They stay in lists and reports, and everything that looks back reads them.
A bundle can also be written for others, and be taken in elsewhere. Without a
word behind it: where history is, and what it takes.`,
		Example: "  apctl archive\n  apctl archive roll\n  apctl archive export k3xq\n  apctl archive import autopilot-k3xq.zip",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runArchiveLs(cmd.Context(), a) },
	}
	cmd.AddCommand(newArchiveLs(a), newArchiveRoll(a), newArchivePrune(a), newArchiveErase(a), newArchiveExport(a), newArchiveImport(a))
	return a.jsonFlag(cmd)
}
