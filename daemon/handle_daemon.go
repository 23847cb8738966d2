package daemon

import (
	"context"
	"os"

	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
)

func (d *Daemon) daemonStatus(ctx context.Context, _ bus.Request, _ struct{}) (wire.DaemonView, error) {
	u, err := d.log.Usage(ctx)
	if err != nil {
		return wire.DaemonView{}, err
	}
	v := wire.DaemonView{
		Version: d.cfg.Version, PID: os.Getpid(), Started: d.started,
		State: d.cfg.Places.State, Socket: d.cfg.Places.Socket, Log: d.cfg.LogFile,
		Live: d.fleet.Live(), Runs: d.fleet.Count(), Effects: len(d.effects.Live()),
		Events: u.Events, StoreBytes: u.Bytes, StoreQuota: u.Quota,
		Durability: string(d.durability()), Draining: d.draining.Load(),
	}
	v.Service = d.cfg.Service
	v.Notify, v.Settings = d.notifyView()
	v.Listen, v.Team = d.listenView(), d.team.View()
	if end, ok := d.idleEnd(1); ok {
		v.IdleEnds = &end
	}
	return v, nil
}

// listenView is where others are let in over the network; nil is nowhere.
func (d *Daemon) listenView() *wire.ListenView {
	l, ok := d.bus.Listening()
	if !ok {
		return nil
	}
	v := &wire.ListenView{Address: l.Address, TLS: l.TLS, Clients: l.Clients, Identities: []wire.IdentityView{}}
	if l.Problem != nil {
		v.Problem = l.Problem.Error()
	}
	for _, i := range l.Identities {
		v.Identities = append(v.Identities, wire.IdentityView{Name: i.Name, May: string(i.May), Key: i.Key})
	}
	return v
}

func (d *Daemon) durability() bus.Durability {
	if d.cfg.Durability == "" {
		return bus.Power
	}
	return d.cfg.Durability
}

// daemonStop asks for the end, which waits for this answer to leave.
func (d *Daemon) daemonStop(ctx context.Context, _ bus.Request, body wire.DaemonStopRequest) (wire.DaemonView, error) {
	if body.Drain {
		if err := d.drain(ctx); err != nil {
			d.draining.Store(false)
			return wire.DaemonView{}, err
		}
	}
	v, err := d.daemonStatus(ctx, bus.Request{}, struct{}{})
	d.end()
	return v, err
}
