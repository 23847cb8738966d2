package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newNotify(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Test how you are told",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
