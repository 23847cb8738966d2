package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
)

func newAgent(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "List, show and check agents, tell how one ended and what it may touch",
		Long: "Agents that are known by name: " + events.AgentNames() + `,
and those of the configuration. A run takes one with --agent NAME.`,
		Example: "  apctl agent ls\n  apctl agent show claude\n  apctl agent check\n  apctl agent classify < agent.log\n  apctl agent sandbox -- npm test",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAgentLs(a), newAgentShow(a), newAgentCheck(a), newAgentClassify(a), newAgentSandbox(a))
	return cmd
}

func newAgentLs(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "ls",
		Short: "List agents, and which are here",
		Long: `Lists the agents with the place of their program and whether a login is there: a
key in a variable, or an account in a file. Starts none of them. A verified
profile was tried with the real program, of the version that is named.`,
		Example:           "  apctl agent ls\n  apctl agent ls --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.agents(cmd.Context(), "", false, func(s render.Style, v wire.AgentsView) string { return s.AgentList(v) })
		},
	})
}

func newAgentShow(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "show NAME",
		Short: "Show how a run calls an agent, and what that may do",
		Long: `Shows the call exactly as a run in this directory would make it, how the prompt
is given, what the agent may do unasked, and which variables are set and taken
away. The environment of the run comes beside those: apctl help environment.`,
		Example:           "  apctl agent show claude",
		Args:              oneName,
		ValidArgsFunction: a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.agents(cmd.Context(), args[0], false, func(s render.Style, v wire.AgentsView) string { return s.AgentShow(v.Agents[0]) })
		},
	})
}

func newAgentCheck(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "check [NAME]",
		Short: "Ask the programs whether a run could call them",
		Long: `Runs the program of each agent that is here, or of NAME, with --version and for
its help, for at most 10 seconds each, and checks that it has every option that a run
uses, and a login. Exits 1 when there is a problem.`,
		Example:           "  apctl agent check\n  apctl agent check claude",
		Args:              upTo(1),
		ValidArgsFunction: a.completeAgents,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAgentCheck(cmd.Context(), a, args) },
	})
}

// oneName wants exactly one name.
func oneName(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return render.NoName(cmd.CommandPath())
	}
	return upTo(1)(cmd, args)
}

func runAgentCheck(ctx context.Context, a *app, args []string) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	v, err := a.askAgents(ctx, name, true)
	if err != nil {
		return err
	}
	if err := a.answer(wire.SchemaAgents, v, func(s render.Style) string { return s.AgentCheck(v) }); err != nil {
		return err
	}
	found, bad := false, false
	for _, v := range v.Agents {
		found = found || v.Program != ""
		bad = bad || len(v.Problems) > 0 && (v.Program != "" || name != "" || v.Origin != "shipped")
	}
	switch {
	case !found && name == "":
		return render.NoAgentFound()
	case bad:
		return exitStatus(wire.ExitFailed)
	}
	return nil
}

// agents answers with agents, one or all.
func (a *app) agents(ctx context.Context, name string, check bool, text func(render.Style, wire.AgentsView) string) error {
	v, err := a.askAgents(ctx, name, check)
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaAgents, v, func(s render.Style) string { return text(s, v) })
}

func (a *app) askAgents(ctx context.Context, name string, check bool) (wire.AgentsView, error) {
	var v wire.AgentsView
	req, err := a.agentRequest(name, check)
	if err != nil {
		return v, err
	}
	if err := ask(ctx, a, wire.AgentList, req, &v); err != nil {
		return v, err
	}
	if v.Untrusted != "" && !a.json {
		a.note(render.Unused(v.Untrusted))
	}
	if name != "" && len(v.Agents) != 1 {
		return v, render.NoSuchAgent(name)
	}
	return v, nil
}

func (a *app) agentRequest(name string, check bool) (wire.AgentRequest, error) {
	dir, err := a.workspace("")
	if err != nil {
		return wire.AgentRequest{}, err
	}
	env, err := runEnv(a.Environ, nil)
	return wire.AgentRequest{Workspace: dir, Env: env, Name: name, Check: check}, err
}

// completeAgents offers the names of agents. It starts no daemon.
func (a *app) completeAgents(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	req, err := a.agentRequest("", false)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(cmd.Context(), a, args, wire.AgentList, req, func(v wire.AgentsView, add func(word, says string)) {
		for _, agent := range v.Agents {
			where := "not found"
			if agent.Program != "" {
				where = agent.Program
			}
			add(agent.Name, where)
		}
	})
}
