package api

import (
	"autopilot/daemon/run/order"
	"autopilot/events/stored"
	"autopilot/events/wire"
)

// orderOf is the order that a caller sent, before its settings.
func orderOf(q wire.StartRequest) order.Order {
	r := q.Spec
	return order.Order{
		Spec: stored.Spec{
			Type: stored.TypeSpec, Gates: order.Gates(r.Gates), Protect: r.Protect, AllowTests: r.AllowTests, Driver: r.Driver,
			Agent: stored.Agent{
				Command: r.Agent.Command, Script: r.Agent.Script, Profile: r.Agent.Profile, Model: r.Agent.Model,
				Permissions: r.Agent.Permissions, Args: r.Agent.Args,
			},
			Setup: r.Setup, Checkout: r.Checkout, Inputs: r.Inputs, Issue: r.Issue, Branch: r.Branch, From: r.From,
			MaxIterations: r.MaxIterations, StartBroken: r.StartBroken, NoControls: r.NoControls, Timeouts: stored.Timeouts(r.Timeouts),
			Sandbox: r.Sandbox, SandboxAllow: r.SandboxAllow, Git: stored.GitRules(r.Git),
		},
		Workspace: r.Workspace, Workflow: r.Workflow, Task: r.Task, TaskRef: r.TaskRef,
		Holdout: order.Holdout{Dir: r.Holdout.Dir, Gates: order.Gates(r.Holdout.Gates)},
		Start:   r.Start, Priority: r.Priority, ForMS: r.ForMS, UntilMS: r.UntilMS,
		MaxMicroUSD: r.MaxMicroUSD, MaxTokens: r.MaxTokens, MaxTurns: r.MaxTurns, NoWait: r.NoWait, Series: r.Series,
		Env: q.Env, Outputs: q.Outputs, NoConfig: q.NoConfig, Findings: q.Findings, Advise: q.Advise, Halfway: r.Halfway,
	}
}
