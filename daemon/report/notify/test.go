package notify

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"autopilot/events/wire"
)

// Test sends a test at once through every rule, or through those for a kind, and
// waits for what becomes of it. Quiet time and pace do not hold it back, and it
// is not tried again.
func (n *Notifier) Test(ctx context.Context, on Kind, id string) ([]wire.NotifyResult, error) {
	s, err := n.cfg.Settings()
	if err != nil {
		return nil, err
	}
	kind := on
	if kind == "" {
		kind = Done
	}
	m := message{Notification: notification{
		Key: "test-" + id, Kind: string(kind), Time: n.cfg.Now(), Test: true,
		Line: "this is a test of apctl notify test", Next: "apctl",
	}}
	results := make([]wire.NotifyResult, len(s.Rules))
	var wg sync.WaitGroup
	for i, r := range s.Rules {
		if on == "" || r.matches(on) {
			wg.Go(func() { results[i] = n.try(ctx, i, r, m) })
		}
	}
	wg.Wait()
	out := []wire.NotifyResult{}
	for _, r := range results {
		if r.Rule != "" {
			out = append(out, r)
		}
	}
	return out, ctx.Err()
}

func (n *Notifier) try(ctx context.Context, i int, r Rule, m message) wire.NotifyResult {
	v := wire.NotifyResult{Rule: fmt.Sprintf("%d: %s", i+1, r.shown())}
	if r.Bell {
		v.OK, v.Note = true, "apctl run and apctl watch ring it at their terminal"
		return v
	}
	id := fmt.Sprintf("test-%d-%s", i, r.id())
	if at := r.tracker(); at.Number > 0 {
		id += issueSign + strconv.Itoa(at.Number)
	} else if r.GitHub != "" {
		v.Note = "it can be reached; comments go to the issue of a run: apctl run --issue N"
	}
	begun := time.Now()
	o := n.deliver(ctx, id, r, m)
	v.MS, v.OK = time.Since(begun).Milliseconds(), o.err == nil
	if o.err != nil {
		v.Error, v.Note = o.err.Error(), ""
	}
	if !v.OK && o.again {
		v.Note = "a real message would be tried again"
	}
	n.forget(m.effect(id))
	return v
}

// shown is the rule for people, without what is secret in it.
func (r Rule) shown() string {
	way := "run " + r.Run
	switch {
	case r.Desktop:
		way = "desktop"
	case r.Bell:
		way = "bell"
	case r.GitHub != "":
		way = "github " + r.GitHub
	case r.Webhook != "":
		way = "webhook"
		if u, err := url.Parse(r.Webhook); err == nil {
			way += " " + u.Scheme + "://" + u.Host + "/..."
		}
	}
	if len(r.On) == 0 {
		return way
	}
	return way + " (" + strings.Join(r.On, ", ") + ")"
}
