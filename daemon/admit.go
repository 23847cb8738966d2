package daemon

import (
	"context"
	"time"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/run"
)

// admit says whether an agent of the run that works on an account may begin now,
// and what it may use.
func (d *Daemon) admit(ctx context.Context, s run.State, account string) (work.Allowance, events.Data, error) {
	allowed, not, err := d.budget.Allowance(s, time.Now())
	if err == nil && not == nil {
		not, err = d.Accounts.Admit(ctx, s, account)
	}
	if err != nil || not != nil {
		d.Machine.Drop(s.ID) // it waits for something else, and others may begin
		return allowed, not, err
	}
	not, most, err := d.Machine.Slot(ctx, s)
	if not != nil {
		d.Accounts.Withdraw(s.ID, account) // nor does it hold its place with the account
	}
	if most >= 0 {
		allowed.Capped, allowed.Cap = true, most
	}
	return allowed, not, err
}

// standing is how machine and other sessions stand before a session in a work tree.
func (d *Daemon) standing(ctx context.Context, flow workflow.Workflow, ws tree.Workspace, own []string) work.Standing {
	at := work.Standing{Peers: -1}
	if n, ok := d.Peers.Others(own).Get(); ok {
		at.Peers = int(n)
	}
	at.Verdict, at.Cap = d.Machine.Stands(ctx, flow, d.api.Layers(ws, nil).Bounds().Agents)
	return at
}

// accountLabel is what a run calls an account.
func (d *Daemon) accountLabel(s run.State, account string) string {
	spec, err := d.Worker.Spec(s)
	if err != nil {
		return ""
	}
	return work.AccountLabel(s, spec, account)
}
