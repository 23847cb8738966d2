package api

import (
	"context"

	"autopilot/daemon/auth"
	"autopilot/daemon/history/prove"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Verify proves the log of one run or of every aggregate, and that projections rebuilt
// from it equal the live ones. It reads all of the log from its files: every event
// acknowledged by now must be there.
func (a *History) Verify(ctx context.Context, _ auth.Request, body wire.VerifyRequest) (wire.VerifyReply, error) {
	// The live states come first: Verify also proves events stored later, but does not
	// compare them.
	live := prove.NewFolded()
	if !body.Every {
		s, err := a.Find(ctx, body.RunRef)
		if err != nil {
			return wire.VerifyReply{}, err
		}
		live.Runs[s.ID] = s
		p := prove.New(prove.Config{Live: live, Text: a.checkText, Gone: func(s run.State) bool { return a.Removal.Gone(s) != nil }})
		err = p.Events(a.Log.Read(ctx, events.Run(s.ID), 0))
		return p.Reply(), err
	}
	for _, s := range a.Fleet.States() {
		live.Runs[s.ID] = s
	}
	if s := a.HostLog.State(); s.Log.Seq > 0 {
		live.Hosts[a.HostID] = s
	}
	live.Accounts, live.Peers, live.Claims, live.Queues = a.Accounts.Records(), a.Peers.States(), a.Claims.Records(), a.Queue.States()
	team := a.Team.Verify(ctx)
	to := a.Mark.Latest()
	if to.Stream == "" {
		reply := prove.New(prove.Config{}).Reply()
		reply.Team = team
		return reply, nil
	}
	p := prove.New(prove.Config{Live: live, Open: true, Text: a.checkText, Gone: a.Removal.Pending().Covers})
	if err := p.Files(ctx, filestore.StreamsIn(a.Places.State), to, a.Seals); err != nil {
		return wire.VerifyReply{}, err
	}
	if err := p.Bundles(ctx, archive.DirIn(a.Places.State)); err != nil {
		return wire.VerifyReply{}, err
	}
	reply := p.Reply()
	reply.Team = team
	return reply, nil
}

// checkText says how a text differs from the ref in an event.
func (a *History) checkText(ref events.Ref) error {
	_, err := a.Blobs.Get(ref)
	return err
}
