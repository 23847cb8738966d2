package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newAgent(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "List and check agents",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
