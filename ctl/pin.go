package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

func newPIN(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pin",
		Short: "A PIN that decisions need",
		Long: `Where a PIN is set, apctl answer, trust, archive erase, and resume after drift
ask for it instead of what is shown, and what is decided is recorded with
assurance pin. A gate can demand that.

It is asked for at the terminal, is not shown, and is stored as what scrypt makes
of it. After three wrong tries each further one has to wait, longer each time.
Who has forgotten it removes pin.json from the state directory (apctl daemon
status); no agent sees that directory.`,
		Example: "  apctl pin set\n  apctl pin status\n  apctl pin remove",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range []struct {
		use, short, example string
		run                 func(context.Context) error
	}{
		{"set", "Set a PIN, or another one", "  apctl pin set", a.setPIN},
		{"remove", "Remove the PIN", "  apctl pin remove", a.removePIN},
		{"status", "Whether a PIN is set", "  apctl pin status --json", a.showPIN},
	} {
		cmd.AddCommand(a.jsonFlag(&cobra.Command{
			Use: c.use, Short: c.short, Long: c.short + ". See apctl pin.", Example: c.example, Args: upTo(0), ValidArgsFunction: cobra.NoFileCompletions,
			RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
		}))
	}
	return cmd
}

func (a *app) showPIN(ctx context.Context) error {
	var v wire.PINView
	if err := ask(ctx, a, wire.PINStatus, wire.None{}, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaPIN, v, func(s render.Style) string { return s.PIN(v) })
}

func (a *app) setPIN(ctx context.Context) error {
	return a.changePIN(ctx, func(req *wire.PINRequest) error {
		again := ""
		err := a.secrets(
			secret{&req.New, render.Style.NewPIN},
			secret{&again, render.Style.PINAgain})
		if err == nil && again != req.New {
			err = render.PINsDiffer()
		}
		return err
	})
}

func (a *app) removePIN(ctx context.Context) error {
	return a.changePIN(ctx, func(req *wire.PINRequest) error {
		req.Remove = true
		return nil
	})
}

// changePIN asks for the PIN that is set, if one is, and for what more is needed.
func (a *app) changePIN(ctx context.Context, more func(*wire.PINRequest) error) error {
	var req wire.PINRequest
	var v wire.PINView
	if a.getenv(place.EnvEffect) == "" { // the daemon refuses an effect, and records that
		if err := ask(ctx, a, wire.PINStatus, wire.None{}, &v); err != nil {
			return err
		}
		if v.Set {
			if err := a.secrets(secret{&req.Old, render.Style.OldPIN}); err != nil {
				return err
			}
		}
		if err := more(&req); err != nil {
			return err
		}
	}
	if err := ask(ctx, a, wire.PINSet, req, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaPIN, v, func(s render.Style) string { return s.PIN(v) })
}

// secret is what is asked for at the terminal without being shown.
type secret struct {
	to       *string
	question func(render.Style) string
}

func (a *app) secrets(list ...secret) error {
	for _, s := range list {
		typed, err := a.typedHidden(s.question)
		if err != nil {
			return unasked(err, func(why error) error { return render.NoPIN(why) })
		}
		if *s.to = typed; typed == "" {
			return render.NothingTyped()
		}
	}
	return nil
}
