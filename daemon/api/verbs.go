package api

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
)

// Endpoint is a verb and its function. A door calls Serve with the caller. A nil error
// means that the answer is complete; an error has a code if it is a *wire.Error. The body
// has at most wire.MaxBody bytes.
type Endpoint struct {
	wire.Spec
	Serve func(ctx context.Context, q auth.Request, body []byte, out Sender) error
}

// Sender takes the answer of an endpoint: all of it, or a frame of a stream. The endpoint
// may change the bytes after Send returns.
type Sender interface {
	Send(ctx context.Context, payload []byte) error
}

// Endpoints lists the endpoint of each verb once.
func (a *API) Endpoints() []Endpoint {
	all := []Endpoint{
		answered(wire.BlobPut, a.Uploads.Put),
		answered(wire.RunStart, a.RunStart),
		answered(wire.RunPreview, a.RunPreview),
		answered(wire.RunProgress, a.RunProgress),
		answered(wire.RunList, a.RunList),
		answered(wire.RunGet, a.RunGet),
		answered(wire.RunWhy, a.RunWhy),
		streamed(wire.RunWatch, a.RunWatch),
		streamed(wire.RunEvents, a.RunEvents),
		streamed(wire.RunLogs, a.RunLogs),
		streamed(wire.RunDiff, a.RunDiff),
		answered(wire.RunStop, a.RunStop),
		answered(wire.RunCancel, a.RunCancel),
		answered(wire.RunResume, a.RunResume),
		answered(wire.RunRestore, a.RunRestore),
		answered(wire.RunAccept, a.Accept),
		answered(wire.RunDiscard, a.Discard),
		answered(wire.RunQuestion, a.RunQuestion),
		answered(wire.RunAnswer, a.RunAnswer),
		answered(wire.PINStatus, a.Consent.ShowPIN),
		answered(wire.PINSet, a.Consent.SetPIN),
		answered(wire.SessionJoin, a.Sessions.Join),
		answered(wire.SessionNext, a.Sessions.Next),
		answered(wire.SessionSubmit, a.Sessions.Submit),
		answered(wire.SessionAsk, a.Sessions.Ask),
		answered(wire.SessionAnswer, a.Sessions.Answer),
		answered(wire.SessionLeave, a.Sessions.Leave),
		answered(wire.SessionHook, a.Hooks.Answer),
		answered(wire.PeerList, a.Peers.List),
		answered(wire.PeerCheck, a.Peers.Check),
		answered(wire.PeerJoin, a.Peers.Join),
		answered(wire.PeerLeave, a.Peers.Leave),
		answered(wire.PeerSend, a.Peers.Send),
		answered(wire.PeerRead, a.Peers.Read),
		answered(wire.WorktreeAsk, a.Worktrees.Ask),
		streamed(wire.RunReplay, a.RunReplay),
		streamed(wire.RunRetro, a.RunRetro),
		answered(wire.ConfigShow, a.ConfigShow),
		answered(wire.ConfigSet, a.ConfigSet),
		answered(wire.TrustShow, a.Trust.Show),
		answered(wire.TrustGive, a.Trust.Give),
		answered(wire.AgentList, a.AgentList),
		answered(wire.AgentClassify, a.AgentClassify),
		answered(wire.AgentSandbox, a.AgentSandbox),
		answered(wire.ProjectFind, a.ProjectFind),
		streamed(wire.GateTry, a.GateTry),
		answered(wire.Doctor, a.Doctor),
		answered(wire.NotifyTest, a.NotifyTest),
		answered(wire.UsageShow, a.Usage.Show),
		answered(wire.ProbeShow, a.Machine.Show),
		answered(wire.ProbeLaunch, a.Launch().Show),
		answered(wire.PeerClaims, a.Claims.List),
		answered(wire.PeerTake, a.Claims.Take),
		answered(wire.PeerDrop, a.Claims.Drop),
		answered(wire.PeerForce, a.Claims.Force),
		answered(wire.QueueNew, a.QueueNew),
		answered(wire.QueueAdd, a.QueueAdd),
		answered(wire.QueueList, a.QueueList),
		answered(wire.QueueShow, a.QueueShow),
		answered(wire.QueueOpen, a.QueueOpen),
		answered(wire.QueuePause, a.QueuePause),
		answered(wire.QueueRemove, a.QueueRemove),
		answered(wire.QueueRetry, a.QueueRetry),
		answered(wire.WorktreeList, a.Worktrees.List),
		answered(wire.WorktreePrune, a.Worktrees.Prune),
		answered(wire.Verify, a.Verify),
		answered(wire.ReportMake, a.ReportMake),
		answered(wire.InboxList, a.InboxList),
		answered(wire.StatusLine, a.StatusLine),
		answered(wire.ArchiveList, a.ArchiveList),
		answered(wire.ArchiveRoll, a.Rolls.Ask),
		answered(wire.ArchivePrune, a.Removal.Prune),
		answered(wire.ArchiveErase, a.Removal.Erase),
		streamed(wire.ArchiveExport, a.ArchiveExport),
		answered(wire.ArchiveImport, a.Imports.Take),
		streamed(wire.CompatAtdd, a.CompatAtdd),
		answered(wire.DaemonStatus, a.DaemonStatus),
		answered(wire.DaemonStop, a.DaemonStop),
		answered(wire.WorkflowList, a.Flows.List),
		answered(wire.WorkflowLint, a.Flows.Lint),
		answered(wire.WorkflowGraph, a.Flows.Graph),
		answered(wire.WorkflowSchema, a.Flows.Schema),
		answered(wire.WorkflowSuggest, a.Flows.Suggest),
		answered(wire.WorkflowNew, a.Flows.New),
	}
	for i, e := range all {
		all[i].Serve = a.awake(e)
	}
	return all
}

// awake refuses a caller who may not use the verb, notes that a client needs the daemon,
// and turns errors into those of the wire.
func (a *API) awake(e Endpoint) func(context.Context, auth.Request, []byte, Sender) error {
	return func(ctx context.Context, q auth.Request, body []byte, out Sender) error {
		if err := auth.Permit(q.Identity, e.Spec, body); err != nil {
			return err
		}
		if !e.Has(wire.Idle) {
			a.Daemon.Touch()
			defer a.Daemon.Touch()
		}
		return Fault(e.Serve(ctx, q, body, out))
	}
}

// answered makes an endpoint of a function that answers a request.
func answered[Q, A any](v wire.Verb[Q, A], answer func(context.Context, auth.Request, Q) (A, error)) Endpoint {
	return Endpoint{v.Spec, func(ctx context.Context, q auth.Request, body []byte, out Sender) error {
		req, err := decode[Q](v.Spec, body)
		if err != nil {
			return err
		}
		reply, err := answer(ctx, q, req)
		if err != nil {
			return err
		}
		return send(ctx, out, reply)
	}}
}

// streamed makes an endpoint of a function that sends frames.
func streamed[Q, F any](v wire.Stream[Q, F], answer func(context.Context, auth.Request, Q, func(F) error) error) Endpoint {
	return Endpoint{v.Spec, func(ctx context.Context, q auth.Request, body []byte, out Sender) error {
		req, err := decode[Q](v.Spec, body)
		if err != nil {
			return err
		}
		return answer(ctx, q, req, func(f F) error { return send(ctx, out, f) })
	}}
}

// send encodes v as JSON, unless it is Raw text.
func send(ctx context.Context, out Sender, v any) error {
	if raw, ok := v.(wire.Raw); ok {
		return out.Send(ctx, raw)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return out.Send(ctx, b)
}

func decode[Q any](v wire.Spec, body []byte) (q Q, err error) {
	switch {
	case v.Has(wire.Exact):
		if bad := wire.ReadExactly(body, &q); bad != nil {
			return q, bad
		}
	case len(body) > 0:
		if err := json.Unmarshal(body, &q); err != nil {
			return q, wire.Errorf(wire.Usage, "the request cannot be read: %s", events.JSONMistake(err))
		}
	}
	return q, nil
}
