package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newArchiveLs(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "ls",
		Short:             "Where history is, and what it takes",
		Long:              "Lists the log, the bundles and all that runs have left, with its size.",
		Example:           "  apctl archive\n  apctl archive ls --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runArchiveLs(cmd.Context(), a) },
	}
	return a.jsonFlag(cmd)
}

func runArchiveLs(ctx context.Context, a *app) error {
	var v wire.ArchiveView
	if err := ask(ctx, a, wire.ArchiveList, wire.None{}, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaArchive, v, func(s render.Style) string { return s.Archive(v) })
}
