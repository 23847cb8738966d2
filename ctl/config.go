package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newConfig(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, check and set settings",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
