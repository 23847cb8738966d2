package ctl

import (
	"context"
	"errors"
	"time"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// soon bounds what a sick daemon takes to answer about itself.
const soon = 10 * time.Second

// silent explains the error of a daemon that could not be reached or took too long: if a
// process holds the state directory, it names that process.
func (a *app) silent(ctx context.Context, err error) error {
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.Unreachable && e.Code != wire.TimedOut && e.Code != wire.Conflict || a.Holder == nil {
		return err
	}
	p, placeErr := a.FindPlaces()
	if placeErr != nil {
		return err
	}
	if _, none := place.ReadLock(p.LockFile()); none != nil {
		return err // a daemon that ends empties its lock
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), soon)
	defer cancel()
	if v, holderErr := a.Holder(ctx, false); holderErr == nil && v.Held {
		return render.Silent(v)
	}
	return err
}

// askSoon asks the daemon about itself, and waits no longer than that takes.
func askSoon[Q, A any](ctx context.Context, a *app, d Daemon, v wire.Verb[Q, A], req Q, reply *A) error {
	ctx, cancel := context.WithTimeoutCause(ctx, soon, render.Timeout("the daemon did not answer "+v.Name, render.Duration(soon)))
	defer cancel()
	return a.silent(ctx, client.Call(ctx, d, v, req, reply))
}
