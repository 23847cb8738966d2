package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newTrust(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Agree to the project's configuration",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
