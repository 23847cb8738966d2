package peer

import (
	"context"
	"errors"

	"autopilot/daemon/auth/chat"
	"autopilot/events"
	"autopilot/events/wire"
)

// Hooked keeps a chat among the sessions on the bus for as long as its host
// tells of it. Where that fails the chat is not to notice.
//
// Source: session-orchestrator, S24, S27: the end of a turn is a sign of life, and
// only that of the session is a leave.
func (ps *Sessions) Hooked(ctx context.Context, who chat.Chat, body wire.HookRequest, cause string) {
	ctx, done := ps.cfg.Lasting(ctx) // the host may not wait for it
	defer done()
	var err error
	switch known := ps.bookOf(who); {
	case body.Event == wire.HookEnds:
		_, err = ps.departs(ctx, who, events.PeerEnded, cause)
	case body.Event == wire.HookBegins || known == nil || !known.State().Here():
		j, perr := ps.placed(ctx, body.Workspace)
		if perr == nil && body.Session != "" {
			j.Label, perr = ps.cfg.Blobs.Put(ctx, []byte(body.Session))
		}
		if err = perr; err == nil {
			j.Via = events.PeerByHook
			_, err = ps.register(ctx, who, j, cause)
		}
	}
	if err != nil {
		ps.cfg.Log.Warn("note a session", "pid", who.PID, "error", err)
	}
}

// JoinDriver puts a chat on the bus that drives a run.
func (ps *Sessions) JoinDriver(ctx context.Context, who chat.Chat, dir, cause string) {
	j, err := ps.placed(ctx, dir)
	if err == nil {
		j.Via = events.PeerByRun
		_, err = ps.register(ctx, who, j, cause)
	}
	if err != nil && !errors.Is(err, errNoProof) {
		ps.cfg.Log.Warn("note a session", "pid", who.PID, "error", err)
	}
}
