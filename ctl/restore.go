package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newRestore(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore RUN K",
		Short: "Take the workspace back to iteration K",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
