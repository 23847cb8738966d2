package ctl

import (
	"context"
	"io"
	"strings"
	"time"

	"autopilot/ctl/client"
	"autopilot/ctl/hook"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// hookWithin bounds a hook: a host waits for it. One that is late has no answer.
const hookWithin = 500 * time.Millisecond

// hookCall says that these arguments are those of a host: apctl hook HOST EVENT.
// A host that is not known is one if its event looks like one, as hosts write
// them.
func hookCall(args []string) (host hook.Host, event string, ok bool) {
	if len(args) < 3 || args[0] != "hook" || strings.HasPrefix(args[2], "-") {
		return host, "", false
	}
	host, known := hook.Find(args[1])
	if !known && (args[2] == "" || args[2][0] < 'A' || args[2][0] > 'Z') {
		return host, "", false
	}
	return host, args[2], true
}

// Quiet says that nothing may be said beside an answer: a host would show it.
func Quiet(args []string) bool {
	_, _, ok := hookCall(args)
	return ok || omxHookCall(args)
}

// hookEvent answers a host. It says nothing where it cannot know: a host that
// waits, or shows an error at each use of a tool, is worse than no answer.
//
// Source: session-orchestrator, seeds 3.10: hooks fail open. Lesson O30: a
// time-out always resolves.
func (a *app) hookEvent(ctx context.Context, h hook.Host, event string) {
	if a.InIsTTY {
		return
	}
	text := inTime(ctx, func(ctx context.Context) []byte { return a.askHook(ctx, h, event) })
	_, _ = a.Out.Write(text) // a host that is gone wants no answer
}

// inTime is the answer to a host, and nothing when the time is up.
func inTime(ctx context.Context, ask func(context.Context) []byte) []byte {
	ctx, cancel := context.WithTimeout(ctx, hookWithin)
	defer cancel()
	answer := make(chan []byte, 1)
	go func() { // it may hang in the input, which ends with this process
		defer close(answer)
		defer func() {
			_ = recover() // the exit code of a panic would stop the host
		}()
		answer <- ask(ctx)
	}()
	select {
	case text := <-answer:
		return text
	case <-ctx.Done():
		return nil
	}
}

// askHook asks the daemon, if one is there, about an event.
func (a *app) askHook(ctx context.Context, h hook.Host, event string) []byte {
	q, ok := h.Read(event, a.In, a.Dir)
	_, _ = io.Copy(io.Discard, a.In) // or the host would write into nothing
	if !ok || a.getenv(place.EnvEffect) != "" {
		return nil
	}
	d, err := a.connect(ctx, false)
	if err != nil {
		return nil
	}
	defer d.Close()
	var v wire.HookView
	if client.Call(ctx, d, wire.SessionHook, q, &v) != nil {
		return nil
	}
	return h.Answer(event, v.Text)
}
