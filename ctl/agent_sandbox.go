package ctl

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/marker"
)

func completeSandboxes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var modes []cobra.Completion
	for _, mode := range events.Sandboxes() {
		modes = append(modes, string(mode))
	}
	return modes, cobra.ShellCompDirectiveNoFileComp
}

// sandboxMode is the mode that was typed, empty for none.
func sandboxMode(flag, typed string) (events.Sandbox, error) {
	mode := events.Sandbox(typed)
	if typed != "" && !slices.Contains(events.Sandboxes(), mode) {
		return "", render.BadSandbox(flag, typed)
	}
	return mode, nil
}

func newAgentSandbox(a *app) *cobra.Command {
	var mode, agent string
	var run bool
	cmd := &cobra.Command{
		Use:   "sandbox [--] [CMD...]",
		Short: "Show what an agent may touch here, or run a command so",
		Long: `Shows what an agent of a run in this directory could see and write: the mode, what
is hidden, what stays in reach, where it may write, and what this host cannot
enforce.

off        nothing is confined
guard      the daemon, its sockets, and the sockets by which a program could act as
           you elsewhere (tmux, D-Bus, systemd, docker, ssh-agent, gpg-agent, editors,
           displays) are hidden; nothing outside can be signalled or traced
workspace  guard, and writes go only to the work tree, temporary folders, the agent's
           own configuration and the folders of toolchains
readonly   guard, and writes go only to temporary folders and the agent's own
           configuration

The setting is sandbox, see apctl help config. With --run the command runs so, in
this directory, and its exit code is that of apctl.`,
		Example:           "  apctl agent sandbox\n  apctl agent sandbox --mode workspace --run -- npm test\n  apctl agent sandbox --agent claude --json",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if run && len(args) == 0 {
				return render.NothingToRun()
			}
			return runAgentSandbox(cmd.Context(), a, mode, agent, args, run)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&mode, "mode", "", "`MODE` instead of that of the settings: off, guard, workspace or readonly")
	f.StringVarP(&agent, "agent", "a", "", "count the folders of agent `NAME` only")
	f.BoolVar(&run, "run", false, "run the command")
	_ = cmd.RegisterFlagCompletionFunc("mode", completeSandboxes)
	_ = cmd.RegisterFlagCompletionFunc("agent", func(cmd *cobra.Command, _ []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.completeAgents(cmd, nil, to)
	})
	return a.jsonFlag(cmd)
}

func runAgentSandbox(ctx context.Context, a *app, typed, agent string, argv []string, run bool) error {
	mode, err := sandboxMode("--mode", typed)
	if err != nil {
		return err
	}
	dir, err := a.workspace("")
	if err != nil {
		return err
	}
	env, err := runEnv(a.Environ, nil)
	if err != nil {
		return err
	}
	var v wire.SandboxView
	req := wire.SandboxRequest{Workspace: dir, Env: env, Mode: mode, Agent: agent, Argv: append([]string{}, argv...)}
	if err := ask(ctx, a, wire.AgentSandbox, req, &v); err != nil {
		return err
	}
	if v.Untrusted != "" && !a.json {
		a.note(render.Unused(v.Untrusted))
	}
	if run {
		return a.runConfined(ctx, v)
	}
	return a.answer(wire.SchemaSandbox, v, func(s render.Style) string { return s.Sandbox(v) })
}

// confinedRun is what the supervisor's program takes, as its package confine has
// it.
type confinedRun struct {
	Plan *confinedPlan `json:"plan"`
	Path string        `json:"path"`
	Argv []string      `json:"argv"`
}

type confinedPlan struct {
	Hide     []string `json:"hide"`
	Empty    []string `json:"empty"`
	Show     []string `json:"show"`
	ReadOnly []string `json:"readonly"`
	Fixed    []string `json:"fixed"`
	Strict   bool     `json:"strict"`
	Write    []string `json:"write"`
}

// runConfined runs a command as an agent would, and ends as it does.
func (a *app) runConfined(ctx context.Context, v wire.SandboxView) error {
	if v.Program == "" {
		return render.NoProgram(v)
	}
	r := confinedRun{Path: v.Program, Argv: v.Argv}
	if v.Mode != events.SandboxOff {
		r.Plan = &confinedPlan{
			Hide: v.Hidden, Empty: v.Emptied, Show: v.Shown, ReadOnly: v.ReadOnly, Fixed: v.Fixed, Strict: v.Restricted, Write: v.Writable,
		}
	}
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer from.Close()
	cmd := exec.CommandContext(ctx, v.Shim, "confine-run")
	cmd.Dir, cmd.Env, cmd.ExtraFiles = a.Dir, marker.WithoutRepository(a.Environ), []*os.File{from}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out.Writer, a.Err.Writer
	// Keys reach the command by its terminal; what it makes of them is its own.
	cmd.Cancel = func() error { return nil }
	if err := cmd.Start(); err != nil {
		return errors.Join(err, to.Close())
	}
	err = errors.Join(json.MarshalWrite(to, r), to.Close())
	var ended *exec.ExitError
	switch waited := cmd.Wait(); {
	case errors.As(waited, &ended):
		return exitStatus(max(ended.ExitCode(), 1))
	case waited != nil:
		return waited
	}
	return err
}
