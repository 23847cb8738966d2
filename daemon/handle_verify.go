package daemon

import (
	"context"

	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/prove"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// verify proves the log of one run or of every aggregate, and that projections
// built anew from it equal the live ones. All of the log is read from its files:
// what was acknowledged by now must be there.
func (d *Daemon) verify(ctx context.Context, _ bus.Request, body wire.VerifyRequest) (wire.VerifyReply, error) {
	// The live states are taken first: events that are stored later are proven
	// too, but not compared.
	live := prove.NewFolded()
	if !body.Every {
		s, err := d.find(ctx, body.RunRef)
		if err != nil {
			return wire.VerifyReply{}, err
		}
		live.Runs[s.ID] = s
		p := prove.New(prove.Config{Live: live, Text: d.checkText, Gone: func(s run.State) bool { return d.removal.Gone(s) != nil }})
		err = p.Events(d.log.Read(ctx, events.Run(s.ID), 0))
		return p.Reply(), err
	}
	for _, s := range d.fleet.States() {
		live.Runs[s.ID] = s
	}
	if s := d.hosts.State(); s.Log.Seq > 0 {
		live.Hosts[d.host] = s
	}
	live.Accounts, live.Peers, live.Claims = d.accounts.Records(), d.peers.States(), d.claims.Records()
	to := d.mark.Latest()
	if to.Stream == "" {
		return prove.New(prove.Config{}).Reply(), nil
	}
	p := prove.New(prove.Config{Live: live, Open: true, Text: d.checkText, Gone: d.removal.Pending().Covers})
	if err := p.Files(ctx, filestore.StreamsIn(d.cfg.Places.State), to, d.seals); err != nil {
		return wire.VerifyReply{}, err
	}
	if err := p.Bundles(ctx, archive.DirIn(d.cfg.Places.State)); err != nil {
		return wire.VerifyReply{}, err
	}
	return p.Reply(), nil
}

// checkText says why a text that events name is not what they name.
func (d *Daemon) checkText(ref events.Ref) error {
	_, err := d.blobs.Get(ref)
	return err
}
