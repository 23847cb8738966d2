package daemon

import (
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/config"
	"autopilot/daemon/host/machine"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/probe"
	"autopilot/probe/judge"
)

// newMachine is the machine that the runs of the fleet are on.
func (d *Daemon) newMachine() *machine.Machine {
	cfg := machine.Config{
		Sight: machine.Sight{
			Probe:  probe.New(probe.Config{Store: d.cfg.Places.State, Agents: agent.Overrides(nil).Names()}),
			Steady: judge.Band.Step, Effects: d.effects, Peers: d.peers.Count, Text: d.text,
		},
		Settings: machine.Settings{
			User: d.limits.User, Flow: d.fleet.Flow, Bounds: d.limits.Bounds,
			Layers: func(ws tree.Workspace) config.Layers { return d.layers(ws, nil) },
		},
		Runs:     d.fleet,
		Record:   machine.Record{Host: d.hosts, Texts: d.blobs, Actor: events.ActorDaemon(d.host)},
		Draining: d.draining.Load, Go: d.beside.Go, Now: time.Now, Log: d.cfg.Log,
	}
	if d.cfg.machine != nil {
		d.cfg.machine(&cfg)
	}
	return machine.New(cfg)
}

// launch says whether a run may be launched.
func (d *Daemon) launch() machine.Launch {
	return machine.Launch{
		Machine: d.machine, Runs: d.fleet,
		Workflow: func(ws tree.Workspace, name string) (workflow.Workflow, error) {
			f, _, err := d.flows.Find(ws, name)
			return f.Flow, err
		},
	}
}
