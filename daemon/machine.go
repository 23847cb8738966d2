package daemon

import (
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/config"
	"autopilot/daemon/host/machine"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/probe"
	"autopilot/probe/judge"
)

// newMachine is the machine that the runs of the fleet are on.
func (d *Daemon) newMachine() *machine.Machine {
	cfg := machine.Config{
		Sight: machine.Sight{
			Probe:  probe.New(probe.Config{Store: d.cfg.Places.State, Agents: agent.Overrides(nil).Names()}),
			Steady: judge.Band.Step, Effects: d.Effects, Peers: d.Peers.Count, Text: d.api.Text,
		},
		Settings: machine.Settings{
			User: d.Limits.User, Flow: d.Fleet.Flow, Bounds: d.Limits.Bounds,
			Layers: func(ws tree.Workspace) config.Layers { return d.api.Layers(ws, nil) },
		},
		Runs:     d.Fleet,
		Record:   machine.Record{Host: d.HostLog, Texts: d.Blobs, Actor: events.ActorDaemon(d.HostID)},
		Draining: d.draining.Load, Go: d.background.Go, Now: time.Now, Log: d.cfg.Log,
	}
	if d.cfg.machine != nil {
		d.cfg.machine(&cfg)
	}
	return machine.New(cfg)
}
