package ctl

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// variables are those that hold settings of runs, with the key of each.
var variables = [][2]string{
	{"AUTOPILOT_AGENT", "agent"},
	{"AUTOPILOT_MODEL", "model"},
	{"AUTOPILOT_MAX_ITERATIONS", "limits.iterations"},
	{"AUTOPILOT_FOR", "limits.for"},
	{"AUTOPILOT_UNTIL", "limits.until"},
	{"AUTOPILOT_MAX_USD", "limits.usd"},
	{"AUTOPILOT_MAX_TOKENS", "limits.tokens"},
	{"AUTOPILOT_MAX_TURNS", "limits.turns"},
	{"AUTOPILOT_GIT_PUSH", "git.push"},
	{"AUTOPILOT_GIT_HISTORY", "git.history"},
	{"AUTOPILOT_IDLE", "limits.idle"},
	{"AUTOPILOT_ITERATION_TIMEOUT", "limits.iteration_timeout"},
	{"AUTOPILOT_GATE_TIMEOUT", "limits.gate_timeout"},
}

// settings are those that the environment holds, by key. An empty variable is
// none.
func (a *app) settings() map[string]string {
	var out map[string]string
	for _, v := range variables {
		if value := a.getenv(v[0]); value != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[v[1]] = value
		}
	}
	return out
}

func newConfig(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, check and set settings",
		Long: `Settings come from these places, the strongest first: flags, variables
(AUTOPILOT_AGENT, AUTOPILOT_MODEL, AUTOPILOT_MAX_ITERATIONS, AUTOPILOT_FOR,
AUTOPILOT_UNTIL, AUTOPILOT_MAX_USD, AUTOPILOT_MAX_TOKENS, AUTOPILOT_MAX_TURNS,
AUTOPILOT_GIT_PUSH, AUTOPILOT_GIT_HISTORY, AUTOPILOT_IDLE,
AUTOPILOT_ITERATION_TIMEOUT, AUTOPILOT_GATE_TIMEOUT), the project's file
.autopilot/config.yaml at the root of the work tree, the
user's file, defaults.

The project's file counts only as a person has agreed to it: apctl trust.`,
		Example: "  apctl config show\n  apctl config set limits.for 8h\n  apctl config check",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigShow(a), newConfigCheck(a), newConfigSet(a), newConfigPath(a))
	return cmd
}

func newConfigShow(a *app) *cobra.Command {
	var dir string
	var all bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show every setting, and where it comes from",
		Long: `Shows the settings that a run here would have. What people keep secret is
(hidden): the values of variables, and the URLs of webhooks.`,
		Example:           "  apctl config show\n  apctl config show --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.config(cmd.Context(), dir)
			if err != nil {
				return err
			}
			return a.answer(wire.SchemaConfig, v, func(s render.Style) string { return s.Config(v, all) })
		},
	}
	cmd.Flags().BoolVar(&all, "explain", false, "say what each setting is for")
	return a.jsonFlag(directoryFlag(cmd, &dir))
}

func newConfigCheck(a *app) *cobra.Command {
	var dir string
	return a.jsonFlag(directoryFlag(&cobra.Command{
		Use:   "check",
		Short: "Check both files; exit code 2 says that one is wrong",
		Long: `Reads the project's and the user's file, and the variables, as a run here would,
and shows all that is wrong, with its place and the fix.`,
		Example:           "  apctl config check && git add .autopilot/config.yaml",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runConfigCheck(cmd.Context(), a, dir) },
	}, &dir))
}

func runConfigCheck(ctx context.Context, a *app, dir string) error {
	v, err := a.config(ctx, dir)
	// A user's file that is wrong keeps the daemon from starting: what it says of
	// that file is the answer.
	var e *wire.Error
	if errors.As(err, &e) && len(e.Problems) > 0 {
		v, err = wire.ConfigView{Values: []wire.ConfigValue{}, Problems: e.Problems}, nil
	}
	if err != nil {
		return err
	}
	if err := a.answer(wire.SchemaConfig, v, func(s render.Style) string { return s.ConfigCheck(v) }); err != nil {
		return err
	}
	if len(v.Problems) > 0 {
		return status(wire.ExitUsage)
	}
	return nil
}

type setOptions struct {
	user, unset bool
	dir         string
}

func newConfigSet(a *app) *cobra.Command {
	var o setOptions
	cmd := &cobra.Command{
		Use:   "set KEY [VALUE]",
		Short: "Set one setting in a file",
		Long: `Sets KEY in the file that it belongs to: the project's if both can have it, or with
--user the user's. All else stays as it is, comments too. A file that is not there
is made.

VALUE is text, a number, true or false; a list as '["api/**", "docs/**"]' or a
mapping as '{run: go vet ./..., role: invariant}'. What it makes of the file is
checked first. A project's file that was changed is to be trusted anew.`,
		Example: `  apctl config set limits.for 8h
  apctl config set gates.test 'go test ./...'
  apctl config set --user agent claude
  apctl config set idle 2h    # only the user's file can have it
  apctl config set --unset protect`,
		Args:              func(_ *cobra.Command, args []string) error { return o.args(args) },
		ValidArgsFunction: a.completeKeys,
		RunE:              func(cmd *cobra.Command, args []string) error { return runConfigSet(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVar(&o.user, "user", false, "in the user's file, for all projects")
	cmd.Flags().BoolVar(&o.unset, "unset", false, "take KEY out of the file")
	return a.jsonFlag(directoryFlag(cmd, &o.dir))
}

// args are a key and, unless it is taken out, a value.
func (o *setOptions) args(args []string) error {
	want := 2
	if o.unset {
		want = 1
	}
	if len(args) != want || args[0] == "" {
		return render.SetArguments(o.unset)
	}
	return nil
}

func runConfigSet(ctx context.Context, a *app, o setOptions, args []string) error {
	dir, err := a.workspace(o.dir)
	if err != nil {
		return err
	}
	req := wire.ConfigSetRequest{Workspace: dir, User: o.user, Key: args[0], Unset: o.unset}
	if !o.unset {
		req.Value = args[1]
	}
	if err := checkText("the value", req.Key+req.Value); err != nil {
		return err
	}
	var v wire.ConfigView
	if err := ask(ctx, a, wire.ConfigSet, req, &v); err != nil {
		return err
	}
	if !a.json {
		a.note(a.style(a.Err).ConfigWas(v, req))
	}
	return a.answer(wire.SchemaConfig, v, func(s render.Style) string { return s.ConfigSet(v, req) })
}

func newConfigPath(a *app) *cobra.Command {
	var dir string
	return a.jsonFlag(directoryFlag(&cobra.Command{
		Use:               "path",
		Short:             "Show where the files are",
		Example:           "  apctl config path",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.config(cmd.Context(), dir)
			if err != nil {
				return err
			}
			return a.answer(wire.SchemaConfig, v, func(s render.Style) string { return s.ConfigPath(v) })
		},
	}, &dir))
}

// config asks for the settings of a directory.
func (a *app) config(ctx context.Context, dir string) (v wire.ConfigView, err error) {
	req := wire.ConfigRequest{Settings: a.settings()}
	if req.Workspace, err = a.workspace(dir); err != nil {
		return v, err
	}
	err = ask(ctx, a, wire.ConfigShow, req, &v)
	return v, err
}

// directoryFlag lets a command look at another directory than this one.
func directoryFlag(cmd *cobra.Command, dir *string) *cobra.Command {
	cmd.Flags().StringVarP(dir, "directory", "C", "", "of `DIR`, not of here")
	_ = cmd.MarkFlagDirname("directory")
	return cmd
}

// completeKeys offers the settings. It starts no daemon.
func (a *app) completeKeys(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return offer(cmd.Context(), a, args, wire.ConfigShow, wire.ConfigRequest{Workspace: a.Dir},
		func(v wire.ConfigView, add func(word, says string)) {
			for _, s := range v.Values {
				add(s.Key, s.Help)
			}
		})
}
