package ctl

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// versions is the answer of version --json.
type versions struct {
	Client   string `json:"client"`
	Daemon   string `json:"daemon,omitzero"` // when one runs
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:               "version",
		Short:             "Versions of apctl and of the daemon, if one runs",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runVersion(cmd.Context(), a) },
	})
}

func runVersion(ctx context.Context, a *app) error {
	v := versions{Client: a.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	// A daemon that does not answer has no version to show; that is no error.
	if d, err := a.connect(ctx, false); err == nil {
		defer d.Close()
		var view wire.DaemonView
		if client.Call(ctx, d, wire.DaemonStatus, wire.None{}, &view) == nil {
			v.Daemon = view.Version
		}
	}
	return a.answer(wire.SchemaVersion, v, func(s render.Style) string {
		return s.Version(v.Client, v.Platform, v.Daemon)
	})
}
