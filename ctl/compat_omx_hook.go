package ctl

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/hook"
	"autopilot/ctl/render"
	"autopilot/events/place"
	rules "autopilot/projections/omx"
	"autopilot/projections/omx/turn"
	"autopilot/projections/route"
)

func newOmxHook() *cobra.Command {
	return &cobra.Command{
		Use:   "hook",
		Short: "Answer the hooks of a chat that works in the modes of oh-my-codex",
		Long: `Called by a host with an event as JSON on standard input (at most 1 MiB); answers with
one line of JSON, {} where there is nothing to say, and exit code 0. It needs no daemon.

  SessionStart      says where an autopilot of the session goes on
  UserPromptSubmit  says what the prompt asks for, as apctl route does; starts nothing
  Stop              holds the chat while autopilot of the session is active and not at
                    its end. The same stop is held once, and one for cancel, abort,
                    context, compact or a limit is not. It answers no permission.
  SessionEnd        ends the modes of the session; what was recorded stays

A session whose state is not proven its own is answered with {}.`,
		Example:           "  apctl compat omx install --dry-run\n  echo '{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"s1\",\"prompt\":\"$autopilot settle #12\"}' | apctl compat omx hook",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

func newOmxInstall(a *app) *cobra.Command {
	return a.omxEdit(&cobra.Command{
		Use:   "install [HOST]",
		Short: "Put this hook into the settings of a host",
		Long: `Shows what would change in the settings of HOST (codex, or claude; no HOST: codex), asks,
and writes it: apctl compat omx hook for four events. The rest of the file stays as it
is, with the hooks of oh-my-codex and of apctl hook install.`,
		Example: "  apctl compat omx install --dry-run\n  apctl compat omx install claude --project --yes",
	}, func(h hook.Host, src []byte) ([]byte, error) {
		program, err := a.Program()
		if err != nil {
			return nil, err
		}
		return h.Install(src, program)
	})
}

func newOmxUninstall(a *app) *cobra.Command {
	return a.omxEdit(&cobra.Command{
		Use:     "uninstall [HOST]",
		Short:   "Take this hook out of the settings of a host",
		Long:    "Takes exactly that out which install puts in. Shows what would change, and asks.",
		Example: "  apctl compat omx uninstall",
	}, hook.Host.Uninstall)
}

func (a *app) omxEdit(cmd *cobra.Command, change func(hook.Host, []byte) ([]byte, error)) *cobra.Command {
	cmd.Args = upTo(1)
	cmd.ValidArgsFunction = cobra.FixedCompletions(hook.OmxHosts(), cobra.ShellCompDirectiveNoFileComp)
	return a.settingsEdit(cmd, func(args []string) (hook.Host, error) {
		name := append(slices.Clone(args), hook.OmxHosts()...)[0]
		h, ok := hook.FindOmx(name)
		if !ok {
			return h, render.NoHost(name, hook.OmxHosts())
		}
		return h, nil
	}, change)
}

// omxHookCall says that a host calls the hook with these arguments.
func omxHookCall(args []string) bool { return slices.Equal(args, []string{"compat", "omx", "hook"}) }

// omxHook answers a host. Whatever happens it is one line of JSON: a host that waits, or
// shows an error at each turn, is worse than no answer (lesson O30).
func (a *app) omxHook(ctx context.Context) {
	text := inTime(ctx, func(context.Context) []byte { return []byte(a.answerOmx()) })
	if len(text) == 0 {
		text = []byte(turn.Nothing)
	}
	_, _ = a.Out.Write(text) // a host that is gone wants no answer
}

func (a *app) answerOmx() string {
	if a.InIsTTY {
		return turn.Nothing
	}
	text, err := io.ReadAll(io.LimitReader(a.In, turn.MaxInput+1))
	_, _ = io.Copy(io.Discard, a.In) // or the host would write into nothing
	e, ok := turn.Read(text)
	if err != nil || !ok || a.getenv(place.EnvEffect) != "" {
		return turn.Nothing
	}
	switch e.Name {
	case turn.Prompt:
		if strings.TrimSpace(e.Prompt) == "" {
			return turn.Nothing
		}
		return turn.Routed(e, route.Suggest(e.Prompt, nil, route.Shipped()), a.ownState(e)).Line()
	case turn.SessionStart:
		return turn.Begun(e, a.ownState(e)).Line()
	case turn.Stop:
		return a.holdOmx(e)
	case turn.SessionEnd:
		if s, err := a.openOmx(e.Dir); err == nil && s.HasSession(e.Session) {
			_, _ = s.Cancel(e.Session, false) // the session is over: nobody is there to be told
		}
	}
	return turn.Nothing
}

// ownState is the state of autopilot that is proven to be of the session, nil without
// one.
func (a *app) ownState(e turn.Event) rules.Object {
	s, err := a.openOmx(e.Dir)
	if err != nil {
		return nil
	}
	o, there, err := s.Own("autopilot", e.Session)
	if err != nil || !there {
		return nil
	}
	return o
}

// holdOmx holds a chat at its end while a gate is open. A stop that cannot be remembered
// is held only where it is the first.
func (a *app) holdOmx(e turn.Event) string {
	answer, signature, held := turn.Held(e, a.ownState(e))
	if !held {
		return turn.Nothing
	}
	s, err := a.openOmx(e.Dir)
	if err != nil {
		return turn.Nothing
	}
	again, err := s.Stopped(e.Session, signature)
	if e.Again && (again || err != nil) {
		return turn.Nothing
	}
	return answer.Line()
}
