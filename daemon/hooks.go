package daemon

import (
	"context"
	"errors"

	"autopilot/daemon/coord/hook"
	"autopilot/daemon/run/engine"
)

// newHooks answers the hooks of chats' hosts.
func (d *Daemon) newHooks() *hook.Service {
	return hook.New(hook.Config{
		Chats: d.Chats, Peers: d.Peers, Sessions: d.Sessions, Claims: d.Claims, Runs: d.Fleet, Worker: d.Worker, Repos: d.repos,
		Writer: d.api.Writer, Text: d.api.Text, Lines: d.api.Lines, Lasting: d.Lasting, Wrote: d.noteWritten,
		State: d.cfg.Places.State, Home: d.cfg.Home,
	})
}

// noteWritten lets a run hear of what a chat wrote into its work tree.
func (d *Daemon) noteWritten(w hook.Written) {
	if d.draining.Load() {
		return
	}
	d.background.Go(func() {
		ctx, done := d.Lasting(context.Background())
		defer done()
		if err := d.Hooks.Note(ctx, w); err != nil && !errors.Is(err, engine.ErrStale) && ctx.Err() == nil {
			d.cfg.Log.Warn("note what a session wrote to the work tree of a run", "run", w.Run, "error", err)
		}
	})
}
