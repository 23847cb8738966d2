package ctl

import (
	"context"
	"sync"
	"time"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// How often a person is told how far a recording is: in a line that is written over, and
// in lines of a log.
const (
	recordingLine = time.Second / 2
	recordingLog  = 10 * time.Second
)

// sayRecording tells how far the request has recorded the work tree, if that takes long,
// until the function that it returns is called.
func (a *app) sayRecording(ctx context.Context, d Daemon, request string) (done func()) {
	if a.json {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var told sync.WaitGroup
	told.Go(func() { a.tellRecording(ctx, d, request) })
	return func() {
		cancel()
		told.Wait() // or both would write at once
	}
}

func (a *app) tellRecording(ctx context.Context, d Daemon, request string) {
	begin, end, every := "", "\n", recordingLog
	if a.refreshes(a.Err) {
		begin, end, every = lineStart, lineEnd, recordingLine
	}
	drawn := false
	for wait := longAfter; ; wait = every {
		select {
		case <-ctx.Done():
			if drawn && begin != "" {
				a.note(lineClear)
			}
			return
		case <-time.After(wait):
		}
		var v wire.ProgressView
		if err := client.Call(ctx, d, wire.RunProgress, wire.ProgressRequest{Request: request}, &v); err != nil {
			v = wire.ProgressView{} // an older daemon: the request itself answers for all else
		}
		if ctx.Err() == nil {
			drawn = true
			a.note(begin + render.Recording(v) + end)
		}
	}
}
