package api

import (
	"autopilot/daemon/host/machine"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/workflow"
)

// Launch decides whether a caller may launch a run.
func (a *Host) Launch() machine.Launch {
	return machine.Launch{
		Machine: a.Machine, Runs: a.Fleet,
		Workflow: func(ws tree.Workspace, name string) (workflow.Workflow, error) {
			f, _, err := a.Flows.Find(ws, name)
			return f.Flow, err
		},
	}
}
