package ctl

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

func newPeerClaims(a *app) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "claims",
		Short: "List what is claimed in this repository, by whom and until when",
		Long: `Lists what is claimed in the repository of this directory. held: the holder was
heard of in time. overdue: it was not, but its process goes on. stale: who takes
it next has it. The number is the fencing token, greater with each holder.`,
		Example:           "  apctl peer claims\n  apctl peer claims --all --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runPeerClaims(cmd.Context(), a, all) },
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "of every repository")
	return a.jsonFlag(cmd)
}

func runPeerClaims(ctx context.Context, a *app, all bool) error {
	dir, err := a.workspace("")
	if err != nil && !all {
		return err
	}
	req := wire.ClaimsRequest{All: all, Workspace: dir}
	var v wire.ClaimsView
	if err := ask(ctx, a, wire.PeerClaims, req, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaClaims, v, func(s render.Style) string { return s.Claims(v, all) })
}

func newPeerTake(a *app) *cobra.Command {
	var ttl string
	cmd := &cobra.Command{
		Use:   "take KEY",
		Short: "Claim a work tree, a branch, an issue or a merge slot",
		Long: `Claims KEY for the chat, terminal or script that this command is called from:
workspace (the work tree here), branch:NAME, issue:NAME or merge:NAME. Of two who
ask at once one gets it; exit code 5 says who has it, since when. Who has it
asks again to renew it, and a chat with hooks does so with what it does.

It is free again when it is given back, or when nothing was heard of its holder
for --ttl and its process has ended. It is never taken from a holder that goes
on, unless a person forces that.`,
		Example:           "  apctl peer take branch:fix/parser --ttl 30m\n  apctl peer take issue:24\n  apctl peer take workspace",
		Args:              oneKey,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			length, err := ttlOf(cmd, args[0], ttl)
			if err != nil {
				return err
			}
			return runPeerTake(cmd.Context(), a, args[0], length)
		},
	}
	cmd.Flags().StringVar(&ttl, "ttl", ttl, "`TIME` that it is fresh without a sign of its holder, 10s to 168h (default 2h; to renew, what it had)")
	return a.jsonFlag(cmd)
}

// oneKey wants exactly one claim.
func oneKey(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return render.ClaimWhat(cmd.CommandPath())
	}
	return upTo(1)(cmd, args)
}

func runPeerTake(ctx context.Context, a *app, key string, ttl time.Duration) error {
	dir, err := a.workspace("")
	if err != nil {
		return err
	}
	var v wire.ClaimsView
	req := wire.ClaimRequest{Workspace: dir, Key: key, TTL: int64(ttl / time.Second)}
	if err := ask(ctx, a, wire.PeerTake, req, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaClaims, v, func(s render.Style) string { return s.Taken(v) })
}

// ttlOf is for how long a claim is taken: 0 without the flag, and the daemon knows.
func ttlOf(cmd *cobra.Command, key, length string) (time.Duration, error) {
	if !cmd.Flags().Changed("ttl") {
		return 0, nil
	}
	ttl, err := parseDuration("--ttl", length)
	if err == nil && (ttl <= 0 || ttl%time.Second != 0) {
		err = render.BadTTL(ttl, key)
	}
	return ttl, err
}

func newPeerDrop(a *app) *cobra.Command {
	force := false
	cmd := &cobra.Command{
		Use:   "drop KEY",
		Short: "Give a claim back; with --force take it from another",
		Long: `Gives back what this chat, terminal or script has claimed. Nobody else's claim is
touched: exit code 5 says whose it is, 4 that nobody has it.

--force takes it from whoever has it. It needs a person at a terminal, who types
KEY, or the PIN where one is set; it is recorded. Without one, or when anything
else is typed, nothing changes and the exit code is 13. The work tree of a live
run is not forced: stop the run.`,
		Example:           "  apctl peer drop branch:fix/parser\n  apctl peer drop issue:24 --force",
		Args:              oneKey,
		ValidArgsFunction: a.completeClaims,
		RunE: func(cmd *cobra.Command, args []string) error {
			if force {
				return runPeerForce(cmd.Context(), a, args[0])
			}
			return runPeerDrop(cmd.Context(), a, args[0])
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "take it from whoever has it; asks a person")
	return a.jsonFlag(cmd)
}

func runPeerDrop(ctx context.Context, a *app, key string) error {
	dir, err := a.workspace("")
	if err != nil {
		return err
	}
	var v wire.ClaimsView
	if err := ask(ctx, a, wire.PeerDrop, wire.ClaimRequest{Workspace: dir, Key: key}, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaClaims, v, func(s render.Style) string { return s.Dropped(v) })
}

func runPeerForce(ctx context.Context, a *app, key string) error {
	dir, err := a.workspace("")
	if err != nil {
		return err
	}
	req := wire.ClaimRequest{Workspace: dir, Key: key}
	if a.getenv(place.EnvEffect) != "" {
		return render.DecidesNothing()
	}
	var v wire.ClaimsView
	if err := ask(ctx, a, wire.PeerForce, req, &v); err != nil {
		return err
	}
	shown := v.Claims[0]
	typed, pin, err := a.proof(v.PIN, func(s render.Style) string { return s.ForceAsk(v) })
	if err != nil {
		return unasked(err, func(why error) error { return render.NotForced(shown, why.Error()) })
	}
	if typed != shown.Key && pin == "" {
		return render.NotForcedAs(shown, typed)
	}
	req.Typed, req.PIN, req.Fence, req.Decided, v = typed, pin, shown.Fence, true, wire.ClaimsView{}
	if err := ask(ctx, a, wire.PeerForce, req, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaClaims, v, func(s render.Style) string { return s.Dropped(v) })
}

// completeClaims offers what is claimed here. It starts no daemon.
func (a *app) completeClaims(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	dir, err := a.workspace("")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(cmd.Context(), a, args, wire.PeerClaims, wire.ClaimsRequest{Workspace: dir}, func(v wire.ClaimsView, add func(word, says string)) {
		for _, c := range v.Claims {
			add(c.Key, c.Holder)
		}
	})
}
