package ctl

import (
	"errors"

	"github.com/spf13/cobra"
)

func newDoctor(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what could go wrong here",
		RunE:  func(*cobra.Command, []string) error { return errors.New("not built yet") },
	}
	return a.jsonFlag(cmd)
}
