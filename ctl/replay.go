package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newReplay(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Show a run again as it was",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
