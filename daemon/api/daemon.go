package api

import (
	"context"
	"os"

	"autopilot/daemon/auth"
	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
)

// DaemonStatus answers the state of the daemon itself.
func (a *Host) DaemonStatus(ctx context.Context, _ auth.Request, _ struct{}) (wire.DaemonView, error) {
	u, err := a.Log.Usage(ctx)
	if err != nil {
		return wire.DaemonView{}, err
	}
	v := wire.DaemonView{
		Version: a.Version, PID: os.Getpid(), Started: a.Started,
		State: a.Places.State, Socket: a.Places.Socket, Log: a.LogFile,
		Live: a.Fleet.Live(), Runs: a.Fleet.Count(), Effects: len(a.Effects.Live()),
		Events: u.Events, StoreBytes: u.Bytes, StoreQuota: u.Quota,
		Durability: string(a.durability()), Draining: a.Daemon.Draining(),
	}
	v.Service = a.Service
	v.Notify, v.Settings = a.notifyView()
	v.Listen, v.Team = a.listenView(), a.Team.View()
	if end, ok := a.Daemon.IdleEnd(1); ok {
		v.IdleEnds = &end
	}
	return v, nil
}

// listenView is where the daemon lets other NATS clients in; nil is nowhere.
func (a *Host) listenView() *wire.ListenView {
	l, ok := a.Bus.Listening()
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

func (a *Host) durability() bus.Durability {
	if a.Durability == "" {
		return bus.Power
	}
	return a.Durability
}

// DaemonStop asks the daemon to end; the daemon sends this answer first.
func (a *Host) DaemonStop(ctx context.Context, _ auth.Request, body wire.DaemonStopRequest) (wire.DaemonView, error) {
	if body.Drain {
		if err := a.Daemon.Drain(ctx); err != nil {
			return wire.DaemonView{}, err
		}
	}
	v, err := a.DaemonStatus(ctx, auth.Request{}, struct{}{})
	a.Daemon.End()
	return v, err
}
