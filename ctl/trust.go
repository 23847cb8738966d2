package ctl

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type trustOptions struct {
	show bool
	dir  string
}

func newTrust(a *app) *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Agree to the project's configuration",
		Long: `Shows .autopilot/config.yaml of this work tree with its workflows and prompts
(.autopilot/workflows/*.yaml, .autopilot/prompts/*.md), or what has changed in
them since they were trusted last, and asks whether you agree. What you agree
to by typing the start of their hash (or your PIN, where one is set) are the
commands in them: the daemon runs them, as you. Until then they are not used.

Trust is in the content, for every work tree of the repository. Any change asks
again; to go back to a content that was trusted before does not.

It needs a person at a terminal. Without one, and when anything else is typed,
nothing changes and the exit code is 13.`,
		Example:           "  apctl trust\n  apctl trust --show",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runTrust(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.show, "show", false, "show it and ask nothing; exit code 13 says that it is not trusted")
	cmd.Flags().StringVarP(&o.dir, "directory", "C", "", "of the work tree of `DIR`, not of this one")
	_ = cmd.MarkFlagDirname("directory")
	return a.jsonFlag(cmd)
}

func runTrust(ctx context.Context, a *app, o trustOptions) error {
	dir, err := a.workspace(o.dir)
	if err != nil {
		return err
	}
	var v wire.TrustView
	if err := ask(ctx, a, wire.TrustShow, wire.TrustRequest{Workspace: dir}, &v); err != nil {
		return err
	}
	if !v.Trusted && !o.show && !a.json {
		return a.agree(ctx, dir, v)
	}
	if err := a.answer(wire.SchemaTrust, v, func(s render.Style) string { return s.Trust(v) }); err != nil {
		return err
	}
	if !v.Trusted {
		return status(wire.ExitPerson)
	}
	return nil
}

// trusting does something that may need a trusted project file. If it does, a
// person at the terminal is asked, and it is done again.
func (a *app) trusting(ctx context.Context, dir string, do func() error) error {
	err := do()
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.NeedsPerson || !a.interactive() {
		return err
	}
	var v wire.TrustView
	if ask(ctx, a, wire.TrustShow, wire.TrustRequest{Workspace: dir}, &v) != nil || v.Trusted {
		return err // it needs a person for something else
	}
	if err := a.agree(ctx, dir, v); err != nil {
		return err
	}
	return do()
}

// agree shows a person what is not trusted yet and asks whether it is. An error
// says that nothing has changed.
func (a *app) agree(ctx context.Context, dir string, v wire.TrustView) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.DecidesNothing()
	}
	typed, pin, err := a.proof(v.PIN, func(s render.Style) string { return s.TrustAsk(v) })
	if err != nil {
		return unasked(err, func(why error) error { return render.NoTerminal(v, why) })
	}
	if typed != wire.Challenge(v.Hash) && pin == "" {
		return render.NotAgreed(v, typed)
	}
	req := wire.TrustRequest{Workspace: dir, Hash: v.Hash, Typed: typed, PIN: pin}
	if err := ask(ctx, a, wire.TrustGive, req, &v); err != nil {
		return err
	}
	a.note(a.style(a.Err).Trusted(v))
	return nil
}
