package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// handlers answers the verbs.
func (d *Daemon) handlers() map[string]bus.Handler {
	return map[string]bus.Handler{
		wire.BlobPut.Name:       d.awake(streamedTo(d.uploads.Put)),
		wire.RunStart.Name:      d.awake(asked(d.runStart)),
		wire.RunPreview.Name:    d.awake(asked(d.runPreview)),
		wire.RunList.Name:       d.awake(asked(d.runList)),
		wire.RunGet.Name:        d.awake(asked(d.runGet)),
		wire.RunWhy.Name:        d.awake(asked(d.runWhy)),
		wire.RunWatch.Name:      d.awake(streamed(d.runWatch)),
		wire.RunEvents.Name:     d.awake(streamed(d.runEvents)),
		wire.RunLogs.Name:       d.awake(streamedTo(d.runLogs)),
		wire.RunDiff.Name:       d.awake(d.rawDiff),
		wire.RunStop.Name:       d.awake(asked(d.runStop)),
		wire.RunCancel.Name:     d.awake(asked(d.runCancel)),
		wire.RunResume.Name:     d.awake(asked(d.runResume)),
		wire.RunRestore.Name:    d.awake(asked(d.runRestore)),
		wire.RunQuestion.Name:   d.awake(asked(d.runQuestion)),
		wire.RunAnswer.Name:     d.awake(asked(d.runAnswer)),
		wire.PINStatus.Name:     d.awake(asked(d.consent.ShowPIN)),
		wire.PINSet.Name:        d.awake(asked(d.consent.SetPIN)),
		wire.SessionJoin.Name:   d.awake(asked(d.sessions.Join)),
		wire.SessionNext.Name:   d.awake(asked(d.sessions.Next)),
		wire.SessionSubmit.Name: d.awake(asked(d.sessions.Submit)),
		wire.SessionAsk.Name:    d.awake(exactly(d.sessions.Ask)),
		wire.SessionAnswer.Name: d.awake(exactly(d.sessions.Answer)),
		wire.SessionLeave.Name:  d.awake(asked(d.sessions.Leave)),
		wire.SessionHook.Name:   asked(d.hooks.Answer), // asked at every use of a tool: it keeps no idle daemon
		wire.PeerList.Name:      d.awake(asked(d.peers.List)),
		wire.PeerCheck.Name:     d.awake(asked(d.peers.Check)),
		wire.PeerJoin.Name:      d.awake(asked(d.peers.Join)),
		wire.PeerLeave.Name:     d.awake(asked(d.peers.Leave)),
		wire.PeerSend.Name:      d.awake(asked(d.peers.Send)),
		wire.PeerRead.Name:      d.awake(asked(d.peers.Read)),
		wire.WorktreeAsk.Name:   d.awake(asked(d.worktrees.Ask)),
		wire.RunReplay.Name:     d.awake(d.rawReplay),
		wire.Retro.Name:         d.awake(d.rawRetro),
		wire.ConfigShow.Name:    d.awake(asked(d.configShow)),
		wire.ConfigSet.Name:     d.awake(asked(d.configSet)),
		wire.TrustShow.Name:     d.awake(asked(d.trust.Show)),
		wire.TrustGive.Name:     d.awake(asked(d.trust.Give)),
		wire.AgentList.Name:     d.awake(asked(d.agentList)),
		wire.AgentClassify.Name: d.awake(asked(d.agentClassify)),
		wire.AgentSandbox.Name:  d.awake(asked(d.agentSandbox)),
		wire.ProjectFind.Name:   d.awake(asked(d.projectFind)),
		wire.GateTry.Name:       d.awake(streamed(d.gateTry)),
		wire.Doctor.Name:        d.awake(asked(d.doctor)),
		wire.NotifyTest.Name:    d.awake(asked(d.notifyTest)),
		wire.UsageShow.Name:     d.awake(asked(d.usage.Show)),
		wire.ProbeShow.Name:     d.awake(asked(d.machine.Show)),
		wire.ProbeLaunch.Name:   d.awake(asked(d.launch().Show)),
		wire.PeerClaims.Name:    d.awake(asked(d.claims.List)),
		wire.PeerTake.Name:      d.awake(asked(d.claims.Take)),
		wire.PeerDrop.Name:      d.awake(asked(d.claims.Drop)),
		wire.PeerForce.Name:     d.awake(asked(d.claims.Force)),
		wire.WorktreeList.Name:  d.awake(asked(d.worktrees.List)),
		wire.WorktreePrune.Name: d.awake(asked(d.worktrees.Prune)),
		wire.Verify.Name:        d.awake(asked(d.verify)),
		wire.ReportMade.Name:    d.awake(asked(d.reportMake)),
		wire.InboxList.Name:     d.awake(asked(d.inboxList)),
		wire.StatusLine.Name:    asked(d.statusLine), // asked every few seconds: it keeps no idle daemon
		wire.ArchiveList.Name:   d.awake(asked(d.archiveList)),
		wire.ArchiveRoll.Name:   d.awake(asked(d.rolls.Ask)),
		wire.ArchivePrune.Name:  d.awake(asked(d.removal.Prune)),
		wire.ArchiveErase.Name:  d.awake(asked(d.removal.Erase)),
		wire.ArchiveExport.Name: d.awake(d.rawExport),
		wire.ArchiveImport.Name: d.awake(asked(d.imports.Take)),
		wire.CompatAtdd.Name:    d.awake(streamed(d.compatAtdd)),
		wire.DaemonStatus.Name:  d.awake(asked(d.daemonStatus)),
		wire.DaemonStop.Name:    asked(d.daemonStop),

		wire.WorkflowList.Name:    d.awake(asked(d.flows.List)),
		wire.WorkflowLint.Name:    d.awake(asked(d.flows.Lint)),
		wire.WorkflowGraph.Name:   d.awake(asked(d.flows.Graph)),
		wire.WorkflowSchema.Name:  d.awake(asked(d.flows.Schema)),
		wire.WorkflowSuggest.Name: d.awake(asked(d.flows.Suggest)),
		wire.WorkflowNew.Name:     d.awake(asked(d.flows.New)),
	}
}

// awake notes that someone needs the daemon, and puts errors into the terms of
// the wire.
func (d *Daemon) awake(h bus.Handler) bus.Handler {
	return func(ctx context.Context, q bus.Request, r *bus.Reply) error {
		d.active.Store(time.Now().UnixMilli())
		defer func() { d.active.Store(time.Now().UnixMilli()) }()
		return onWire(h(ctx, q, r))
	}
}

// asked makes a handler of a function from one body to another.
func asked[Q, A any](f func(context.Context, bus.Request, Q) (A, error)) bus.Handler {
	return func(ctx context.Context, q bus.Request, r *bus.Reply) error {
		body, err := decode[Q](q.Body)
		if err != nil {
			return err
		}
		a, err := f(ctx, q, body)
		if err != nil {
			return err
		}
		return r.JSON(ctx, a)
	}
}

// exactly is asked for bodies that are read to the letter.
func exactly[Q, A any](f func(context.Context, bus.Request, Q) (A, error)) bus.Handler {
	return func(ctx context.Context, q bus.Request, r *bus.Reply) error {
		var body Q
		if bad := wire.ReadExactly(q.Body, &body); bad != nil {
			return bad
		}
		a, err := f(ctx, q, body)
		if err != nil {
			return err
		}
		return r.JSON(ctx, a)
	}
}

// streamed makes a handler of a function that sends objects.
func streamed[Q any](f func(context.Context, Q, func(any) error) error) bus.Handler {
	return streamedTo(func(ctx context.Context, _ bus.Request, body Q, send func(any) error) error {
		return f(ctx, body, send)
	})
}

// streamedTo does so for one that answers different callers differently.
func streamedTo[Q any](f func(context.Context, bus.Request, Q, func(any) error) error) bus.Handler {
	return func(ctx context.Context, q bus.Request, r *bus.Reply) error {
		body, err := decode[Q](q.Body)
		if err != nil {
			return err
		}
		return f(ctx, q, body, func(v any) error { return r.JSON(ctx, v) })
	}
}

func decode[Q any](b []byte) (Q, error) {
	var q Q
	if len(b) == 0 {
		return q, nil
	}
	if err := json.Unmarshal(b, &q); err != nil {
		return q, wire.Errorf(wire.Usage, "the request cannot be read: %v", err)
	}
	return q, nil
}

// onWire gives errors of the parts below the code that a client can act on.
func onWire(err error) error {
	var known *wire.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	for _, m := range []struct {
		err  error
		code wire.Code
		hint string
	}{
		{engine.ErrOver, wire.Conflict, "start a new run"},
		{engine.ErrNotHalted, wire.Conflict, "apctl status   shows what it does"},
		{engine.ErrNotWaiting, wire.Conflict, "apctl status   shows what it does"},
		{engine.ErrDrift, wire.NeedsPerson, "apctl diff   shows what was changed"},
		{engine.ErrUnproven, wire.NeedsPerson, "apctl why   shows what was found, and apctl resume -m 'NOTE' sends the agent back to work"},
		{engine.ErrBrokenLog, wire.Denied, "apctl verify   says what is wrong; cancel this run and start a new one"},
		{engine.ErrNeedsNote, wire.Usage, "apctl resume -m 'WHAT TO DO DIFFERENTLY'"},
		{engine.ErrPastUntil, wire.Conflict, "start a new run"},
		{engine.ErrMoved, wire.Failed, "the event store did not answer, as on a full disk; look with apctl status before you try again"},
		{engine.ErrNoRoom, wire.Full, "make room on the disk of the state, and do it again; apctl doctor shows how much is left"},
		// The daemon is ending: the next one can be asked.
		{engine.ErrGone, wire.Unreachable, "ask again; the next daemon serves the run"},
		{context.Canceled, wire.Unreachable, "ask again; the next daemon serves the run"},
		{tree.ErrGone, wire.NotFound, ""},
		{tree.ErrNotFound, wire.NotFound, ""},
	} {
		if errors.Is(err, m.err) {
			return wire.Errorf(m.code, "%v", err).WithHint("%s", m.hint)
		}
	}
	return err
}

// find resolves the run of a request. Without a name it is the latest of the
// caller's workspace.
func (d *Daemon) find(ctx context.Context, ref wire.RunRef) (run.State, error) {
	project := ""
	if ref.Run == "" && ref.Workspace == "" {
		return run.State{}, wire.Errorf(wire.Usage, "no run is named, and no directory").WithHint("apctl ls   lists the runs; name one")
	}
	if ref.Run == "" {
		ws, err := tree.Find(ctx, ref.Workspace)
		if err != nil {
			return d.findWithoutGit(ref)
		}
		project = ws.ID
	}
	return d.fleet.Resolve(ref, project)
}

// findWithoutGit resolves the latest run of a directory, or of one above it, that is no
// work tree any more: an agent may have removed its repository.
func (d *Daemon) findWithoutGit(ref wire.RunRef) (run.State, error) {
	dir, err := filepath.EvalSymlinks(ref.Workspace)
	for err == nil {
		if st, err := d.fleet.Resolve(ref, tree.IDOf(dir)); err == nil {
			return st, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return run.State{}, wire.Errorf(wire.NotFound, "%s is not in a git work tree, so it has no run", ref.Workspace).
		WithHint("apctl ls   lists the runs; name one")
}

// lasting is a context that ends with the daemon and not with the caller: what
// was begun is finished.
func (d *Daemon) lasting(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(d.beside.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
