package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newPeerJoin(a *app) *cobra.Command {
	var dir string
	var q wire.PeerJoinRequest
	var o treeOptions
	cmd := &cobra.Command{
		Use:   "join [--mode MODE]",
		Short: "Be seen by the others, with what this session does",
		Long: `Checks as apctl peer check does, and puts this session among the others if it may
begin. Beside another that writes it may with --worktree, which makes a work tree
of its own and says where, the same one each time, or with --in-place, which is
recorded with the reason. Chats whose hosts have hooks are among them already, without a
mode; join says it.`,
		Example:           "  apctl peer join --mode deep\n  apctl peer join --mode feature --worktree\n  apctl peer join --mode feature --in-place -m 'docs alone'",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.Reason != "" && !q.InPlace {
				return render.ReasonAlone()
			}
			if err := o.check(cmd.Flags().Changed); err != nil {
				return err
			}
			switch {
			case o.wanted && q.InPlace:
				return render.Exclusive("--in-place", "--worktree")
			case o.wanted:
				return a.besideInTree(cmd.Context(), dir, q, o)
			}
			return a.beside(cmd.Context(), wire.PeerJoin, dir, q)
		},
	}
	peerMode(cmd, &q.Mode)
	cmd.Flags().BoolVar(&q.InPlace, "in-place", false, "begin here beside another that writes too")
	cmd.Flags().StringVarP(&q.Reason, "message", "m", "", "`WHY`, with --in-place")
	treeFlags(cmd, &o, "begin in a work tree of its own, which is made")
	peerDir(cmd, &dir)
	return a.jsonFlag(cmd)
}

// besideInTree lets a session begin in a work tree of its own, unless another wants
// to be alone in the repository. The offer is asked for first: it may be gone.
//
// Source: session-orchestrator, seeds 2.8.2 choices.
func (a *app) besideInTree(ctx context.Context, dir string, q wire.PeerJoinRequest, o treeOptions) error {
	var err error
	if q.Directory, err = a.here(dir); err != nil {
		return err
	}
	var v wire.PeerCheckView
	if err := ask(ctx, a, wire.PeerCheck, q, &v); err != nil {
		return err
	}
	if v.Outcome == "EXCLUSIVE_BLOCKED" {
		return a.besides(v, true)
	}
	hint := render.WithoutWorktree
	if v.Outcome == "PROMOTION_OFFER" {
		hint = render.InPlaceHint(q.Mode)
	}
	tree, p, err := a.treeOfSession(ctx, o, q.Directory, hint)
	if err != nil {
		return err
	}
	q.Directory = tree.Directory
	v = wire.PeerCheckView{}
	if err = ask(ctx, a, wire.PeerJoin, q, &v); err != nil || !v.Joined {
		if !unreachable(err) {
			a.dropTree(ctx, p)
		}
		if err != nil {
			return err
		}
		return a.besides(v, true)
	}
	tree.Next = []wire.NextCommand{render.GoThere(tree.Directory), render.BeginThere()}
	v.Worktree = &tree
	return a.besides(v, true)
}
