package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newInit(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up autopilot for this project",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
