package ctl

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newSession(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Drive a run from a chat",
		Long: `Lets a chat do the work of a run, iteration by iteration. The daemon keeps the
phase, runs the gates, and says what is next; what the chat says of its own work
is a claim and no verdict. One chat drives a run at a time: it is known by its
process, not by a name, and a fresh one goes on where it stopped.`,
		Example: `  apctl session join "make the suite pass" --gate test='go test ./...'
  apctl session next --wait 10m
  apctl session submit --effect ID --phase work --iteration 1 --done -m "parser rewritten"`,
		Args: group,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSessionJoin(a), newSessionNext(a), newSessionSubmit(a), newSessionAsk(a), newSessionAnswer(a), newSessionLeave(a))
	return cmd
}

// chatRef names the run that a chat means: without a word that of its directory.
func (a *app) chatRef(dir string, args []string) (wire.RunRef, error) {
	ref := a.ref(args)
	if dir == "" {
		return ref, nil
	}
	var err error
	ref.Workspace, err = a.workspace(dir)
	return ref, err
}

// session calls one verb of a chat and shows the answer, with more to do first.
func session[Q any](ctx context.Context, a *app, v wire.Verb[Q, wire.SessionView], req Q, more ...wire.NextCommand) error {
	return sessionAs(ctx, a, ulid.Make().String(), v, req, more...)
}

// deliver is session for what a chat hands over. The same text again goes under the
// same id, so it has the answer of the first, also where a chat has not seen that.
func deliver[Q any](ctx context.Context, a *app, v wire.Verb[Q, wire.SessionView], req Q, text string) error {
	return sessionAs(ctx, a, fmt.Sprintf("%x", sha256.Sum256([]byte(v.Name+"\n"+text)))[:40], v, req)
}

func sessionAs[Q any](ctx context.Context, a *app, id string, v wire.Verb[Q, wire.SessionView], req Q, more ...wire.NextCommand) error {
	var view wire.SessionView
	if err := askAs(ctx, a, id, v, req, &view); err != nil {
		return err
	}
	view.Next = append(more, view.Next...)
	return a.answer(wire.SchemaSession, view, func(s render.Style) string { return s.Session(view) })
}

func dirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVarP(dir, "directory", "C", "", "the run of `DIR`, not of here")
	_ = cmd.MarkFlagDirname("directory")
}

func newSessionLeave(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:               "leave [RUN]",
		Short:             "Stop driving a run; the run stays open and waits",
		Example:           "  apctl session leave",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeLive,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := a.chatRef(dir, args)
			if err != nil {
				return err
			}
			return session(cmd.Context(), a, wire.SessionLeave, ref)
		},
	}
	dirFlag(cmd, &dir)
	return a.jsonFlag(cmd)
}

func newSessionNext(a *app) *cobra.Command {
	var dir, wait string
	cmd := &cobra.Command{
		Use:   "next [RUN]",
		Short: "Say what to do next: phase, prompt, findings, files owed, gates",
		Long: `Says what a run wants of the chat now: the phase and iteration, the prompt, what
the gates found, which files are owed, which gates come, and which limits hold.
With --wait it waits while the daemon is at work, and answers as soon as there is
work, a person is asked, or the run has halted or ended.`,
		Example:           "  apctl session next --wait 10m\n  apctl session next --json",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeLive,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := a.chatRef(dir, args)
			if err != nil {
				return err
			}
			req := wire.SessionNextRequest{RunRef: ref}
			if wait != "" {
				var d time.Duration
				if d, err = parseDuration("--wait", wait); err != nil {
					return err
				}
				req.WaitMS = d.Milliseconds()
			}
			return session(cmd.Context(), a, wire.SessionNext, req)
		},
	}
	cmd.Flags().StringVar(&wait, "wait", "", "wait up to `TIME` for work, a question or the end")
	dirFlag(cmd, &dir)
	return a.jsonFlag(cmd)
}
