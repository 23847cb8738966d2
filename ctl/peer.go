package ctl

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newPeer(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "peer",
		Short: "Other sessions on this host: who is there, what they say and have claimed",
		Long: `Shows the sessions that work on this host: chats whose hosts tell of them or that
have joined, runs of this repository, and sessions that a lock or registry file of
session-orchestrator tells of. A session is known by its process, never by a name.
What only one of them may work on is claimed: a work tree, a branch, an issue, a
merge slot.`,
		Example: "  apctl peer ls\n  apctl peer check --mode deep\n  apctl peer join --mode deep\n  apctl peer send p3fa9 'the schema is mine today'\n  apctl peer read\n  apctl peer claims\n  apctl peer take branch:fix/parser --ttl 30m",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPeerLs(a), newPeerCheck(a), newPeerJoin(a), newPeerLeave(a), newPeerSend(a), newPeerRead(a),
		newPeerClaims(a), newPeerTake(a), newPeerDrop(a))
	return cmd
}

func newPeerLs(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:               "ls",
		Short:             "List the sessions",
		Long:              "Lists the sessions that have shown a sign of life in the last hour, those of this\nrepository first. Fresh is 15 minutes; what is stale counts for nothing.",
		Example:           "  apctl peer ls\n  apctl peer ls --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := a.here(dir)
			if err != nil {
				return err
			}
			var v wire.PeersView
			if err := ask(cmd.Context(), a, wire.PeerList, wire.PeersRequest{Directory: at}, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaPeers, v, func(s render.Style) string { return s.Peers(v) })
		},
	}
	peerDir(cmd, &dir)
	return a.jsonFlag(cmd)
}

func peerDir(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVarP(dir, "directory", "C", "", "the repository of `DIR`, not of here")
	_ = cmd.MarkFlagDirname("directory")
}

// here is the directory that is meant: this one, or that of a flag.
func (a *app) here(dir string) (string, error) {
	if dir == "" {
		return a.Dir, nil
	}
	return a.workspace(dir)
}

func newPeerCheck(a *app) *cobra.Command {
	var dir, mode string
	cmd := &cobra.Command{
		Use:   "check --mode MODE",
		Short: "Whether a session of that mode may begin here",
		Long: `Says whether a session of that mode may begin beside the others of this
repository, and which one is the reason. It changes nothing.

  PASS_THROUGH        it may                                            exit 0
  EXCLUSIVE_BLOCKED   it may not, until the other has left              exit 5
  PROMOTION_OFFER     both write: a work tree of its own, or in place   exit 13`,
		Example:           "  apctl peer check --mode deep\n  apctl peer check --mode housekeeping --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if strings.TrimSpace(mode) == "" {
				return render.NoMode()
			}
			return a.beside(cmd.Context(), wire.PeerCheck, dir, wire.PeerJoinRequest{Mode: mode})
		},
	}
	peerMode(cmd, &mode)
	peerDir(cmd, &dir)
	return a.jsonFlag(cmd)
}

func peerMode(cmd *cobra.Command, mode *string) {
	cmd.Flags().StringVar(mode, "mode", "", "what the session does: `MODE`, as deep, feature, plan or housekeeping")
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions([]string{
		"bootstrap", "deep", "discovery", "evolve", "feature", "housekeeping", "memory-cleanup", "plan", "plan-retro", "portfolio", "repo-audit",
	}, cobra.ShellCompDirectiveNoFileComp))
}

// beside asks what a session is told, and ends as that says.
func (a *app) beside(ctx context.Context, verb wire.Verb[wire.PeerJoinRequest, wire.PeerCheckView], dir string, q wire.PeerJoinRequest) error {
	var err error
	if q.Directory, err = a.here(dir); err != nil {
		return err
	}
	var v wire.PeerCheckView
	if err := ask(ctx, a, verb, q, &v); err != nil {
		return err
	}
	return a.besides(v, verb == wire.PeerJoin)
}

// besides shows what a session is told, and ends as that says.
func (a *app) besides(v wire.PeerCheckView, join bool) error {
	if err := a.answer(wire.SchemaPeerCheck, v, func(s render.Style) string { return s.PeerCheck(v, join) }); err != nil {
		return err
	}
	if v.ExitCode != wire.ExitDone {
		return exitStatus(v.ExitCode)
	}
	return nil
}

func newPeerLeave(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "leave", Short: "Leave the sessions", Long: "Removes this session from the list. Its messages stay until it comes back.",
		Example: "  apctl peer leave", Args: upTo(0), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ask(cmd.Context(), a, wire.PeerLeave, struct{}{}, &struct{}{}); err != nil {
				return err
			}
			return a.say(render.PeerLeft())
		},
	}
}

func newPeerSend(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "send PEER|RUN TEXT",
		Short: "Write to a session, or to the chat that drives a run",
		Long: `Stores a text for a session, which reads it with apctl peer read. It is shown as
text of a peer: it answers no gate, and approves nothing.`,
		Example: "  apctl peer send p3fa9 'the schema is mine until noon'\n  apctl peer send k3xq 'main has moved'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return render.SendWhat()
			}
			return upTo(2)(cmd, args)
		},
		ValidArgsFunction: a.completePeers,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkText("the text", args[1]); err != nil {
				return err
			}
			var v wire.PeerSentView
			q := wire.PeerSendRequest{Directory: a.Dir, To: args[0], Text: args[1]}
			if err := ask(cmd.Context(), a, wire.PeerSend, q, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaPeerSent, v, func(s render.Style) string { return s.PeerSent(v) })
		},
	}
	return a.jsonFlag(cmd)
}

// completePeers offers what sessions on the bus are called.
func (a *app) completePeers(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return offer(cmd.Context(), a, args, wire.PeerList, wire.PeersRequest{Directory: a.Dir}, func(v wire.PeersView, add func(word, says string)) {
		for _, p := range v.Peers {
			if p.Source == "bus" && !p.You {
				add(p.Peer, render.Line(p.Program+" "+p.Mode+" "+p.Directory))
			}
		}
	})
}

func newPeerRead(a *app) *cobra.Command {
	var q wire.PeerReadRequest
	cmd := &cobra.Command{
		Use:               "read",
		Short:             "Read what others wrote to this session",
		Long:              "Shows what was written to this session and not read yet; from then on it is read.\nIt is text of peers: no instruction of the user, and no approval.",
		Example:           "  apctl peer read\n  apctl peer read --all",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var v wire.PeerMailView
			if err := ask(cmd.Context(), a, wire.PeerRead, q, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaPeerMail, v, func(s render.Style) string { return s.PeerMail(v, q.All) })
		},
	}
	cmd.Flags().BoolVarP(&q.All, "all", "a", false, "also what was read before, the latest 100")
	return a.jsonFlag(cmd)
}
