package api

import (
	"context"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/events/wire"
)

// RunProgress answers how far the recording for a run or a preview is.
func (a *Runs) RunProgress(_ context.Context, _ auth.Request, body wire.ProgressRequest) (v wire.ProgressView, err error) {
	if p, ok := a.recording.Load(body.Request); ok {
		v.Done, v.All = p.(*tree.Progress).Files()
	}
	return v, nil
}

// watched lets RunProgress follow what a request records, until done is called.
func (a *Runs) watched(ctx context.Context, request string) (_ context.Context, done func()) {
	p := &tree.Progress{}
	a.recording.Store(request, p)
	return tree.Watch(ctx, p), func() { a.recording.Delete(request) }
}
